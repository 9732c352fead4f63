"""Several files in one request, standard input in any language, and files in which functions are looked for."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

import pytest

from tensorlift.cli import main

if TYPE_CHECKING:
    from pathlib import Path

_DOUBLE = "void twice(int n, double x[n]) { for (int i = 0; i < n; i++) x[i] *= 2; }\n"
_CALLER = """void twice(int n, double x[n]);
void four(int m, int n, double x[m][n]) { for (int i = 0; i < m; i++) { twice(n, x[i]); twice(n, x[i]); } }
"""
_PYTHON = "def half(x):\n    for i in range(len(x)):\n        x[i] = x[i] / 2\n    return x\n"
_NAMES = ("four", "half", "twice")
_MLIR = """func.func @neg(%a: memref<?xf64>, %n: index) {
  affine.for %i = 0 to %n { %x = affine.load %a[%i] : memref<?xf64>
    %y = arith.negf %x : f64
    affine.store %y, %a[%i] : memref<?xf64> }
  return }
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with some files."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "twice.c").write_text(_DOUBLE, encoding="utf-8")
    (tmp_path / "four.c").write_text(_CALLER, encoding="utf-8")
    (tmp_path / "half.py").write_text(_PYTHON, encoding="utf-8")
    (tmp_path / "out").mkdir()
    return tmp_path


def test_files_are_lifted_one_after_the_other(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lift", "four.c", "half.py"]) == 1  # `twice` is not known
    assert "# four: refused" in capsys.readouterr().out
    assert main(["lift", "four.c", "half.py", "twice.c"]) == 0
    out = capsys.readouterr().out
    assert out.index("# four: loop-free") < out.index("# half: loop-free") < out.index("# twice: loop-free")
    compile(out, "programs", "exec")


def test_functions_are_looked_for_in_other_files(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lift", "four.c", "--with", "twice.c"]) == 0
    assert "twice:" not in capsys.readouterr().out


@pytest.mark.parametrize(("arguments", "suffix"), [([], "py"), (["--to", "c"], "c"), (["--emit", "ir"], "mlir")])
def test_each_has_its_own_file(folder: Path, arguments: list[str], suffix: str) -> None:
    assert main(["lift", "four.c", "half.py", "twice.c", "-o", "out", "--no-times", *arguments]) == 0
    assert {one.name for one in (folder / "out").iterdir()} == {
        f"{name}.{suffix}" for name in ("four", "half", "twice")
    }


def test_each_has_its_own_report(folder: Path) -> None:
    assert main(["lift", "four.c", "twice.c", "--json", "out", "-q"]) == 0
    assert {one.name for one in (folder / "out").iterdir()} == {"four.json", "twice.json"}


def test_all_are_read_before_one_is_rewritten(folder: Path) -> None:
    assert main(["lift", "twice.c", "four.c", "--in-place", "--regardless", "-q"]) == 0
    assert "four_original" in (folder / "four.c").read_text(encoding="utf-8")
    assert "twice_original" in (folder / "twice.c").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("language", "text"),
    [("c", _DOUBLE), ("c++", _DOUBLE.replace("x[n]", "*x")), ("python", _PYTHON), ("mlir", _MLIR)],
)
def test_standard_input_is_in_any_language(language: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for command in ("lift", "explain"):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        assert main([command, "-", "--language", language]) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["twice.c", "--language", "python"], "--language goes with '-'"),
        (["twice.c", "four.c", "-o", "none"], "-o takes a folder for several FILEs: make 'none' first"),
        (["twice.c", "four.c", "--json", "-"], "--json takes a folder for several FILEs: make '-' first"),
        (["twice.c", "four.c", "--function", "four"], "--function goes with one FILE"),
        (["twice.c", "twice.c"], "each FILE is given once"),
        (["twice.c", "-"], "each FILE is given once, and '-' alone"),
        (["half.py", "./half.py", "-o", "out"], "two FILEs would be written as 'out/half.py'"),
        (["twice.c", "--with", "none.c"], "cannot read 'none.c'"),
    ],
)
def test_what_is_for_one_file_is_refused(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lift", *arguments]) == 2
    assert message in capsys.readouterr().err
