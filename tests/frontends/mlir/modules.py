"""What the tests of the MLIR front end share: reading one function, and forgetting what a module says about itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorlift.ir.function import FunctionView, functions
from tensorlift.languages.mlir import read_mlir

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from tensorlift.frontends.read_function import ReadFunction


def read(text: str, *, generalise: bool | None = False) -> ReadFunction:
    """Read the only public function of a module."""
    (function,) = read_mlir(text, "k.mlir", generalise=generalise)
    return function


def module(text: str, *, generalise: bool | None = False) -> ModuleOp:
    """Read the only public function, which must not be refused."""
    function = read(text, generalise=generalise)
    assert function.module is not None, function.diagnostics
    return function.module


def view(text: str, *, generalise: bool | None = False) -> FunctionView:
    """Look at the only public function of a module."""
    return FunctionView(functions(module(text, generalise=generalise))[0])


def forget(of_module: ModuleOp) -> None:
    """Remove every attribute with which a front end describes parameters, shapes and preconditions."""
    for op in of_module.walk():
        for key in [key for key in op.attributes if key.startswith("tl.")]:
            del op.attributes[key]
        op.properties.pop("arg_attrs", None)


def operations(of_module: ModuleOp) -> list[str]:
    """List the names of the operations in a function, in order."""
    found: list[Any] = list(of_module.walk())
    return [op.name for op in found][2:]
