"""Fortran with programs in its place computes what it did, on sections, shifted bounds and nothing too."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from bench.fuzz_in_place_fortran import difference

from tensorlift.cli import main
from tensorlift.runtime.differential import without_original

pytest.importorskip("fparser")
_FOLDER = Path(__file__).parent / "fortran"
_compiled = pytest.mark.skipif(shutil.which("gfortran") is None, reason="no gfortran on the search path")
_COUNTED = "void count_tried(int);\nstatic _Thread_local int declined;"
_COUNTING = """#include <stdio.h>
static int ran, declined;
void count_tried(int has_run) { *(has_run ? &ran : &declined) += 1; }
__attribute__((destructor)) static void say(void) { printf("ran %d declined %d\\n", ran, declined); }
"""


def _run(folder: Path, *command: str) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _printed(text: str) -> dict[str, list[float]]:
    rows = (line.split() for line in text.splitlines())
    return {row[0]: [float({"T": 1, "F": 0}.get(word, word)) for word in row[1:]] for row in rows}


def _agree(one: str, other: str) -> None:
    mine, theirs = _printed(one), _printed(other)
    assert [*mine] == [*theirs]
    for name, numbers in mine.items():
        assert np.allclose(numbers, theirs[name], rtol=1e-12, atol=1e-12), name


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("plate.f90", "main.f90"):
        shutil.copy(_FOLDER / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@_compiled
def test_a_rewritten_file_computes_what_it_did(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _run(folder, "gfortran", "plate.f90", "main.f90", "-o", "before")
    assert main(["lift", "plate.f90", "--in-place", "--regardless"]) == 0
    assert "compile plate_lifted.c too" in capsys.readouterr().out
    rewritten = (folder / "plate.f90").read_text()
    kept = [line for line in (_FOLDER / "plate.f90").read_text().splitlines() if line not in rewritten.splitlines()]
    assert not kept
    c = (folder / "plate_lifted.c").read_text()
    tested = without_original(c, "nothing").replace("static _Thread_local int declined;", _COUNTED)
    tested = re.sub(r"(\*\w+ = (!declined);)", r"\1 count_tried(\2);", tested)
    (folder / "counted.c").write_text(tested)
    (folder / "counting.c").write_text(_COUNTING)
    _run(folder, "cc", "-O1", "-c", "counted.c", "counting.c")
    _run(folder, "gfortran", "plate.f90", "main.f90", "counted.o", "counting.o", "-lopenblas", "-o", "after")
    *said, last = _run(folder, "./after").splitlines()
    _agree(_run(folder, "./before"), "\n".join(said))
    assert last == "ran 15 declined 7"

    assert main(["lift", "plate.f90", "--in-place"]) == 0
    assert "already rewritten" in capsys.readouterr().out
    assert (folder / "plate.f90").read_text() == rewritten


@_compiled
def test_a_library_has_what_the_file_defines(folder: Path) -> None:
    _run(folder, "gfortran", "plate.f90", "main.f90", "-o", "before")
    chosen = "--function", "energy", "--function", "product"
    assert main(["build", "plate.f90", "-o", "libplate.so", *chosen, "--programs", "programs.c"]) == 0
    assert "plate_energy_tried" in (folder / "programs.c").read_text()
    _run(folder, "gfortran", "-c", "plate.f90", "-o", "alone.o")
    names = [
        {line.split()[-1] for line in _run(folder, "nm", *command).splitlines() if " T " in line}
        for command in (("alone.o",), ("-D", "libplate.so"))
    ]
    assert names[0] == names[1]
    _run(folder, "gfortran", "main.f90", "./libplate.so", "-o", "after")
    _agree(_run(folder, "./before"), _run(folder, "./after"))


def test_what_would_change_is_shown_and_nothing_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (folder / "plate.f90").read_text()
    assert main(["lift", "plate.f90", "--in-place", "--regardless", "--check", "--function", "energy"]) == 1
    assert "plate.f90: would be rewritten" in capsys.readouterr().out
    assert main(["lift", "plate.f90", "--in-place", "--regardless", "--diff", "--function", "energy"]) == 0
    shown = capsys.readouterr().out
    assert "+++ plate.f90" in shown
    assert "+++ plate_lifted.c" in shown
    assert "+++ spread" not in shown
    assert (folder / "plate.f90").read_text() == before
    assert not (folder / "plate_lifted.c").exists()


_LOOP = "  do i = 1, n\n    s = s + x(i)*x(i)\n  end do\nend subroutine\n"
_HEAD = (
    "subroutine f(n, x, s)\n  integer, intent(in) :: n\n  real(8), intent(in) :: x(n)\n  real(8), intent(inout) :: s\n"
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{_HEAD}  integer :: i, size\n{_LOOP}", "the name `size` is its own"),
        (f"{_HEAD}  integer :: i\n  !$acc parallel loop reduction(+:s)\n{_LOOP}", "may keep its arrays on a device"),
        (f"{_HEAD}  integer :: i; s = 2*s\n{_LOOP}", "on one line"),
        (f"{_HEAD}  !$omp declare target\n  integer :: i\n{_LOOP}", "is for the procedure as it is"),
        (f"{_HEAD}  integer :: i\n  volatile :: x\n{_LOOP}", "volatile"),
        (
            "subroutine f(n, ix, x)\n  integer, intent(in) :: n, ix(n)\n  real :: x(n)\n  x = x(ix)\nend subroutine\n",
            "nothing checks 0 <= ix - 1 < x.shape[0]",
        ),
    ],
)
def test_a_procedure_that_cannot_be_entered_stays(
    text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "f.f90"
    file.write_text(text)
    assert main(["lift", str(file), "--in-place", "--regardless"]) == 1
    assert message in capsys.readouterr().err
    assert file.read_text() == text


def test_lines_of_the_preprocessor_stay_and_so_do_procedures_that_have_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "size.inc").write_text("  integer, parameter :: few = 3\n")
    loop = f"{_HEAD}  integer :: i\n{_LOOP}"
    text = loop.replace("  integer :: i\n", "  include 'size.inc'\n  integer :: i\n", 1) + loop.replace(" f(", " g(")
    (tmp_path / "f.f90").write_text(text)
    assert main(["lift", "f.f90", "--in-place", "--regardless"]) == 1
    assert "the preprocessor or an `include` makes lines of it [TL579]" in capsys.readouterr().err
    rewritten = (tmp_path / "f.f90").read_text()
    assert "call g_tried(" in rewritten
    assert "call f_tried(" not in rewritten
    assert "  include 'size.inc'\n" in rewritten

    (tmp_path / "g.F90").write_text(f"#define N 3\n{loop}")
    assert main(["lift", "g.F90", "--in-place"]) == 2
    assert "'g.F90' has lines of the preprocessor [TL578]" in capsys.readouterr().err


def test_fixed_form_stays_in_its_columns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "f.f"
    file.write_text(
        "      SUBROUTINE GATHERED(N, LDA, A, X, Y)\n      INTEGER N, LDA, I, J\n"
        "      DOUBLE PRECISION A(LDA,*), X(*), Y(*)\n"
        "      DO 20 J = 1, N\n         DO 10 I = 1, N\n10       Y(I) = Y(I) + A(I,J)*X(J)\n20    CONTINUE\n      END\n"
    )
    assert main(["lift", str(file), "--in-place", "--regardless"]) == 0, capsys.readouterr().err
    lines = [line for line in file.read_text().splitlines() if not line.startswith("!")]
    assert max(map(len, lines)) <= 72
    assert any(line.startswith("     & ") for line in lines)
    if shutil.which("gfortran"):
        _run(tmp_path, "gfortran", "-c", "f.f")


def test_a_file_in_c_that_is_there_is_not_overwritten(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "plate_lifted.c").write_text("int main(void) { return 0; }\n")
    assert main(["lift", "plate.f90", "--in-place", "--regardless"]) == 2
    assert "is there already" in capsys.readouterr().err


def test_flags_that_change_what_a_file_means_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", str(_FOLDER / "plate.f90"), "-o", "lib.so", "--cflags", "-O2 -fdefault-real-8"]) == 2
    assert "-fdefault-real-8, which changes what it means [TL509]" in capsys.readouterr().err


@_compiled
@pytest.mark.in_turns(24)
@pytest.mark.parametrize("seed", range(24))
def test_random_procedures_do_what_they_did(seed: int, tmp_path: Path) -> None:
    reason, _ = difference(seed, tmp_path)
    assert not reason
