"""What the MLIR front end makes of a module: parameters, shapes, preconditions, operations."""

from __future__ import annotations

import numpy as np
import pytest
from tests.frontends.mlir.modules import module, operations, read, view

from tensorlift.diagnostics import Severity
from tensorlift.ir.function import FunctionView, functions
from tensorlift.ir.interpreter import Interpreter
from tensorlift.ir.memory import NUMPY_TYPES
from tensorlift.ir.text import print_module
from tensorlift.languages.mlir import read_mlir

LOOP = """func.func @f(%A: memref<?xf64>, %k: i32, %x: f64) {
  %n = arith.index_cast %k : i32 to index
  affine.for %i = 0 to %n {
    affine.store %x, %A[%i] : memref<?xf64>
  }
  return
}
"""


def _extents(text: str, *, generalise: bool | None = False) -> dict[str, list[str]]:
    found = view(text, generalise=generalise).parameters
    return {p.name: [str(extent) for extent in p.extents] for p in found if p.extents is not None}


def test_an_integer_that_bounds_a_loop_is_a_size() -> None:
    parameters = view(LOOP).parameters
    assert [(p.name, p.role, p.dtype, p.c_type) for p in parameters] == [
        ("A", "array", "f64", "double *"),
        ("k", "size", "i32", "int"),
        ("x", "scalar", "f64", "double"),
        ("A_d0", "size", "i64", "long"),
    ]
    assert _extents(LOOP) == {"A": ["A_d0"]}


def test_an_integer_that_no_index_needs_stays_a_number() -> None:
    text = "func.func @f(%k: i32) -> i32 {\n  %s = arith.addi %k, %k : i32\n  return %s : i32\n}\n"
    assert [(p.name, p.role) for p in view(text).parameters] == [("k", "scalar")]
    assert operations(module(text)) == ["arith.addi", "func.return"]


def test_an_integer_that_is_only_divided_for_an_index_is_a_size() -> None:
    text = LOOP.replace(
        "%n = arith.index_cast %k",
        "%c2 = arith.constant 2 : i32\n  %h = arith.divsi %k, %c2 : i32\n  %n = arith.index_cast %h",
    )
    assert [(p.name, p.role) for p in view(text).parameters if p.name == "k"] == [("k", "size")]


def test_unnamed_arguments_are_counted() -> None:
    text = "func.func @f(%0: f64, %1: f64) -> f64 {\n  return %1 : f64\n}\n"
    assert [p.name for p in view(text).parameters] == ["arg0", "arg1"]


def test_names_stay_apart() -> None:
    """The parser cuts numbers off the ends of names."""
    text = "func.func @f(%y_1: f64, %y_2: f64, %y: f64) -> f64 {\n  return %y : f64\n}\n"
    names = [p.name for p in view(text).parameters]
    assert len(set(names)) == 3


def test_two_arguments_of_one_stem_are_two_arrays() -> None:
    text = LOOP.replace("%A: memref<?xf64>", "%A_1: memref<?xf64>, %A_2: memref<?xf64>").replace("%A[", "%A_2[")
    found = view(text)
    assert [p.name for p in found.parameters if p.role == "array"][1:] == list(found.written)


def test_an_extent_that_is_asked_for_is_a_size_read_from_the_shape() -> None:
    text = """func.func @f(%A: memref<?x?xf64>, %x: f64) {
  %c1 = arith.constant 1 : index
  %m = memref.dim %A, %c1 : memref<?x?xf64>
  affine.for %j = 0 to %m {
    affine.store %x, %A[2, %j] : memref<?x?xf64>
  }
  return
}
"""
    assert _extents(text) == {"A": ["A_d0", "A_d1"]}
    assert [p.name for p in view(text).parameters] == ["A", "x", "A_d1", "A_d0"]


def test_an_extent_that_accesses_do_not_fill_is_a_size_of_its_own() -> None:
    text = LOOP.replace("0 to %n", "0 to affine_map<()[s0] -> (s0 - 1)>()[%n]")
    assert _extents(text) == {"A": ["A_d0"]}


def test_the_widest_access_decides_an_extent() -> None:
    text = LOOP.replace("    affine.store", "    affine.store %x, %A[0] : memref<?xf64>\n    affine.store")
    assert [row.text for row in view(text).requires] == ["A_d0 >= 1", "k <= A_d0"]
    (fitted,) = read_mlir(text, "k.mlir", fitted=True)
    assert fitted.module is not None
    assert [row.text for row in FunctionView(functions(fitted.module)[0]).requires] == ["A.shape[0] == k"]


