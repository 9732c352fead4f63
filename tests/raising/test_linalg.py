"""Raising to Linalg: what becomes of nests and is said of them, what stays; wrong replacements are refused."""

from __future__ import annotations

import re

import pytest

from tensorlift.diagnostics import LiftError
from tensorlift.ir.structured import product_space, space_of
from tensorlift.ir.subscripts import ELEMENTWISE, INPUTS, PRODUCTS
from tensorlift.ir.text import functions, parse_module, print_module
from tensorlift.raising.nests import Nest, replace_proved
from tensorlift.raising.pipeline import Result, run_passes
from tensorlift.raising.pipeline_text import parse_passes
from tensorlift.runtime.mlir.tools import checked, find_tools

_TOOLS = find_tools()
_UPSTREAM = pytest.mark.skipif(_TOOLS is None, reason="upstream MLIR's tools are not installed")


def raised(text: str) -> Result:
    """Raise a module to Linalg, and demand that upstream accepts what comes out."""
    result = run_passes(text, "in.mlir", parse_passes("raise-affine-to-linalg"), guards=False)
    if _TOOLS is not None:
        checked(result.text, _TOOLS)
    return result


def said(result: Result) -> str:
    """Join what the passes said."""
    return "\n".join(d.message for d in result.diagnostics)


def nest(body: str, bounds: list[int], arguments: str) -> str:
    """Write a function of one nest; its variables are ``%i0``, ``%i1`` and so on."""
    heads = "".join(f"affine.for %i{k} = 0 to {bound} {{\n" for k, bound in enumerate(bounds))
    return f"func.func @f({arguments}) {{\n{heads}{body}\n{'}' * len(bounds)}\nreturn\n}}\n"


_PRODUCTS = {
    "matvec": ("%A[%i0, %i1]", "%B[%i1]", "%C[%i0]"),
    "vecmat": ("%A[%i1]", "%B[%i1, %i0]", "%C[%i0]"),
    "batch_matmul": ("%A[%i0, %i1, %i3]", "%B[%i0, %i3, %i2]", "%C[%i0, %i1, %i2]"),
    "conv_1d": ("%A[%i0 + %i1]", "%B[%i1]", "%C[%i0]"),
    "conv_2d": ("%A[%i0 + %i2, %i1 + %i3]", "%B[%i2, %i3]", "%C[%i0, %i1]"),
    "conv_2d_nchw_fchw": (
        "%A[%i0, %i4, %i2 + %i5, %i3 + %i6]",
        "%B[%i1, %i4, %i5, %i6]",
        "%C[%i0, %i1, %i2, %i3]",
    ),
    "conv_2d_nhwc_hwcf": (
        "%A[%i0, %i1 + %i4, %i2 + %i5, %i6]",
        "%B[%i4, %i5, %i6, %i3]",
        "%C[%i0, %i1, %i2, %i3]",
    ),
}


def product(operands: tuple[str, str, str]) -> str:
    """Write the nest of a product: the loop over ``%ik`` has ``k + 2`` iterations."""
    found = []
    for operand in operands:
        extents = [sum(int(k) + 1 for k in re.findall(r"%i(\d)", axis)) + 1 for axis in operand[2:].split(",")]
        found.append(f"memref<{''.join(f'{extent}x' for extent in extents)}f64>")
    arguments = ", ".join(f"%{name}: {of_type}" for name, of_type in zip("ABC", found, strict=True))
    loads = [f"%{n} = affine.load {o} : {t}" for n, o, t in zip("abc", operands, found, strict=True)]
    steps = ["%p = arith.mulf %b, %a : f64", "%s = arith.addf %p, %c : f64"]
    store = f"affine.store %s, {operands[2]} : {found[2]}"
    count = max(int(k) for operand in operands for k in re.findall(r"%i(\d)", operand)) + 1
    return nest("\n".join([*loads, *steps, store]), [k + 2 for k in range(count)], arguments)


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("name", _PRODUCTS)
def test_products_get_their_names(name: str) -> None:
    result = raised(product(_PRODUCTS[name]))
    assert f"linalg.{name} ins(%A, %B" in result.text
    assert "affine" not in result.text


