"""Reading the loop IR: indices as numbers, unsigned types, and what is refused."""

from __future__ import annotations

import pytest
from tests.summarize.programs import from_mlir, kept, lifted, summary_of

from tensorlift.diagnostics import LiftError

HEAD = """func.func @f(%n: index {tl.name = "n"},
    %a: memref<?xf64> {tl.name = "a", tl.shape = affine_map<()[n] -> (n)>},
    %u: memref<?xi32> {tl.name = "u", tl.unsigned, tl.shape = affine_map<()[n] -> (n)>})"""


def body(text: str, result: str = "") -> str:
    return f"{HEAD} {f'-> {result}' if result else ''} {{ {text} }}"


def test_signs_follow_the_operations() -> None:
    text = """affine.for %i = 0 to %n {
        %x = affine.load %u[%i] : memref<?xi32>
        %k = arith.index_cast %i : index to i32
        %c = arith.constant -7 : i32
        %p = arith.addi %x, %c : i32
        %q = arith.divsi %p, %c : i32
        %r = arith.divui %p, %x : i32
        %less = arith.cmpi ult, %q, %r : i32
        %s = arith.select %less, %q, %r : i32
        %t = arith.shrui %s, %k : i32
        affine.store %t, %u[%i] : memref<?xi32>
      }
      func.return"""
    assert not kept(lifted(from_mlir(body(text)), runs=20).items)


def test_a_value_read_before_a_loop_is_the_old_one_inside() -> None:
    text = """%c0 = arith.constant 0 : index
      %x = affine.load %a[%c0] : memref<?xf64>
      affine.for %i = 0 to %n {
        affine.store %x, %a[%i] : memref<?xf64>
      }
      affine.for %i = 0 to %n {
        %y = affine.load %a[%i] : memref<?xf64>
        %z = arith.addf %x, %y : f64
        affine.store %z, %a[%i] : memref<?xf64>
      }
      func.return"""
    assert not kept(lifted(from_mlir(body(text))).items)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (
            "TL201",
            """affine.for %i = 0 to %n {
                 %x = affine.load %u[%i] : memref<?xi32>
                 %y = math.ctlz %x : i32 loc("f.c":7:3)
               }
               func.return""",
        ),
        (
            "TL202",
            """affine.for %i = 0 to %n {
                 %x = affine.load %u[%i] : memref<?xi32>
                 %k = arith.index_cast %x : i32 to index
                 affine.for %j = %k to %n {} loc("f.c":7:3)
               }
               func.return""",
        ),
        (
            "TL209",
            """affine.for %i = 0 to %n {
                 %x = affine.load %u[%i] : memref<?xi32>
                 %k = arith.index_cast %x : i32 to index
                 %y = memref.load %u[%k] : memref<?xi32> loc("f.c":7:3)
               }
               func.return""",
        ),
    ],
)
def test_what_has_no_meaning_is_refused_with_its_place(code: str, text: str) -> None:
    with pytest.raises(LiftError) as caught:
        summary_of(from_mlir(body(text)))
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == code
    assert str(diagnostic.location) == "f.c:7:3"
    assert diagnostic.remedy
