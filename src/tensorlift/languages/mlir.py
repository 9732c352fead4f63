"""MLIR to the loop IR: by its front end, and of what that refuses by way of literal IR."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.frontends.mlir import reader
from tensorlift.normalise.loop_ir import MLIR, loop_ir
from tensorlift.normalise.signature import mlir_signature
from tensorlift.readers.mlir import literal_module_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation

    from tensorlift.frontends.read_function import ReadFunction


def read_mlir(
    text: str, filename: str, *, function: str | None, generalise: bool | None, fitted: bool
) -> list[ReadFunction]:
    """Read a module as the front end of MLIR does, and say of each function how it is read literally."""
    return reader.read_mlir(
        text,
        filename,
        function=function,
        generalise=generalise,
        fitted=fitted,
        literally=literal_module_of,
        otherwise=_otherwise,
    )


def _otherwise(function: Operation, functions: Mapping[str, Operation], filename: str) -> ModuleOp:
    literal = literal_module_of(function, functions)
    return loop_ir(literal, mlir_signature(function, literal, filename), filename, MLIR)