def test_a_product_without_a_name_is_generic_and_a_coefficient_is_part_of_it() -> None:
    text = product(("%A[%i2, %i0]", "%B[%i2, %i1]", "%C[%i0, %i1]")).replace("f64>)", "f64>, %alpha: f64)", 1)
    text = text.replace("%s = arith.addf %p", "%q = arith.mulf %alpha, %p : f64\n%s = arith.addf %q")
    result = raised(text)
    assert 'iterator_types = ["parallel", "reduction", "parallel"]} ins(%' in result.text
    assert "arith.mulf %alpha" in result.text
    assert "affine_map<(d0, d1, d2) -> (d1, d0)>" in result.text


@pytest.mark.in_turns(2)
@_UPSTREAM
@pytest.mark.parametrize("name", PRODUCTS)
def test_upstream_reads_products_as_this_package_does(name: str) -> None:
    space = product_space(name)
    types = [f"memref<{'?x' * len(m.results)}f64>" for m in space.maps]
    arguments = ", ".join(f"%x{k}: {of_type}" for k, of_type in enumerate(types))
    op = f"linalg.{name} ins(%x0, %x1 : {types[0]}, {types[1]}) outs(%x2 : {types[2]})"
    assert _TOOLS is not None
    text = f"func.func @f({arguments}) {{ {op} return }}"
    general = checked(text, _TOOLS, "--linalg-generalize-named-ops")
    (found,) = (op for op in parse_module(general, "general.mlir").walk() if op.name == "linalg.generic")
    assert [str(m.data) for m in found.properties["indexing_maps"]] == [str(m) for m in space.maps]  # type: ignore[attr-defined]  # an array
    kinds = [kind.data.value for kind in found.properties["iterator_types"]]  # type: ignore[attr-defined]  # an array
    assert [kind == "reduction" for kind in kinds] == list(space.folded)


@_UPSTREAM
def test_upstream_reads_operations_on_cells_as_this_package_does() -> None:
    wanted: list[tuple[str, int]] = []
    texts: list[str] = []
    for name, names in ELEMENTWISE.items():
        for cell, function in zip(("f32", "i32"), names, strict=True):
            if function:
                kind, count = f"memref<4x?x{cell}>", INPUTS.get(name, 1)
                inputs = ", ".join(f"%x{k}" for k in range(count))
                op = f"linalg.{name} ins({inputs} : {', '.join([kind] * count)}) outs(%y : {kind})"
                given = ", ".join(f"%x{k}: {kind}" for k in range(count))
                texts.append(f"func.func @{name}_{cell}({given}, %y: {kind}) {{ {op} return }}\n")
                wanted.append((function, count))
    assert _TOOLS is not None
    general = checked("".join(texts), _TOOLS, "--linalg-generalize-named-ops")
    found = [op for op in parse_module(general, "general.mlir").walk() if op.name == "linalg.generic"]
    for generic, (function, count) in zip(found, wanted, strict=True):
        block = generic.regions[0].block
        (op,) = [op for op in block.ops if op.name != "linalg.yield"]
        assert (op.name, list(op.operands)) == (function, list(block.args)[:count])
        assert space_of(generic).maps[0].results == space_of(generic).maps[-1].results


def test_products_alone_are_raised_among_loops_that_stay() -> None:
    text = product(("%A[%i0, %i2]", "%B[%i2, %i1]", "%C[%i0, %i1]"))
    other = "%z = arith.constant 2.0 : f64\naffine.store %z, %C[%i, %i] : memref<2x3xf64>\n"
    text = text.replace("return", f"affine.for %i = 0 to 2 {{\n{other}}}\nreturn")
    result = run_passes(text, "in.mlir", parse_passes("raise-affine-to-affine"), guards=False)
    assert "linalg.matmul" in result.text
    assert result.text.count("affine.for") == 1
    assert "its points form no box" in said(result)


def test_transposed_and_plain_copies_get_their_names() -> None:
    body = "%a = affine.load %A[%i1, %i0] : memref<3x2xf32>\naffine.store %a, %B[%i0, %i1] : memref<2x3xf32>"
    result = raised(nest(body, [2, 3], "%A: memref<3x2xf32>, %B: memref<2x3xf32>"))
    assert "linalg.transpose ins(%A : memref<3x2xf32>) outs(%B : memref<2x3xf32>) permutation = [1, 0]" in result.text
    body = "%a = affine.load %A[%i0] : memref<3xi32>\naffine.store %a, %B[%i0] : memref<3xi32>"
    assert "linalg.copy" in raised(nest(body, [3], "%A: memref<3xi32>, %B: memref<3xi32>")).text


