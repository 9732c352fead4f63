"""Compile reference kernels with the system's C compiler and call them on NumPy data."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.kernels.catalogue import ROOT, Kernel, Parameter, kernels
from bench.kernels.sample import DTYPES, Inputs

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

STRICT = ("-std=c99", "-Wall", "-Wextra", "-Werror")

_C_TYPES: dict[str, Any] = {"i32": ctypes.c_int, "f32": ctypes.c_float, "f64": ctypes.c_double}


def compiler() -> str | None:
    """Find a C compiler on the search path."""
    return shutil.which("cc")


def build(suite: str, folder: Path, flags: tuple[str, ...] = ()) -> ctypes.CDLL:
    """Compile all kernels of a suite, warnings as errors, into one shared library in ``folder``."""
    sources = [str(kernel.path) for kernel in kernels() if kernel.suite == suite]
    library = folder / f"{suite}.so"
    command = [compiler() or "cc", *STRICT, *flags, "-O1", "-shared", "-fPIC", "-o", str(library), *sources, "-lm"]
    subprocess.run(command, check=True, cwd=ROOT)
    return ctypes.CDLL(str(library))


def call(library: ctypes.CDLL, kernel: Kernel, inputs: Inputs) -> Inputs:
    """Run a kernel on copies of ``inputs``; return the written arrays by name, and ``return``.

    Matrices with a leading dimension lie in a padded buffer; ``AssertionError`` if the kernel touches its padding.
    """
    buffers = {p.name: _stored(p, inputs) for p in kernel.parameters if p.role == "array"}
    function = library[kernel.function]
    function.restype = _C_TYPES[kernel.result] if kernel.result else None
    arguments = {p.name: _argument(p, inputs, buffers) for p in kernel.parameters}
    result = function(*_passed(kernel, arguments))
    outputs: Inputs = {"return": result} if kernel.result else {}
    for parameter in kernel.parameters:
        if parameter.role == "array":
            outputs[parameter.name] = _logical(parameter, inputs, buffers[parameter.name])
    return outputs


def _passed(kernel: Kernel, arguments: dict[str, Any]) -> list[Any]:
    """Put the members of each structure together, in the place of the first."""
    passed: dict[str, Any] = {}
    for parameter in kernel.parameters:
        if not parameter.structure:
            passed[parameter.name] = arguments[parameter.name]
        elif parameter.structure not in passed:
            members = [arguments[p.name] for p in kernel.parameters if p.structure == parameter.structure]
            fields = [(f"member{position}", type(member)) for position, member in enumerate(members)]
            passed[parameter.structure] = type("Record", (ctypes.Structure,), {"_fields_": fields})(*members)
    return list(passed.values())


def _row_table(array: NDArray[Any]) -> Any:
    """Make a table of pointers to the rows of a matrix."""
    rows = [ctypes.c_void_p(array[row].ctypes.data) for row in range(array.shape[0])]
    table = (ctypes.c_void_p * len(rows))(*rows)
    pointer = ctypes.c_void_p(ctypes.addressof(table))
    pointer.keep = table  # type: ignore[attr-defined] # the table must live as long as the pointer
    return pointer


def _stored(parameter: Parameter, inputs: Inputs) -> NDArray[Any]:
    array = np.array(inputs[parameter.name], DTYPES[parameter.dtype], order="C")
    if not parameter.leading:
        return array
    padded = np.full((array.shape[0], inputs[parameter.leading]), 77, array.dtype)
    padded[:, : array.shape[1]] = array
    return padded


def _logical(parameter: Parameter, inputs: Inputs, stored: NDArray[Any]) -> NDArray[Any]:
    if not parameter.leading:
        return stored
    columns = inputs[parameter.name].shape[1]
    assert (stored[:, columns:] == 77).all(), f"padding of {parameter.name} was written"  # noqa: PLR2004 - as above
    return stored[:, :columns]


def _argument(parameter: Parameter, inputs: Inputs, buffers: dict[str, NDArray[Any]]) -> Any:
    if parameter.rows:
        return _row_table(buffers[parameter.name])
    if parameter.role == "array":
        return ctypes.c_void_p(buffers[parameter.name].ctypes.data)
    return _C_TYPES[parameter.dtype](inputs[parameter.name])
