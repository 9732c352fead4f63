"""The interpreter runs loop programs as C means them and finds what no C program may do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.ir.programs import GEMM, function

from tensorlift.diagnostics import Location
from tensorlift.ir.interpreter import Interpreter, InterpreterError, UndefinedError, interpret
from tensorlift.ops.scalar_ops import REALS

VECTOR = 'memref<?xf64> {tl.name = "x", tl.shape = affine_map<()[n] -> (n)>}'


def body(text: str, signature: str = f'%n: index {{tl.name = "n"}}, %x: {VECTOR}', result: str = "") -> Any:
    return function(f"func.func @f({signature}) {result} {{\n{text}\n}}")


def test_gemm_is_matrix_product() -> None:
    rng = np.random.default_rng(0)
    a, b, c = rng.random((4, 5)), rng.random((5, 3)), rng.random((4, 3))
    expected = c + 2.0 * a @ b
    interpret(function(GEMM), {"M": 4, "N": 3, "K": 5, "alpha": 2.0, "lda": 9, "A": a, "B": b, "C": c})
    np.testing.assert_allclose(c, expected)


def test_empty_and_negative_sizes_run_no_iteration() -> None:
    a, b, c = np.ones((2, 0)), np.ones((0, 3)), np.ones((2, 3))
    interpret(function(GEMM), {"M": 2, "N": 3, "K": 0, "alpha": 2.0, "lda": 9, "A": a, "B": b, "C": c})
    assert (c == 1.0).all()


def test_several_bounds_steps_and_sets() -> None:
    """``max``/``min`` bounds, a step of 2 and an affine set select the odd cells of a window but one."""
    program = body("""
      %v = arith.constant 1.0 : f64
      affine.for %i = max affine_map<()[n] -> (1, n - 8)>()[%n] to min affine_map<()[n] -> (n, 9)>()[%n] step 2 {
        affine.if affine_set<(d0)[n] : (d0 - 4 >= 0, n - d0 - 1 >= 0)>(%i)[%n] {
          affine.store %v, %x[%i] : memref<?xf64>
        } else {
          affine.store %v, %x[symbol(%n) - %i] : memref<?xf64>
        }
      }
      return""")
    x = np.zeros(10)
    interpret(program, {"n": 10, "x": x})
    assert np.flatnonzero(x).tolist() == [4, 6, 8]
    x = np.zeros(10)
    interpret(body(_FALLING), {"n": 10, "x": x})
    assert x.tolist() == [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]


_FALLING = """
  affine.for %t = 0 to %n {
    %i = affine.apply affine_map<(d0)[n] -> (n - 1 - d0)>(%t)[%n]
    %v = arith.index_cast %i : index to i64
    %f = arith.sitofp %v : i64 to f64
    affine.store %f, %x[%t] : memref<?xf64>
  }
  return"""


def test_floordiv_mod_and_ceildiv_round_as_the_affine_dialect_says() -> None:
    program = body(
        """%m = affine.apply affine_map<()[n] -> (n - 7)>()[%n]
           %r = affine.apply affine_map<()[m] -> (m floordiv 2 + (m mod 3) * 10 + (m ceildiv 2) * 100)>()[%m]
           %v = arith.index_cast %r : index to i32
           return %v : i32""",
        '%n: index {tl.name = "n"}',
        "-> i32",
    )
    for n in range(15):
        expected = (n - 7) // 2 + (n - 7) % 3 * 10 + -((7 - n) // 2) * 100
        assert interpret(program, {"n": n}).value == np.int32(expected)


def test_carried_values_and_results_of_branches() -> None:
    """The sum of the positive cells, by ``iter_args`` and an ``scf.if`` with a result."""
    program = body(
        """%zero = arith.constant 0.0 : f64
           %sum = affine.for %i = 0 to %n iter_args(%acc = %zero) -> (f64) {
             %v = affine.load %x[%i] : memref<?xf64>
             %positive = arith.cmpf ogt, %v, %zero : f64
             %term = scf.if %positive -> (f64) { scf.yield %v : f64 } else { scf.yield %zero : f64 }
             %next = arith.addf %acc, %term : f64
             affine.yield %next : f64
           }
           return %sum : f64""",
        result="-> f64",
    )
    result = interpret(program, {"n": 4, "x": np.array([1.0, -2.0, 3.5, -1.0])}).value
    assert result == np.float64(4.5)
    assert isinstance(result, np.float64)


def test_scf_for_counts_with_computed_bounds() -> None:
    program = body(
        """%one = arith.constant 1 : index
           %three = arith.constant 3 : index
           %zero = arith.constant 0 : i16
           %sum = scf.for %i = %one to %n step %three iter_args(%acc = %zero) -> (i16) {
             %v = arith.index_cast %i : index to i16
             %next = arith.addi %acc, %v : i16
             scf.yield %next : i16
           }
           return %sum : i16""",
        result="-> i16",
    )
    assert interpret(program, {"n": 11, "x": np.zeros(11)}).value == np.int16(1 + 4 + 7 + 10)


def test_single_precision_rounds_after_each_operation() -> None:
    program = body(
        """%b = arith.constant 0.1 : f32
           %c = arith.mulf %a, %b : f32
           %d = arith.addf %c, %b : f32
           return %d : f32""",
        '%a: f32 {tl.name = "a"}',
        "-> f32",
    )
    a, tenth = np.float32(1 / 3), np.float32(0.1)
    assert interpret(program, {"a": a}).value == a * tenth + tenth
    assert interpret(program, {"a": 1e38}).value == np.float32(1e38) * tenth + tenth


def test_unsigned_arrays_and_results_keep_their_sign() -> None:
    program = function("""
      func.func @f(%x: memref<3xi8> {tl.name = "x", tl.unsigned}) -> i8 attributes {tl.result_unsigned} {
        %v = affine.load %x[0] : memref<3xi8>
        affine.store %v, %x[2] : memref<3xi8>
        return %v : i8
      }""")
    x = np.array([250, 1, 2], np.uint8)
    assert interpret(program, {"x": x}).value == np.uint8(250)
    assert x.tolist() == [250, 1, 250]


def test_booleans_are_zero_and_one() -> None:
    program = function("""
      func.func @f(%x: memref<2xi1> {tl.name = "x"}, %p: memref<2xi8> {tl.name = "p", tl.c_type = "_Bool *"}) -> i32 {
        %v = affine.load %x[1] : memref<2xi1>
        affine.store %v, %x[0] : memref<2xi1>
        %q = affine.load %p[1] : memref<2xi8>
        affine.store %q, %p[0] : memref<2xi8>
        %i = arith.extui %v : i1 to i32
        return %i : i32
      }""")
    x, p = np.array([False, True]), np.array([False, True])
    assert interpret(program, {"x": x, "p": p}).value == np.int32(1)
    assert x.tolist() == p.tolist() == [True, True]


def test_zero_dimensional_arrays_are_cells() -> None:
    program = function("""
      func.func @f(%x: memref<f64> {tl.name = "x"}) {
        %v = affine.load %x[] : memref<f64>
        %w = arith.addf %v, %v : f64
        affine.store %w, %x[] : memref<f64>
        return
      }""")
    x = np.array(1.5)
    interpret(program, {"x": x})
    assert x == 3.0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("%v = affine.load %x[symbol(%n)] : memref<?xf64> ", r"access \[3\] is outside of the extents \[3\]"),
        ("%v = affine.load %x[-1] : memref<?xf64> ", r"access \[-1\] is outside"),
        ("%m = memref.alloca() : memref<f64>\n%v = affine.load %m[] : memref<f64> ", "undefined memory is read"),
        ("%z = arith.constant 0 : i32\n%v = arith.divsi %z, %z : i32 ", "division by zero"),
    ],
)
def test_a_fault_names_its_place(text: str, message: str) -> None:
    program = body(f'{text} loc("k.c":7:9)\nreturn')
    with pytest.raises(InterpreterError, match=rf"k\.c:7:9: .*{message}") as raised:
        interpret(program, {"n": 3, "x": np.zeros(3)})
    assert raised.value.location == Location("k.c", 7, 9)


@pytest.mark.parametrize(("op", "operand"), [("arith.addi", 2**63 - 1), ("arith.muli", 2**62), ("arith.shli", 63)])
def test_integers_of_python_have_no_limit(op: str, operand: int) -> None:
    """Where the caller guarantees that each fits into 64 bits, one that does not is undefined; else it wraps."""
    text = """
      func.func @f(%a: i64 {{tl.name = "a"}}, %b: i64 {{tl.name = "b"}}) -> i64 {attributes} {{
        %v = {op} %a, %b : i64
        return %v : i64
      }}"""
    asked = 'attributes {tl.requires = [{kind = "integers", text = "each fits into 64 bits", loc = "f.py:1:1"}]}'
    arguments = {"a": 2, "b": operand}
    wrapped = interpret(function(text.format(op=op, attributes="")), arguments).value
    assert wrapped is not None
    assert -(2**63) <= int(wrapped) < 2**63
    with pytest.raises(UndefinedError, match="an integer needs more than 64 bits"):
        interpret(function(text.format(op=op, attributes=asked)), arguments)


def test_local_memory_is_fresh_in_each_iteration() -> None:
    program = body("""
      affine.for %i = 0 to %n {
        %m = memref.alloca() : memref<f64>
        affine.if affine_set<(d0) : (d0 == 0)>(%i) {
          %v = affine.load %x[%i] : memref<?xf64>
          affine.store %v, %m[] : memref<f64>
        }
        %w = affine.load %m[] : memref<f64>
      }
      return""")
    interpret(program, {"n": 1, "x": np.zeros(1)})
    with pytest.raises(InterpreterError, match="undefined memory"):
        interpret(program, {"n": 2, "x": np.zeros(2)})


def test_an_operation_without_meaning_is_refused_when_compiled() -> None:
    program = body('%d = "memref.rank"(%x) : (memref<?xf64>) -> index\nreturn')
    with pytest.raises(InterpreterError, match=r"memref\.rank is not part of the loop IR"):
        Interpreter(program)


def test_arguments_of_the_wrong_shape_or_type_are_refused() -> None:
    program = body("return")
    with pytest.raises(ValueError, match=r"x must have shape \(3,\), not \(4,\)"):
        interpret(program, {"n": 3, "x": np.zeros(4)})
    with pytest.raises(ValueError, match="x must be an array of float64"):
        interpret(program, {"n": 3, "x": np.zeros(3, np.float32)})


UNARY = sorted({"absf", "ceil", "floor", "round", "trunc"} | REALS.keys())


@pytest.mark.parametrize("name", UNARY)
def test_elementary_functions_follow_libm(name: str) -> None:
    """Against the C library, signed zeros, infinities and NaN included."""
    ctypes = pytest.importorskip("ctypes")
    compiled = getattr(ctypes.CDLL("libm.so.6"), {"absf": "fabs"}.get(name, name))
    compiled.restype, compiled.argtypes = ctypes.c_double, [ctypes.c_double]
    program = body(f"%r = math.{name} %a : f64\nreturn %r : f64", '%a: f64 {tl.name = "a"}', "-> f64")
    run = Interpreter(program)
    values = [0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.49999999999999994, 710.0, -745.0, np.inf, -np.inf, np.nan]
    for value in values:
        expected, given = compiled(value), run({"a": value}).value
        assert isinstance(given, np.floating)
        np.testing.assert_allclose(float(given), expected, rtol=1e-15)
        if name in {"ceil", "floor", "round", "trunc", "sqrt"}:
            assert np.signbit(given) == np.signbit(expected) or np.isnan(expected)
