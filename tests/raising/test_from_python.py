"""``tensorlift.mlir.raise_module`` raises modules in one process, as the command does."""

from __future__ import annotations

from pathlib import Path

import pytest

from tensorlift.cli import main
from tensorlift.diagnostics import LiftError
from tensorlift.mlir import raise_module

_GEMM = Path(__file__).parent.parent.parent / "examples" / "gemm.mlir"


def test_a_module_is_what_the_command_makes_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    result = raise_module(_GEMM.read_text(), filename=str(_GEMM))
    assert main(["opt", "--raise-affine-to-linalg", str(_GEMM)]) == 0
    assert capsys.readouterr().out == result.text
    assert dict(result.counts)["raise-affine-to-linalg"]["nests replaced"] == 1
    assert [d.code for d in result.diagnostics] == ["TL592"]
    assert result.diagnostics[0].location is not None
    assert result.diagnostics[0].location.file == str(_GEMM)


def test_a_pipeline_is_spelled_as_for_the_command() -> None:
    text = raise_module(_GEMM.read_text(), "builtin.module(func.func(raise-affine-to-linalg),cse)").text
    assert "linalg.generic" in text


@pytest.mark.parametrize(
    ("text", "pipeline", "code"),
    [("func.func @f(", "cse", "TL190"), ("module {}", "no-such-pass", "TL59"), ("module {}", "cse(", "TL59")],
)
def test_what_is_wrong_is_refused(text: str, pipeline: str, code: str) -> None:
    with pytest.raises(LiftError) as refusal:
        raise_module(text, pipeline)
    assert refusal.value.diagnostics[0].code.startswith(code)