@pytest.mark.parametrize(
    ("flags", "requirements"),
    [("", ["2*k <= 2147483647", "2*k + 2147483648 >= 0", "2*k <= A_d0"]), (" overflow<nsw>", ["2*k <= A_d0"])],
    ids=["wraps", "does not wrap"],
)
def test_machine_arithmetic_in_a_bound_must_not_wrap(flags: str, requirements: list[str]) -> None:
    text = LOOP.replace("%n = ", f"%d = arith.addi %k, %k{flags} : i32\n  %n = ").replace("cast %k", "cast %d")
    assert [row.text for row in view(text).requires] == requirements


def test_index_arithmetic_that_stays_below_a_size_needs_nothing() -> None:
    text = LOOP.replace(
        "    affine.store %x, %A[%i]",
        "    %j = arith.index_cast %i : index to i32\n"
        "    %r = arith.subi %k, %j : i32\n"
        "    %p = arith.index_cast %r : i32 to index\n"
        "    affine.store %x, %A[%p - 1]",
    )
    assert [row.text for row in view(text).requires] == ["k <= A_d0"]
    assert "%A[symbol(%k) - %i - 1]" in print_module(module(text))


def test_an_index_that_becomes_a_narrow_number_is_cut() -> None:
    text = """func.func @f(%A: memref<?xi32>, %n: index) {
  affine.for %i = 0 to %n {
    %v = arith.index_cast %i : index to i32
    affine.store %v, %A[%i] : memref<?xi32>
  }
  return
}
"""
    assert [row.text for row in view(text).requires] == ["n <= A_d0"]
    assert "arith.trunci" in operations(module(text))


def test_loops_of_scf_become_affine() -> None:
    text = """func.func @f(%A: memref<?xf64>, %n: index, %x: f64) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %half = arith.ceildivsi %n, %c2 : index
  scf.for %i = %c0 to %half step %c2 {
    %j = arith.addi %i, %c2 : index
    memref.store %x, %A[%j] : memref<?xf64>
  }
  return
}
"""
    found = module(text)
    assert operations(found) == ["affine.for", "affine.store", "affine.yield", "func.return"]
    assert "affine.for %i = 0 to affine_map<()[s0] -> (((s0 + 1) floordiv 2 + 1) floordiv 2)>()[%n]" in print_module(
        found
    )


def test_carried_values_become_local_scalars() -> None:
    text = """func.func @f(%n: index, %x: f64) -> f64 {
  %s = affine.for %i = 0 to %n iter_args(%a = %x) -> (f64) {
    %b = arith.addf %a, %x : f64
    affine.yield %b : f64
  }
  return %s : f64
}
"""
    assert operations(module(text)) == [
        "memref.alloca",
        "affine.store",
        "affine.for",
        "affine.load",
        "arith.addf",
        "affine.store",
        "affine.yield",
        "affine.load",
        "func.return",
    ]


def test_a_minimum_of_a_minimum_bounds_a_loop() -> None:
    text = LOOP.replace(
        "  affine.for %i = 0 to %n",
        "  %c9 = arith.constant 9 : index\n"
        "  %a = arith.minsi %n, %c9 : index\n  %c7 = arith.constant 7 : index\n"
        "  %b = arith.minsi %c7, %a : index\n  affine.for %i = 0 to %b",
    )
    assert "min affine_map<()[s0] -> (7, s0, 9)>()[%k]" in print_module(module(text))


def test_a_buffer_of_one_element_is_a_scalar() -> None:
    text = """func.func @f(%x: f64) -> f64 {
  %c = memref.alloca() : memref<1x1xf64>
  affine.store %x, %c[0, 0] : memref<1x1xf64>
  %y = affine.load %c[0, 0] : memref<1x1xf64>
  return %y : f64
}
"""
    assert "memref<f64>" in print_module(module(text))


def test_a_function_that_is_called_twice_is_inlined_twice() -> None:
    text = """func.func private @twice(%x: f64) -> f64 {
  %y = arith.addf %x, %x : f64
  return %y : f64
}
func.func @f(%x: f64) -> f64 {
  %y = func.call @twice(%x) : (f64) -> f64
  %z = func.call @twice(%y) : (f64) -> f64
  return %z : f64
}
"""
    assert operations(module(text)) == ["arith.addf", "arith.addf", "func.return"]


def test_private_functions_are_read_where_nothing_else_is_there() -> None:
    text = "func.func private @f(%x: f64) -> f64 {\n  return %x : f64\n}\n"
    assert read(text).module is not None


