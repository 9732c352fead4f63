"""Compile reference kernels with the system's compilers and call them on NumPy data.

A kernel in C++ is compiled together with a C function of the index's parameters, which makes vectors of flat memory.
"""

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

_WARNINGS = ("-Wall", "-Wextra", "-Wno-unknown-pragmas", "-Werror")
STRICT = ("-std=c99", *_WARNINGS)
_STRICT_CPP = ("-std=c++11", *_WARNINGS)

_C_TYPES: dict[str, Any] = {"i32": ctypes.c_int, "f32": ctypes.c_float, "f64": ctypes.c_double}


def compiler() -> str | None:
    """Find a C compiler on the search path."""
    return shutil.which("cc")


def cpp_compiler() -> str | None:
    """Find a C++ compiler on the search path."""
    return shutil.which("c++")


def compiles(kernel: Kernel) -> bool:
    """Whether there is a compiler of the kernel's language."""
    return (cpp_compiler() if kernel.call else compiler()) is not None


def build(suite: str, folder: Path, flags: tuple[str, ...] = ()) -> ctypes.CDLL:
    """Compile all kernels of a suite, warnings as errors, into one shared library in ``folder``."""
    chosen = [kernel for kernel in kernels() if kernel.suite == suite]
    sources = [str(kernel.path) for kernel in chosen if not kernel.call]
    for kernel in chosen:
        if kernel.call:
            source = folder / f"{kernel}.cpp".replace("/", "_")
            source.write_text(f'#include "{kernel.path}"\n{_flat(kernel)}')
            sources.append(str(source))
    library = folder / f"{suite}.so"
    is_cpp = all(kernel.call for kernel in chosen)
    language = [cpp_compiler() or "c++", *_STRICT_CPP] if is_cpp else [compiler() or "cc", *STRICT]
    command = [*language, *flags, "-O1", "-shared", "-fPIC", "-o", str(library), *sources, "-lm"]
    subprocess.run(command, check=True, cwd=ROOT)
    return ctypes.CDLL(str(library))


_SPELLED = {"i32": "int", "f32": "float", "f64": "double"}


def _flat(kernel: Kernel) -> str:
    """Write the C function that calls a kernel on vectors."""
    target, _, call = kernel.call.partition(" = ")
    declared = [f"{_SPELLED[p.dtype]} {'*' * (p.role == 'array')}tl_{p.name}" for p in kernel.parameters]
    sizes = "".join(f" int {p.name} = tl_{p.name}; (void){p.name};" for p in kernel.parameters if p.role == "size")
    lines = [f"  {sizes}"]
    names = call.partition("(")[2].rstrip(")").split(", ")
    for parameter in kernel.parameters:
        if parameter.role == "array" and parameter.name in names:
            lines.append(f"  {_vector(parameter)}")
        elif parameter.role == "array" and parameter.name != target:
            lines.append(f"  (void)tl_{parameter.name};")
    passed = [name if _is_array(kernel, name) else f"tl_{name}" for name in names]
    value = f"{call.partition('(')[0]}({', '.join(passed)})"
    result = _SPELLED.get(kernel.result, "void")
    if target == "return":
        lines.append(f"  return {value};")
    else:
        (out,) = (p for p in kernel.parameters if p.name == target)
        lines.append(f"  auto tl_result = {value};")
        lines.append("  " + _copied(out))
    return f'extern "C" {result} {kernel.function}({", ".join(declared)}) {{\n' + "\n".join(lines) + "\n}\n"


def _is_array(kernel: Kernel, name: str) -> bool:
    return any(p.name == name and p.role == "array" for p in kernel.parameters)


def _vector(parameter: Parameter) -> str:
    """Make a vector, or a vector of rows, of flat memory."""
    element, name = _SPELLED[parameter.dtype], parameter.name
    *outer, width = parameter.shape
    if not outer:
        return f"std::vector<{element}> {name}(tl_{name}, tl_{name} + {width});"
    row = f"std::vector<{element}>(tl_{name} + k * ({width}), tl_{name} + (k + 1) * ({width}))"
    loop = f"for (int k = 0; k < {outer[0]}; k++) {name}.push_back({row});"
    return f"std::vector<std::vector<{element}>> {name}; {loop}"


def _copied(parameter: Parameter) -> str:
    """Copy the vector that a kernel returned to flat memory."""
    name = f"tl_{parameter.name}"
    if len(parameter.shape) == 1:
        return f"for (auto tl_value : tl_result) *{name}++ = tl_value;"
    return f"for (auto &tl_row : tl_result) for (auto tl_value : tl_row) *{name}++ = tl_value;"


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
