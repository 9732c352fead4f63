"""What a proof does not know of is not relied on: views of one memory, indices of loops around, freed memory."""

from __future__ import annotations

import pytest

from tensorlift.raising.pipeline import run_passes
from tensorlift.raising.pipeline_text import parse_passes


def said(text: str, pipeline: str = "raise-affine-to-linalg") -> list[str]:
    """List what passes say of a module."""
    return [d.message for d in run_passes(text, "in.mlir", parse_passes(pipeline), guards=False).diagnostics]


_COPY = """affine.for %j = 0 to 8 {
  %v = affine.load FROM[%j] : memref<8xf64>
  affine.store %v, TO[%j] : memref<8xf64>
}"""


def test_two_views_of_one_memory_are_not_taken_for_two_arrays() -> None:
    nest = _COPY.replace("FROM", "%A").replace("TO", "%B")
    made = "%B = func.call @same(%A) : (memref<8xf64>) -> memref<8xf64>"
    text = (
        "func.func private @same(memref<8xf64>) -> memref<8xf64>\n"
        f"func.func @f(%A: memref<8xf64>) {{\n{made}\n{nest}\nreturn\n}}"
    )
    assert said(text) == ["the nest stays as it is: two of its arrays are views of one"]


@pytest.mark.parametrize(
    "index",
    [
        "%k = arith.muli %t, %t : index",
        "%n = arith.index_cast %t : index to i32\n%k = arith.index_cast %n : i32 to index",
    ],
)
def test_an_index_that_is_computed_around_may_be_zero(index: str) -> None:
    nest = """affine.for %j = 0 to 8 {
      %z = arith.constant 1.0 : f64
      memref.store %z, %A[%k, %j] : memref<9x8xf64>
    }"""
    text = (
        "func.func private @step(index)\nfunc.func @f(%A: memref<9x8xf64>) {\naffine.for %t = 0 to 4 {\n"
        f"func.call @step(%t) : (index) -> ()\n{index}\n{nest}\n}}\nreturn\n}}"
    )
    assert said(text) == ["the nest becomes linalg.fill"]  # also in the first row


def test_extents_that_may_be_negative_are_tested_in_their_place() -> None:
    text = """func.func @f(%A: memref<16x16xf64>) {
  %two = arith.constant 2.0 : f64
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to affine_map<(d0) -> (d0 - 2)>(%i) {
      affine.store %two, %A[%i, %j] : memref<16x16xf64>
    }
  }
  return
}"""
    made = run_passes(text, "in.mlir", parse_passes("raise-affine-to-linalg"))
    assert [d.message for d in made.diagnostics] == ["the nest becomes linalg.fill, where arg0 >= 3"]
    assert "scf.if" in made.text
    assert "linalg.fill" in made.text.partition("else")[0]
    assert "affine.for %j" in made.text.partition("else")[2]


def test_numbers_that_the_function_loads_are_tested_in_their_place() -> None:
    text = """func.func @f(%N: memref<i32>, %A: memref<?xf64>) {
  %two = arith.constant 2.0 : f64
  %n = memref.load %N[] : memref<i32>
  %end = arith.index_cast %n : i32 to index
  affine.for %i = 0 to %end {
    affine.store %two, %A[%i] : memref<?xf64>
  }
  return
}"""
    assert said(text) == ["the nest becomes linalg.fill, where end >= 1"]


def test_an_index_that_is_data_may_be_negative() -> None:
    text = """func.func @f(%A: memref<8xf64>, %k: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1.0 : f64
  %two = arith.constant 2.0 : f64
  affine.for %i = 0 to 8 {
    %is = arith.cmpi slt, %k, %zero : index
    %v = arith.select %is, %one, %two : f64
    affine.store %v, %A[%i] : memref<8xf64>
  }
  return
}"""
    made = run_passes(text, "in.mlir", parse_passes("raise-affine-to-linalg"))
    assert "arith.cmpi slt" in made.text
    assert [d.message for d in made.diagnostics] == ["the nest becomes linalg.fill"]


