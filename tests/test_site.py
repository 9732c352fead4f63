"""The documentation is a site without warnings; its picture is as its script draws it."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from bench.picture import PICTURE, picture

_DOCS = Path(__file__).parent.parent / "docs"


def test_the_picture_is_as_its_script_draws_it(update: bool) -> None:  # noqa: FBT001 - a fixture
    if update:
        PICTURE.write_text(picture(), encoding="utf-8")
    assert PICTURE.read_text(encoding="utf-8") == picture()


@pytest.mark.skipif(
    not all(map(find_spec, ("sphinx", "myst_nb", "furo"))), reason="Sphinx, MyST-NB or Furo is not installed"
)
def test_the_site_has_no_warnings(tmp_path: Path) -> None:
    """Warnings are links that lead nowhere, and pages that no table of contents has."""
    arguments = [sys.executable, "-m", "sphinx", "-q", "-W", "-b", "html", str(_DOCS), str(tmp_path)]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=600, check=False)
    assert not done.returncode, done.stderr
    assert (tmp_path / "tutorials" / "hpc.html").exists()