def test_positions_conversions_and_choices_stand_in_a_body() -> None:
    body = """%n = arith.index_cast %i0 : index to i32
    %x = arith.sitofp %n : i32 to f64
    %a = affine.load %A[%i0 + 1] : memref<9xf64>
    %less = arith.cmpf olt, %a, %x : f64
    %r = math.sqrt %a : f64
    %y = arith.select %less, %x, %r : f64
    affine.store %y, %B[%i0] : memref<8xf64>"""
    result = raised(nest(body, [8], "%A: memref<9xf64>, %B: memref<8xf64>"))
    assert "linalg.index 0" in result.text
    assert "memref.subview %A[1] [8] [1] : memref<9xf64> to memref<8xf64, strided<[1], offset: 1>>" in result.text


def test_a_cell_that_the_last_iteration_reads_is_given() -> None:
    text = """func.func @f(%A: memref<?x8xi32>, %n: index) -> i32 {
  %z = arith.constant 5 : i32
  %r = affine.for %i = 0 to %n iter_args(%s = %z) -> (i32) {
    %v = affine.load %A[%i, 3] : memref<?x8xi32>
    affine.yield %v : i32
  }
  return %r : i32
}
"""
    result = raised(text)
    assert (
        "memref.subview %A[%0, 3] [1, 1] [1, 1] : memref<?x8xi32> to memref<i32, strided<[], offset: ?>>" in result.text
    )
    assert said(result) == "the nest becomes linalg.copy, where n >= 1"


def test_extremes_are_folded() -> None:
    body = """%a = affine.load %A[%i0, %i1] : memref<4x5xf64>
    %b = affine.load %B[%i0] : memref<4xf64>
    %m = arith.maximumf %a, %b : f64
    affine.store %m, %B[%i0] : memref<4xf64>"""
    result = raised(nest(body, [4, 5], "%A: memref<4x5xf64>, %B: memref<4xf64>"))
    assert "arith.maximumf %out, %in" in result.text


_SOFTMAX = """func.func @softmax(%x: memref<?x8xf32>, %y: memref<?x8xf32>, %n: index) {
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to %n {
    %m = affine.for %j = 0 to 8 iter_args(%s = %least) -> (f32) {
      %v = affine.load %x[%i, %j] : memref<?x8xf32>
      %t = arith.maxnumf %s, %v : f32
      affine.yield %t : f32
    }
    %sum = affine.for %j = 0 to 8 iter_args(%s = %zero) -> (f32) {
      %v = affine.load %x[%i, %j] : memref<?x8xf32>
      %d = arith.subf %v, %m : f32
      %e = math.exp %d : f32
      %t = arith.addf %s, %e : f32
      affine.yield %t : f32
    }
    affine.for %j = 0 to 8 {
      %v = affine.load %x[%i, %j] : memref<?x8xf32>
      %d = arith.subf %v, %m : f32
      %e = math.exp %d : f32
      %q = arith.divf %e, %sum : f32
      affine.store %q, %y[%i, %j] : memref<?x8xf32>
    }
  }
  return
}
"""


def test_folds_of_folds_start_from_what_changes_nothing() -> None:
    text = raised(_SOFTMAX).text
    assert "affine.for" not in text
    assert text.count("linalg.fill") == 2
    assert text.count("linalg.generic") == 3
    assert "arith.constant 0xff800000 : f32" in text


