"""The command line for StableHLO: sizes, portable artifacts, and what is said of the proof."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

import pytest

from tensorlift.cli import main
from tensorlift.commands.options import REFUSED, USAGE

if TYPE_CHECKING:
    from pathlib import Path

SCALE = "void scale(int n, double a[n]) { for (int i = 0; i < n; i++) a[i] = 2 * a[i]; }\n"


@pytest.fixture(name="file")
def _file(tmp_path: Path) -> str:
    path = tmp_path / "scale.c"
    path.write_text(SCALE, encoding="utf-8")
    return str(path)


def test_a_program_is_said_to_be_proved_for_its_sizes(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lift", file, "--to", "stablehlo", "--sizes", "n=4"]) == 0
    shown = capsys.readouterr().out
    assert "func.func @scale(%a: tensor<4xf64>) -> tensor<4xf64> {" in shown
    assert "// scale: loop-free, proved for these sizes, over the reals" in shown


def test_a_program_for_every_size_has_open_shapes(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lift", file, "--to", "stablehlo"]) == 0
    shown = capsys.readouterr().out
    assert "func.func @scale(%a: tensor<?xf64>) -> tensor<?xf64> {" in shown
    assert "// scale: loop-free, proved for every size, over the reals" in shown


def test_a_size_that_must_be_given_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "running.c"
    path.write_text(
        "int within(int n, const double x[n], double most) { double s = 0;"
        " for (int i = 0; i < n; i++) { s += x[i]; if (s > most) return i; } return n; }\n"
    )
    assert main(["lift", str(path), "--to", "stablehlo"]) == REFUSED
    error = capsys.readouterr().err
    assert "the size n must be given: a running fold is over windows of static extents [TL515]" in error
    assert "help: for example: --sizes n=64" in error


def test_a_program_without_sizes_is_proved_for_every_call(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "four.c"
    path.write_text("void four(double a[4]) { for (int i = 0; i < 4; i++) a[i] = 2 * a[i]; }\n", encoding="utf-8")
    assert main(["lift", str(path), "--to", "stablehlo"]) == 0
    assert "proved for every size" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["--to", "stablehlo", "--sizes", "n=-1"], USAGE, "'n=-1' is no size"),
        (["--to", "stablehlo", "--sizes", "n=4,n=5"], USAGE, "the size 'n' is given twice"),
        (["--to", "stablehlo", "--sizes", "n"], USAGE, "'n' is no size"),
        (["--to", "stablehlo", "--sizes", "m=4"], USAGE, "no function of"),
        (["--sizes", "n=4"], USAGE, "take every size"),
        (["--portable-artifact", "x.bin"], USAGE, "has no portable artifact"),
    ],
)
def test_wrong_requests_say_what_helps(
    file: str, arguments: list[str], status: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lift", file, *arguments]) == status
    error = capsys.readouterr().err
    assert said in error
    assert "help: " in error


def test_a_portable_artifact_is_versioned_bytecode(file: str, tmp_path: Path) -> None:
    pytest.importorskip("jax", reason="JAX, which StableHLO's tools come with, is not installed")
    written = tmp_path / "scale.mlirbc"
    arguments = ["lift", file, "--to", "stablehlo", "--sizes", "n=4", "--portable-artifact", str(written)]
    assert main(arguments) == 0
    content = written.read_bytes()
    assert content.startswith(b"ML\xefR")
    assert b"StableHLO_v" in content


def test_without_jax_one_line_says_how_to_get_it(
    file: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr("tensorlift.runtime.libraries.find_spec", lambda n: None if n == "jax" else find(n))
    assert main(["lift", file, "--to", "stablehlo", "--sizes", "n=4", "--portable-artifact", "x.bin"]) == USAGE
    assert "help: install it: pip install 'tensorlift[jax]'" in capsys.readouterr().err
