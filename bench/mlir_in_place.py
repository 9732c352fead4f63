"""A function of an MLIR module over memrefs, as a Python callable that works in the memory of its NumPy arrays."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import UnitAttr

from tensorlift.ir.text import functions, parse_module, print_module
from tensorlift.runtime.mlir.program import Jit, find_library, memref_kind, passed
from tensorlift.runtime.mlir.tools import IN_PLACE, needed_tools, to_llvm

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.ir import Operation

    from tensorlift.runtime.compare import Array


def find_blas() -> str | None:
    """Find a library with CBLAS, None where there is none."""
    return find_library("openblas")


def load_in_place(text: str, *entries: str) -> list[Callable[..., Any]]:
    """Compile a module, and give some of its functions; arrays must be dense, and are written where it writes them.

    Raises:
        LoweringError: where there are no tools, or they do not take the module.
        CompileError: where LLVM does not.

    """
    tools = needed_tools()
    runners = map(str, tools.libraries.glob("libmlir_c_runner_utils.so"))  # of which copies of views are
    libraries = [name for name in (find_library("m"), find_blas(), *runners) if name is not None]
    module = parse_module(text, "in_place.mlir")
    wanted = {_name(op): op for op in functions(module) if _name(op) in entries}
    for function in wanted.values():
        function.attributes["llvm.emit_c_interface"] = UnitAttr()
    jit = Jit(tools.llvm, to_llvm(print_module(module), tools, IN_PLACE), tuple(libraries))
    return [_callable(wanted[entry], jit.address(f"_mlir_ciface_{entry}"), jit) for entry in entries]


def _callable(function: Operation, address: int, home: Jit) -> Callable[..., Any]:
    kinds = [memref_kind(str(argument.type)) for argument in function.regions[0].blocks[0].args]
    last = next(op for op in function.walk() if op.name == "func.return")
    results = [memref_kind(str(value.type)) for value in last.operands]
    takes = [kind.form if kind.rank is None else ctypes.POINTER(kind.form) for kind in kinds]
    call = ctypes.CFUNCTYPE(results[0].form if results else None, *takes)(address)

    def run(*values: Any, _home: Jit = home) -> Any:  # the machine code lives as long as the function
        kept: list[Array] = []
        value = call(*(passed(kind, value, kept) for kind, value in zip(kinds, values, strict=True)))
        return results[0].number(value) if results else None

    return run


def _name(op: Any) -> str:
    return str(op.properties["sym_name"].data)