_WHILE = """func.func @sums(%a: memref<6x5xf64>, %b: memref<6xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : i32
  %one = arith.constant 1 : i32
  %first = arith.constant 0 : i32
  %z = arith.constant 0.0 : f64
  %r = scf.while (%i = %first) : (i32) -> i32 {
    %in = arith.cmpi slt, %i, %c6 : i32
    scf.condition(%in) %i : i32
  } do {
  ^bb0(%i: i32):
    %at = arith.index_cast %i : i32 to index
    %s:2 = scf.while (%j = %c0, %t = %z) : (index, f64) -> (index, f64) {
      %in = arith.cmpi slt, %j, %c5 : index
      scf.condition(%in) %j, %t : index, f64
    } do {
    ^bb0(%j: index, %t: f64):
      %v = memref.load %a[%at, %j] : memref<6x5xf64>
      %u = arith.addf %t, %v : f64
      %k = arith.addi %j, %c1 : index
      scf.yield %k, %u : index, f64
    }
    memref.store %s#1, %b[%at] : memref<6xf64>
    %next = arith.addi %i, %one : i32
    scf.yield %next : i32
  }
  return
}
func.func @halve(%x: memref<f64>, %e: f64) {
  %h = arith.constant 0.5 : f64
  scf.while : () -> () {
    %v = memref.load %x[] : memref<f64>
    %in = arith.cmpf ogt, %v, %e : f64
    scf.condition(%in)
  } do {
    %v = memref.load %x[] : memref<f64>
    %u = arith.mulf %v, %h : f64
    memref.store %u, %x[] : memref<f64>
    scf.yield
  }
  return
}
"""


def test_while_loops_that_count_are_raised_and_others_stay() -> None:
    result = raised(_WHILE)
    assert "scf.while" not in result.text.partition("@halve")[0]
    assert "linalg.generic" in result.text
    assert "the loop stays: data say how long it runs" in said(result)


_POOL = """%a = affine.load %A[%i0 * 2 + %i1] : memref<8xf32>
%b = affine.load %B[%i0] : memref<4xf32>
%m = arith.maximumf %a, %b : f32
affine.store %m, %B[%i0] : memref<4xf32>"""


def test_a_window_that_no_array_tells_gets_one_that_is_not_read() -> None:
    text = raised(nest(_POOL, [4, 2], "%A: memref<8xf32>, %B: memref<4xf32>")).text
    assert "%window = memref.alloc() : memref<2xf32>" in text
    assert "affine_map<(d0, d1) -> (d0 + d1 * 2)>, affine_map<(d0, d1) -> (d0)>" in text
    assert "arith.maximumf %out, %in :" in text


def test_a_border_is_written_box_by_box() -> None:
    body = """affine.if affine_set<(d0, d1) : (d0 - 1 >= 0, -d0 + 4 >= 0, d1 - 1 >= 0, -d1 + 3 >= 0)>(%i0, %i1) {
      %a = affine.load %A[%i0 - 1, %i1 - 1] : memref<4x3xf32>
      affine.store %a, %B[%i0, %i1] : memref<6x5xf32>
    } else {
      %z = arith.constant 0.0 : f32
      affine.store %z, %B[%i0, %i1] : memref<6x5xf32>
    }"""
    text = raised(nest(body, [6, 5], "%A: memref<4x3xf32>, %B: memref<6x5xf32>")).text
    assert "affine.for" not in text
    assert text.count("linalg.fill") == 4
    assert text.count("linalg.copy") == 1


def test_the_place_of_the_greatest_value_is_a_fold_of_a_fold() -> None:
    body = """%v = affine.load %A[%i] : memref<9xf32>
  %is = arith.cmpf ogt, %v, %m : f32
  %t = arith.select %is, %v, %m : f32
  %k = arith.index_cast %i : index to i32
  %q = arith.select %is, %k, %p : i32
  affine.yield %t, %q : f32, i32"""
    text = f"""func.func @f(%A: memref<9xf32>) -> i32 {{
  %zero = arith.constant 0 : i32
  %least = arith.constant 0xFF800000 : f32
  %r:2 = affine.for %i = 0 to 9 iter_args(%m = %least, %p = %zero) -> (f32, i32) {{
  {body}
  }}
  return %r#1 : i32
}}
"""
    assert "affine.for" not in raised(text).text


def test_open_extents_are_parts_and_sizes_are_preconditions() -> None:
    body = "%z = arith.constant 2.0 : f64\naffine.store %z, %A[%i0] : memref<?xf64>"
    result = raised(nest(body, [0], "%A: memref<?xf64>, %n: index").replace("0 to 0", "0 to %n"))
    assert "memref.subview %A[0] [%n] [1] : memref<?xf64> to memref<?xf64, strided<[1]>>" in result.text
    assert said(result) == "the nest becomes linalg.fill, where n >= 1"


