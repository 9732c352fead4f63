"""``--mlir-print-debuginfo``: every operation of a program in MLIR says from which places of the source it comes."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tensorlift.cli import main

if TYPE_CHECKING:
    from collections.abc import Sequence

_EXAMPLES = Path(__file__).parent.parent.parent / "examples"
ROWS = """void f(int n, int m, double a[n][m], double s[n]) {
  for (int i = 0; i < n; i++) {
    s[i] = 1;
    for (int j = 0; j < m; j++)
      s[i] += a[i][j];
  }
}
"""


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Work in a folder with a source."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'a "b".c').write_text(ROWS)
    (tmp_path / "k.c").write_text(ROWS)
    return tmp_path


def _lifted(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["lift", *arguments, "--mlir-print-debuginfo"]) == 0
    return capsys.readouterr().out


def _without_places(text: str) -> list[str]:
    """List the operations that have no location."""
    lines = [line.strip() for line in text.partition("\n\n")[0].splitlines()]
    ends = [line for line in lines if not line.startswith(("^", "//")) and not line.endswith("{")]
    return [line for line in ends if not re.search(r" loc\((?:fused\[)?\"[^\n]*\)$", line)]


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("target", ["linalg", "stablehlo"])
@pytest.mark.parametrize("name", ["covariance", "gauss_seidel", "softmax_rows", "keep_positive"])
def test_every_operation_has_a_place(name: str, target: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = _lifted(capsys, str(_EXAMPLES / f"{name}.c"), "--to", target)
    assert _without_places(text) == []


def test_what_several_lines_make_has_all_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    text = _lifted(capsys, "k.c", "--to", "linalg")
    assert "linalg.reduce { arith.addf }" in text
    assert text.count(' loc(fused["k.c":3:5, "k.c":5:7])\n') > 1
    assert '  return %4 : tensor<?xf64> loc("k.c":1:6)\n} loc("k.c":1:6)\n' in re.sub(r"%\d+ :", "%4 :", text)


def test_the_value_of_a_region_has_the_place_of_what_holds_it(capsys: pytest.CaptureFixture[str]) -> None:
    text = _lifted(capsys, str(_EXAMPLES / "covariance.c"), "--to", "linalg")
    inner = re.search(r"arith\.subf %in, %in_0 : f64 loc\((.*)\)\n", text)
    assert inner is not None
    assert inner[1].endswith('covariance.c":14:13')


def test_names_of_files_are_escaped(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = _lifted(capsys, 'a "b".c', "--to", "linalg")
    assert '"a \\"b\\".c":3:5' in text
    _accept([text], folder)


def test_a_certificate_holds_with_places(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _lifted(capsys, "k.c", "--to", "stablehlo", "-o", "k.mlir", "--json", "k.json")
    program = json.loads((folder / "k.json").read_text())["functions"][0]["program"]
    assert 'loc("k.c":1:6)' in program
    assert main(["verify", "k.json"]) == 0


@pytest.mark.parametrize("form", ["literal", "ir"])
def test_what_is_read_has_its_places(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert 'loc("k.c":5:7)' in _lifted(capsys, "k.c", "--emit", form)


def test_upstream_reads_them(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _accept(
        [_lifted(capsys, str(_EXAMPLES / f"{name}.c"), "--to", "linalg") for name in ("covariance", "gauss_seidel")],
        folder,
    )


@pytest.mark.parametrize(
    "arguments", [("--to", "numpy"), ("--to", "c"), ("--to", "auto"), ("--emit", "definitions"), ("--in-place",)]
)
def test_what_is_no_mlir_has_none(arguments: Sequence[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lift", "k.c", *arguments, "--mlir-print-debuginfo"]) == 2
    assert "--mlir-print-debuginfo goes with a target in MLIR, or with --emit literal or ir" in capsys.readouterr().err


def _accept(texts: Sequence[str], folder: Path) -> None:
    """Let upstream read texts, if it is here."""
    tool = shutil.which("mlir-opt")
    if tool is None:
        pytest.skip("there is no mlir-opt")
    (folder / "all.mlir").write_text("\n// -----\n".join(texts))
    subprocess.run([tool, "--split-input-file", "all.mlir"], cwd=folder, check=True, capture_output=True)
