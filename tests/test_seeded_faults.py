"""The faults of ``bench/seeded_faults.py`` can be put into the package as it is."""

from pathlib import Path
from shutil import copy

import pytest
from bench.seeded_faults import FAULTS, Fault, put

import tensorlift

_PACKAGE = Path(tensorlift.__file__).parent


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.what)
def test_the_text_of_a_fault_occurs_once_in_its_file(fault: Fault, tmp_path: Path) -> None:
    file = tmp_path / fault.file
    file.parent.mkdir(parents=True)
    copy(_PACKAGE / fault.file, file)
    put(fault, tmp_path)
    assert fault.new in file.read_text(encoding="utf-8")