def test_memory_that_must_be_apart_is_a_precondition_unless_it_is_allocated_here() -> None:
    text = product(_PRODUCTS["matvec"])
    assert said(raised(text)) == "the nest becomes linalg.matvec, where C shares no memory with A, B"
    local = text.replace(", %C: memref<2xf64>", "").replace("{\n", "{\n%C = memref.alloc() : memref<2xf64>\n", 1)
    assert said(raised(local)) == "the nest becomes linalg.matvec"


_SHIFT = """affine.for %i = 0 to 8 {
  %a = affine.load %A[%i + 1] : memref<9xf64>
  affine.store %a, %A[%i] : memref<9xf64>
}"""


def test_a_version_that_is_still_read_is_copied_before() -> None:
    result = raised(f"func.func @f(%A: memref<9xf64>) {{\n{_SHIFT}\nreturn\n}}")
    assert result.text.index("memref.copy") < result.text.index("linalg.copy")


def test_no_array_is_copied_in_each_iteration_of_a_loop_around() -> None:
    inner = _SHIFT.replace("0 to", "affine_map<(d0) -> (d0)>(%t) to")
    around = f"affine.for %t = 0 to 3 {{\nfunc.call @step(%t) : (index) -> ()\n{inner}\n}}"
    text = f"func.func private @step(index)\nfunc.func @f(%A: memref<9xf64>) {{\n{around}\nreturn\n}}"
    result = raised(text)
    assert said(result) == "the nest stays as it is: A would be copied in each iteration of the loop around"
    assert result.text.split() == text.split()


def test_subscripts_that_rise_and_fall_with_two_loops_stay() -> None:
    body = """%a = affine.load %A[%i0 - %i1 + 7] : memref<15xf64>
%b = affine.load %A[%i0 + %i1] : memref<15xf64>
%c = arith.addf %a, %b : f64
affine.store %c, %B[%i0, %i1] : memref<8x8xf64>"""
    result = raised(nest(body, [8, 8], "%A: memref<15xf64>, %B: memref<8x8xf64>"))
    assert "linalg.generic" in result.text  # row by row
    assert "affine.for %i0" in result.text


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (
            "%a = affine.load %A[%i0] : memref<9xf64>\naffine.store %a, %A[%i0 + 1] : memref<9xf64>",
            "its iterations depend on each other",
        ),
        ("%a = func.call @g() : () -> f64\naffine.store %a, %A[%i0] : memref<9xf64>", "`g` has no body here [TL150]"),
    ],
)
def test_what_is_not_raised_stays_and_is_told_why(body: str, reason: str) -> None:
    text = f"func.func private @g() -> f64\n{nest(body, [8], '%A: memref<9xf64>')}"
    result = raised(text)
    assert reason in said(result)
    assert result.text.split() == text.split()


_WRONG = {
    "operands in another order": "linalg.matmul ins(%B, %A : memref<2x2xf64>, memref<2x2xf64>)"
    " outs(%C : memref<2x2xf64>)",
    "nothing at all": "",
    "twice": "linalg.matmul ins(%A, %B : memref<2x2xf64>, memref<2x2xf64>) outs(%C : memref<2x2xf64>)\n" * 2,
    "other memory": "linalg.matmul ins(%A, %B : memref<2x2xf64>, memref<2x2xf64>) outs(%A : memref<2x2xf64>)",
    "a transposition": "linalg.transpose ins(%A : memref<2x2xf64>) outs(%C : memref<2x2xf64>) permutation = [1, 0]",
}


@pytest.mark.parametrize("wrong", _WRONG)
def test_a_wrong_replacement_is_refused_and_the_module_stays(wrong: str) -> None:
    text = product(("%A[%i0, %i2]", "%B[%i2, %i1]", "%C[%i0, %i1]"))
    module = parse_module(re.sub(r"\d+x\d+x", "2x2x", re.sub(r"to \d", "to 2", text)), "in.mlir")
    before = print_module(module)
    (function,) = functions(module)
    loop = function.regions[0].block.first_op
    assert loop is not None

    def write(nest: Nest) -> tuple[list[str], None]:
        nest.writer.lines += _WRONG[wrong].splitlines()
        return [], None

    with pytest.raises(LiftError, match=r"TL(4\d\d|196)"):
        replace_proved([loop], write)
    assert print_module(module) == before
