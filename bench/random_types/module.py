"""Compiles many random MLIR functions by upstream's tools, as its `mlir-runner` does, and calls them.

No arithmetic is loosened.  Inputs on which the interpreter of the text as it is written finds no meaning are left out.
"""

from __future__ import annotations

import ctypes
import re
import subprocess
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorlift.ir.interpreter import Interpreter, InterpreterError
from tensorlift.ir.text import functions, parse_module
from tensorlift.runtime.mlir.program import Jit, memref_kind, passed
from tensorlift.runtime.mlir.tools import needed_tools

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bench.random_types.types import Parameter, Program

    Array = np.ndarray[Any, np.dtype[Any]]
    Arguments = Mapping[str, Any]
    Results = Mapping[str, Any] | None

_HEADER = re.compile(r"^(func\.func .*) \{$", re.MULTILINE)
_PASSES = ("lower-affine", "arith-expand", "convert-scf-to-cf", "convert-to-llvm", "reconcile-unrealized-casts")
_LOWERING = f"builtin.module({','.join(_PASSES)})"


def _run(command: list[str], text: str) -> str:
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def _mlir(dtype: str) -> str:
    return "i1" if dtype == "bool" else dtype


def _type(parameter: Parameter) -> str:
    of = "index" if parameter.is_size else _mlir(parameter.dtype)
    return f"memref<?x{of}>" if parameter.shape else of


class Module:
    """Random MLIR functions that upstream's compiler compiled together."""

    def __init__(self, programs: Sequence[Program]) -> None:
        """Compile."""
        tools = needed_tools()
        text = "".join(program.text for program in programs)
        text = _HEADER.sub(r"\1 attributes {llvm.emit_c_interface} {", text)
        lowered = _run([str(tools.opt), f"--pass-pipeline={_LOWERING}"], text)
        self._jit = Jit(tools.llvm, _run([str(tools.translate), "--mlir-to-llvmir"], lowered))

    def call(self, program: Program, given: Sequence[Arguments]) -> list[Results]:
        """Call a function for each case; None where the interpreter of what is written finds no meaning."""
        written = Interpreter(functions(parse_module(program.text, "written.mlir"))[0])
        return [self._called(program, case) if _is_defined(written, case) else None for case in given]

    def _called(self, program: Program, case: Arguments) -> Results:
        arguments = {name: np.array(value) if np.ndim(value) else value for name, value in case.items()}
        kept: list[Array] = []
        values = [passed(memref_kind(_type(one)), arguments[one.name], kept) for one in program.parameters]
        takes = [
            ctypes.POINTER(memref_kind(_type(one)).form) if one.shape else memref_kind(_type(one)).form
            for one in program.parameters
        ]
        result = memref_kind(_mlir(program.result)) if program.result else None
        form = None if result is None else result.form
        value = ctypes.CFUNCTYPE(form, *takes)(self._jit.address(f"_mlir_ciface_{program.entry}"))(*values)
        after = {one.name: arguments[one.name] for one in program.parameters if one.shape}
        return {**after, **({"": np.asarray(result.number(value))} if result is not None else {})}


def _is_defined(written: Interpreter, case: Arguments) -> bool:
    names = [parameter.name for parameter in written.view.parameters]
    arguments = {
        name: np.array(value) if np.ndim(value) else value for name, value in zip(names, case.values(), strict=True)
    }
    try:
        written(arguments)
    except (InterpreterError, ValueError):
        return False
    return True
