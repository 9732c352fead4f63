"""The record states a function's interface as the emitted program has it and as the C memory is laid out."""

from __future__ import annotations

import pytest
from tests.ir.programs import GEMM, function

from tensorlift.contract.interface import Parameter, Role
from tensorlift.interface import (
    describe_outputs,
    describe_parameters,
    describe_test,
    numpy_dtype,
)
from tensorlift.ir.function import FunctionView
from tensorlift.record import Output
from tensorlift.runtime.cases import DifferentialReport, Failure

RETURNING = """
func.func @lambda(%n: index {tl.name = "n", tl.c_type = "int"}, %from: memref<?x4xf32> {tl.name = "from",
    tl.c_type = "float (*)[4]", tl.shape = affine_map<()[n] -> (n, 4)>}) -> i64 {
  %zero = arith.constant 0 : i64
  return %zero : i64
}
"""


@pytest.fixture
def gemm() -> FunctionView:
    return FunctionView(function(GEMM, "gemm.mlir"))


def test_parameters_are_those_of_the_program_with_the_layout_of_the_source(gemm: FunctionView) -> None:
    program = "import numpy as np\n\n\ndef gemm(alpha, lda, A, B):\n    return A\n"
    assert describe_parameters(gemm, program) == (
        Parameter("alpha", Role.SCALAR, "float64"),
        Parameter("lda", Role.SIZE, "int32"),
        Parameter("A", Role.ARRAY, "float64", ("M", "K"), ("lda", "1")),
        Parameter("B", Role.ARRAY, "float64", ("K", "N"), ("N", "1")),
    )


def test_outputs_are_the_written_arrays(gemm: FunctionView) -> None:
    assert describe_outputs(gemm) == (Output("C", "float64", ("M", "N")),)


def test_reserved_names_have_an_underscore_and_the_return_value_comes_last() -> None:
    view = FunctionView(function(RETURNING))
    program = "def lambda_(from_):\n    return 0\n"
    assert describe_parameters(view, program) == (Parameter("from_", Role.ARRAY, "float32", ("n", "4"), ("4", "1")),)
    assert describe_outputs(view) == (Output("return", "int64"),)


def test_a_parameter_that_the_source_does_not_have_is_an_error(gemm: FunctionView) -> None:
    with pytest.raises(KeyError, match="Z"):
        describe_parameters(gemm, "def gemm(Z): ...")


def test_a_test_that_ran_nothing_has_not_passed() -> None:
    assert not describe_test(DifferentialReport("compiled", 0, 0.0, ())).passed
    assert describe_test(DifferentialReport("compiled", 2, 1e-16, ({"n": 1},))).passed


def test_the_first_failure_is_told() -> None:
    failures = (Failure({"n": 3}, "compiled", "a[2] is 1, not 2"), Failure({"n": 4}, "compiled", "x"))
    trial = describe_test(DifferentialReport("compiled", 2, 1.0, (), failures))
    assert (trial.passed, trial.failure) == (False, "n = 3: a[2] is 1, not 2")


def test_element_types_have_numpy_names() -> None:
    assert [numpy_dtype(d) for d in ("bool", "i8", "u16", "f32")] == ["bool", "int8", "uint16", "float32"]
