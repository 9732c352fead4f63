"""The MLIR front end: affine, scf and memref code, as compilers print it, to the loop IR."""

from tensorlift.frontends.mlir.reader import read_mlir

__all__ = ["read_mlir"]
