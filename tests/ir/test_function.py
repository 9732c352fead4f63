"""A function's view gives back what docs/loop-ir.md lets a front end write."""

from __future__ import annotations

import pytest
from tests.ir.programs import GEMM, function

from tensorlift.diagnostics import LiftError, Location
from tensorlift.ir.function import FunctionView, dtype_of
from tensorlift.ir.linear import Linear


def test_parameters_have_roles_types_extents_and_strides() -> None:
    view = FunctionView(function(GEMM, "gemm.mlir"))
    assert view.name == "gemm"
    assert view.source == "gemm.c"
    assert [(p.name, p.role, p.dtype) for p in view.parameters] == [
        ("M", "size", "i32"),
        ("N", "size", "i32"),
        ("K", "size", "u64"),
        ("alpha", "scalar", "f64"),
        ("lda", "size", "i32"),
        ("A", "array", "f64"),
        ("B", "array", "f64"),
        ("C", "array", "f64"),
    ]
    a, b = view.parameters[5:7]
    assert a.extents == (Linear.size("M"), Linear.size("K"))
    assert a.strides == ("lda", "1")
    assert b.strides is None
    assert a.c_type == "double *"


def test_effects_are_seen_from_the_body() -> None:
    view = FunctionView(function(GEMM))
    assert view.written == ("C",)
    assert view.read == ("A", "B", "C")
    assert view.result_dtype is None


def test_requirements_carry_their_set_and_place() -> None:
    (requirement,) = FunctionView(function(GEMM)).requires
    assert (requirement.kind, requirement.text) == ("stride", "K <= lda")
    assert requirement.location == Location("gemm.c", 3, 7)
    assert requirement.choices
    assert requirement.sizes == ("M", "N", "K", "lda")


def test_a_function_without_marks_is_read_from_its_types() -> None:
    view = FunctionView(function("func.func @f(%n: index, %x: memref<3x4xi16>, %s: i8, %y: memref<?xf32>) { return }"))
    n, x, s, y = view.parameters
    assert (n.name, n.dtype) == ("n", "i64")
    assert (x.dtype, x.extents) == ("i16", (Linear((), 3), Linear((), 4)))
    assert (s.role, s.dtype) == ("scalar", "i8")
    assert y.extents is None
    assert view.requires == ()


@pytest.mark.parametrize(
    ("marks", "dtype"),
    [
        ("tl.unsigned", "u8"),
        ('tl.c_type = "_Bool *"', "bool"),
        ('tl.c_type = "const _Bool (*)[n]"', "bool"),
        ('tl.c_type = "char *"', "i8"),
    ],
)
def test_elements_of_eight_bits_have_three_readings(marks: str, dtype: str) -> None:
    view = FunctionView(function(f"func.func @f(%x: memref<3xi8> {{{marks}}}) {{ return }}"))
    assert view.parameters[0].dtype == dtype


def test_unsigned_results_are_marked_on_the_function() -> None:
    text = "func.func @f(%x: i32) -> i32 attributes {tl.result_unsigned} { return %x : i32 }"
    assert FunctionView(function(text)).result_dtype == "u32"


def test_floats_of_8_bits_are_refused() -> None:
    op = function("func.func @f(%x: f8E5M2) { return }")
    with pytest.raises(LiftError, match="TL193: values of type f8E5M2"):
        dtype_of(op.regions[0].block.args[0].type)
