"""The process of the command line ends with its status, everything written, and loads what it needs and no more."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

FILL = "void fill(int n, double a[n]) { for (int i = 0; i < n; i++) a[i] = 1.0; }\n"
REFUSED = "double *keep(double *a) { return a; }\n"
UNUSED = {"numpy.random", "subprocess", "difflib", "xdsl.dialects.math", "rich"}


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *command], capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize(("text", "status"), [(FILL, 0), (FILL + REFUSED, 1), (None, 2)])
def test_the_status_and_all_output_get_out(tmp_path: Path, text: str | None, status: int) -> None:
    file = tmp_path / "k.c"
    if text is not None:
        file.write_text(text, encoding="utf-8")
    done = _run(["-m", "tensorlift", "lift", str(file)])
    assert done.returncode == status
    assert ("agrees with" in done.stdout) is (text is not None), "the last line of the program's report is there"
    assert ("TL" in done.stderr) is (status > 0)


def test_an_expression_deeper_than_the_stack_of_a_thread_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "sum.c"
    file.write_text(f"double sum(double a) {{ return {' + '.join(['a'] * 20_000)}; }}\n", encoding="utf-8")
    done = _run(["-m", "tensorlift", "lift", str(file)])
    assert done.returncode == 1, "libclang parses where the stack is deep, and does not end the process"
    assert "TL119" in done.stderr


def test_a_plain_lift_loads_no_more_than_it_uses(tmp_path: Path) -> None:
    file = tmp_path / "fill.c"
    file.write_text(FILL, encoding="utf-8")
    code = f"import sys; from tensorlift.cli import main; main(['lift', {str(file)!r}]); print(*sys.modules)"
    assert UNUSED & set(_run(["-c", code]).stdout.split()) == set()