def test_a_matrix_that_is_freed_before_the_last_product_is_no_chain() -> None:
    text = """func.func @f(%A: memref<50x3xf64>, %C: memref<4x2xf64>, %D: memref<50x2xf64>) {
      %zero = arith.constant 0.0 : f64
      %B = memref.alloc() : memref<3x4xf64>
      linalg.fill ins(%zero : f64) outs(%B : memref<3x4xf64>)
      %T = memref.alloc() : memref<50x4xf64>
      linalg.fill ins(%zero : f64) outs(%T : memref<50x4xf64>)
      linalg.matmul ins(%A, %B : memref<50x3xf64>, memref<3x4xf64>) outs(%T : memref<50x4xf64>)
      memref.dealloc %B : memref<3x4xf64>
      linalg.matmul ins(%T, %C : memref<50x4xf64>, memref<4x2xf64>) outs(%D : memref<50x2xf64>)
      return
    }"""
    assert said(text, "reorder-matmul-chain") == []


_GIVEN = "scf.yield %x : memref<8xf64>"


@pytest.mark.parametrize(
    "made",
    [
        "%y = func.call @fetch() : () -> memref<8xf64>",
        "memref.store %x, %p[] : memref<memref<8xf64>>\n%y = memref.load %p[] : memref<memref<8xf64>>",
        f"%y = scf.if %c -> (memref<8xf64>) {{\n{_GIVEN}\n}} else {{\n{_GIVEN}\n}}",
    ],
)
def test_new_memory_may_be_what_a_call_or_a_load_gives(made: str) -> None:
    nest = """affine.for %i = 1 to 8 {
      %v = affine.load %x[%i - 1] : memref<8xf64>
      affine.store %v, %y[%i] : memref<8xf64>
    }"""
    text = (
        "func.func private @stash(memref<8xf64>)\nfunc.func private @fetch() -> memref<8xf64>\n"
        "func.func @f(%p: memref<memref<8xf64>>, %c: i1) {\n%x = memref.alloc() : memref<8xf64>\n"
        f"func.call @stash(%x) : (memref<8xf64>) -> ()\n{made}\n{nest}\nreturn\n}}"
    )
    (message,) = said(text)
    assert message.startswith("the nest stays as it is: it needs that y shares no memory with x")


@pytest.mark.parametrize(
    ("condition", "tested"),
    [
        ("%q = arith.cmpi slt, %i, %n : index", []),
        ("%q = arith.cmpf olt, %s, %s : f64", ["x.shape[0] >= n"]),
        ("%q = arith.ori %p, %p : i1", ["x.shape[0] >= n"]),
        (
            "%a = arith.cmpi slt, %i, %n : index\n%b = arith.cmpf olt, %s, %s : f64\n%q = arith.andi %a, %b : i1",
            ["x.shape[0] >= n"],
        ),
    ],
)
def test_an_access_that_may_not_run_tells_no_extent(condition: str, tested: list[str]) -> None:
    text = f"""func.func @f(%x: memref<?xf64>, %n: index, %k: index, %p: i1, %s: f64) {{
      affine.for %i = 0 to %n {{
        {condition}
        scf.if %q {{
          memref.store %s, %x[%i] : memref<?xf64>
        }}
      }}
      return
    }}"""
    (note,) = said(text)
    assert [part for part in note.replace(" [TL592]", "").split("; ") if "shape" in part] == tested


def test_a_bound_with_a_quotient_is_not_tested_in_its_place() -> None:
    (note,) = said("""func.func @f(%m: index, %a: memref<?x?xf64>, %b: memref<?x?xf64>) {
      affine.for %i = 0 to %m {
        affine.for %j = 0 to %m {
          affine.for %k = affine_map<(d0) -> (d0 + 1)>(%i)
              to affine_map<(d0)[s0] -> (d0 + ((-d0 + s0 - 1) floordiv 2) * 2 + 1)>(%i)[%m] step 2 {
            %0 = affine.load %a[%k, %i] : memref<?x?xf64>
            %1 = affine.load %b[%k, %j] : memref<?x?xf64>
            %2 = arith.mulf %0, %1 : f64
            %3 = affine.load %b[%i, %j] : memref<?x?xf64>
            %4 = arith.addf %3, %2 : f64
            affine.store %4, %b[%i, %j] : memref<?x?xf64>
            %5 = affine.load %a[%k + 1, %i] : memref<?x?xf64>
            %6 = affine.load %b[%k + 1, %j] : memref<?x?xf64>
            %7 = arith.mulf %5, %6 : f64
            %8 = affine.load %b[%i, %j] : memref<?x?xf64>
            %9 = arith.addf %8, %7 : f64
            affine.store %9, %b[%i, %j] : memref<?x?xf64>
          }
        }
      }
      return
    }""")
    assert "is not known where the function starts" in note
    assert "// 2) >= 0" in note
