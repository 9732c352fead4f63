"""The passes of xDSL keep what a module computes, in numbers of one bit as well."""

from __future__ import annotations

from tests.ir import one_bit
from tests.ir.programs import function

from tensorlift.ir.interpreter import interpret
from tensorlift.raising.pipeline import run_passes
from tensorlift.raising.pipeline_text import parse_passes


def test_what_is_simplified_computes_the_same() -> None:
    text = one_bit.main()
    result = run_passes(text, "in.mlir", parse_passes("func.func(canonicalize,cse)"))
    assert interpret(function(result.text), {}).value == interpret(function(text), {}).value
    assert all(counts["operations removed"] > 0 for _, counts in result.counts)