def test_layouts_with_dynamic_strides_are_required_to_keep_elements_apart() -> None:
    text = LOOP.replace("memref<?xf64>", "memref<?xf64, strided<[?]>>")
    assert [row.text for row in view(text).requires] == ["k <= A_d0", "no two elements of A share memory"]


def test_places_are_those_of_the_text_unless_it_states_others() -> None:
    text = LOOP.replace("memref<?xf64>\n", 'memref<?xf64> loc("g.c":7:3)\n')
    assert [str(f.location) for f in read_mlir(LOOP, "k.mlir")] == ["k.mlir:1:1"]
    printed = print_module(module(text), locations=True)
    assert 'loc("k.mlir":3:3)' in printed
    assert 'loc("g.c":7:3)' in printed


def test_a_parallel_loop_keeps_both_bounds_of_a_minimum() -> None:
    text = """func.func @f(%A: memref<?xf64>, %n: index, %x: f64) {
  %m = affine.min affine_map<(d0) -> (d0, 7)>(%n)
  affine.parallel (%i) = (0) to (%m) {
    affine.store %x, %A[%i] : memref<?xf64>
  }
  return
}
"""
    assert "0 to min affine_map<()[s0] -> (s0, 7)>()[%n]" in print_module(module(text))


def test_parallel_bounds_are_grouped() -> None:
    text = """func.func @f(%A: memref<?x?xf64>, %n: index, %x: f64) {
  affine.parallel (%i, %j) = (max(1, %n - 9), 0) to (%n, min(%n, 8)) step (1, 2) {
    affine.store %x, %A[%i, %j] : memref<?x?xf64>
  }
  return
}
"""
    printed = print_module(module(text))
    assert "affine.for %i = 1 to %n {" in printed
    assert "affine.for %i_1 = affine_map<()[s0] -> (s0 - 9)>()[%n] to %n {" in printed
    assert "affine.for %j = 0 to min affine_map<()[s0] -> ((s0 + 1) floordiv 2, 4)>()[%n] {" in printed


STATIC = """func.func @f(%A: memref<1000x2xf64>, %B: memref<1000xf64>, %C: memref<1000xf64>, %x: f64) {
  affine.for %i = 0 to 1000 {
    affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
      affine.store %x, %A[%i, 1] : memref<1000x2xf64>
      affine.store %x, %B[%j] : memref<1000xf64>
    }
  }
  affine.store %x, %B[999] : memref<1000xf64>
  affine.store %x, %C[999] : memref<1000xf64>
  return
}
"""


def test_constants_stay_where_it_is_forbidden() -> None:
    assert _extents(STATIC) == {"A": ["1000", "2"], "B": ["1000"], "C": ["1000"]}
    assert read(STATIC).diagnostics == ()


def test_what_a_constant_bound_says_of_a_variable_is_not_kept_of_a_size() -> None:
    """The variable fits 8 bits because of its bound."""
    text = """func.func @f(%A: memref<100xi8>) {
  affine.for %i = 0 to 100 {
    %v = arith.index_cast %i : index to i8
    affine.store %v, %A[%i] : memref<100xi8>
  }
  return
}
"""
    assert _extents(text, generalise=True) == {"A": ["n"]}
    assert "arith.trunci" in operations(module(text, generalise=True))


def test_constants_that_an_index_ties_are_generalised_together() -> None:
    """C has no loop over it, and two columns are no size."""
    for generalise in (None, True):
        assert _extents(STATIC, generalise=generalise) == {"A": ["n", "2"], "B": ["n"], "C": ["1000"]}
    printed = print_module(module(STATIC, generalise=True))
    assert "%B[symbol(%n) - 1]" in printed
    assert "%C[999]" in printed
    (note,) = read(STATIC, generalise=True).diagnostics
    assert (note.code, note.severity) == ("TL199", Severity.NOTE)
    assert note.message == "the constant 1000, an extent of A, B, is generalised to the size n"


OPEN = """func.func @f(%A: memref<?xf64>, %B: memref<?x?xf64>, %m: index, %x: f64) {
  affine.for %i = 0 to 99 {
    affine.store %x, %A[%i + 1] : memref<?xf64>
    affine.for %j = 0 to %m {
      affine.store %x, %B[%i, %j] : memref<?x?xf64>
    }
  }
  affine.store %x, %A[0] : memref<?xf64>
  return
}
"""


