"""Loop programs that several tests of the loop IR share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.ir.text import functions, parse_module

if TYPE_CHECKING:
    from xdsl.ir import Operation

GEMM = """
func.func @gemm(%M: index {tl.name = "M", tl.c_type = "int"}, %N: index {tl.name = "N", tl.c_type = "int"},
    %K: index {tl.name = "K", tl.c_type = "unsigned long"}, %alpha: f64 {tl.name = "alpha", tl.c_type = "double"},
    %lda: index {tl.name = "lda", tl.c_type = "int"},
    %A: memref<?x?xf64> {tl.name = "A", tl.c_type = "double *", tl.strides = ["lda", "1"],
                         tl.shape = affine_map<()[m, n, k, l] -> (m, k)>},
    %B: memref<?x?xf64> {tl.name = "B", tl.c_type = "double *", tl.shape = affine_map<()[m, n, k, l] -> (k, n)>},
    %C: memref<?x?xf64> {tl.name = "C", tl.c_type = "double *", tl.shape = affine_map<()[m, n, k, l] -> (m, n)>})
    attributes {tl.source = "gemm.c", tl.requires = [{kind = "stride", text = "K <= lda", loc = "gemm.c:3:7",
                set = affine_set<()[m, n, k, l] : (l - k >= 0)>}]} {
  affine.for %i = 0 to %M {
    affine.for %j = 0 to %N {
      affine.for %k = 0 to %K {
        %a = affine.load %A[%i, %k] : memref<?x?xf64>
        %b = affine.load %B[%k, %j] : memref<?x?xf64>
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %p = arith.mulf %a, %b : f64
        %q = arith.mulf %alpha, %p : f64
        %s = arith.addf %c, %q : f64
        affine.store %s, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
"""


def function(text: str, filename: str = "test.mlir") -> Operation:
    """Read a module and give its first function."""
    return functions(parse_module(text, filename))[0]