def test_bounds_over_open_extents_are_generalised_where_it_is_asked_for() -> None:
    """Unasked, an array may be longer than what the loops run over."""
    assert _extents(OPEN, generalise=None) == {"A": ["A_d0"], "B": ["B_d0", "B_d1"]}
    assert read(OPEN, generalise=None).diagnostics == ()
    assert _extents(OPEN, generalise=True) == {"A": ["n"], "B": ["n - 1", "B_d1"]}


@pytest.mark.parametrize(
    "layout",
    ["d0 * 8 + d1", "d0 floordiv 2, d1, d0 mod 2", "d1, 20 - d0 * 3", "d1 + 3 * d0 + 2 * d0", "d0 ceildiv 5, d1, d0"],
)
def test_layouts_that_keep_elements_apart_do_not_matter(layout: str) -> None:
    of_type = f"memref<4x5xf64, affine_map<(d0, d1) -> ({layout})>>"
    assert _extents(f"func.func @f(%A: {of_type}) {{\n  return\n}}\n") == {"A": ["4", "5"]}


def reduction(kind: str, element: str) -> str:
    return f"""func.func @f(%A: memref<?x?x{element}>, %n: index, %m: index) -> {element} {{
  %r = affine.parallel (%i, %j) = (0, 1) to (%n, %m) reduce ("{kind}") -> ({element}) {{
    %v = affine.load %A[%i, %j] : memref<?x?x{element}>
    affine.yield %v : {element}
  }}
  return %r : {element}
}}
"""


A = np.array([[9, 3, -4, 5], [9, -2, 7, 1]])


@pytest.mark.parametrize(
    ("kind", "element", "expected"),
    [
        ("addf", "f64", 10),
        ("mulf", "f32", 840),
        ("maximumf", "f64", 7),
        ("minimumf", "f32", -4),
        ("addi", "i32", 10),
        ("muli", "i64", 840),
        ("maxs", "i32", 7),
        ("mins", "i8", -4),
        ("andi", "i32", 3 & -4 & 5 & -2 & 7 & 1),
        ("ori", "i32", -1),
        ("xori", "i16", 3 ^ -4 ^ 5 ^ -2 ^ 7 ^ 1),
    ],
)
def test_reductions_of_parallel_loops_become_local_scalars(kind: str, element: str, expected: int) -> None:
    (function,) = functions(module(reduction(kind, element)))
    array = A.astype(NUMPY_TYPES[element])
    assert Interpreter(function)({"A": array, "n": 2, "m": 4, "A_d0": 2, "A_d1": 4}).value == expected


def test_numbers_of_reductions_are_read_where_all_versions_share_them() -> None:
    generic = """"builtin.module"() ({
  "func.func"() <{function_type = (memref<?xf64>, index) -> f64, sym_name = "f"}> ({
  ^bb0(%A: memref<?xf64>, %n: index):
    %r = "affine.parallel"(%n) <{lowerBoundsGroups = dense<1> : tensor<1xi32>, lowerBoundsMap = affine_map<() -> (0)>,
        reductions = [KIND], steps = [1], upperBoundsGroups = dense<1> : tensor<1xi32>,
        upperBoundsMap = affine_map<()[s0] -> (s0)>}> ({
    ^bb0(%i: index):
      %v = "affine.load"(%A, %i) <{map = affine_map<(d0) -> (d0)>}> : (memref<?xf64>, index) -> f64
      "affine.yield"(%v) : (f64) -> ()
    }) : (index) -> f64
    "func.return"(%r) : (f64) -> ()
  }) : () -> ()
}) : () -> ()
"""
    (function,) = functions(module(generic.replace("KIND", "0")))
    assert Interpreter(function)({"A": np.arange(4.0), "n": 4, "A_d0": 4}).value == 6
    (refused,) = read(generic.replace("KIND", "12")).diagnostics
    assert (refused.code, "12" in refused.message) == ("TL195", True)


def test_reductions_of_scf_are_carried() -> None:
    text = """func.func @f(%A: memref<?xi32>, %n: index) -> i32 {
  %z = arith.constant 5 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%z) -> i32 {
    %v = memref.load %A[%i] : memref<?xi32>
    scf.reduce(%v : i32) {
    ^bb0(%a: i32, %b: i32):
      %s = arith.addi %a, %b : i32
      scf.reduce.return %s : i32
    }
  }
  return %r : i32
}
"""
    (function,) = functions(module(text))
    assert Interpreter(function)({"A": np.arange(4, dtype=np.int32), "n": 4, "A_d0": 4}).value == 11
