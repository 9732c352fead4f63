"""Reading an MLIR module: parse it, then lower every function that it defines.

The module is upstream text, in custom or generic syntax, for example what Polygeist prints for C.  A function with an
operation that cannot be read is refused; the others see nothing of it, and mean what they meant.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from tensorlift.diagnostics import LiftError, Location
from tensorlift.frontends.mlir.kernels import as_function, kernel_name, launched_in
from tensorlift.frontends.mlir.refusals import refusal
from tensorlift.frontends.read_function import ReadFunction, read_function
from tensorlift.ir.dialects import kernel_context
from tensorlift.ir.location import location_of
from tensorlift.ir.mixed import Mixed, is_function, name_of, opaque_in, read_mixed, symbol_of
from tensorlift.ir.text import invalid_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation

    from tensorlift.diagnostics import Diagnostic

    Literally = Callable[[Operation, Mapping[str, Operation]], ModuleOp]
    Lower = Callable[[Operation, Mapping[str, Operation]], tuple[ModuleOp, tuple[Diagnostic, ...]]]


_UNREADABLE = {
    "affine.parallel": ("control", "this form of `affine.parallel` is not lifted"),
    "scf.forall": ("control", "this form of `scf.forall` is not lifted"),
    "scf.parallel": ("control", "this form of `scf.parallel` is not lifted"),
    "memref.atomic_rmw": ("operation", "memref.atomic_rmw"),
    "gpu.all_reduce": ("control", "`gpu.all_reduce`: threads hand values to each other"),
    "gpu.barrier": ("control", "`gpu.barrier`: threads wait for each other"),
    "gpu.func": ("control", "this form of `gpu.func` is not lifted"),
    "gpu.launch": ("control", "this form of `gpu.launch` is not lifted"),
    "gpu.launch_func": ("control", "this form of `gpu.launch_func` is not lifted"),
    "gpu.shuffle": ("control", "`gpu.shuffle`: threads hand values to each other"),
    "gpu.subgroup_reduce": ("control", "`gpu.subgroup_reduce`: threads hand values to each other"),
}
_KERNEL = re.compile(r"\"?gpu\.func\b")
_SIZE_LIMIT = 4_000_000


def read_functions(
    text: str, filename: str, lower: Lower, literally: Literally, function: str | None
) -> list[ReadFunction]:
    """Read the functions of a module, or only one: all but private ones that others call.

    ``lower`` makes loop IR of a function, which may call the others, and ``literally`` literal IR.

    Raises ``LiftError`` for what concerns the whole file: text that is no MLIR, no function, too much of it.
    """
    start = Location(filename, 1, 1)
    if len(text) > _SIZE_LIMIT:
        raise refusal("too-large", start, f"the file has more than {_SIZE_LIMIT} characters")
    if not text.strip():
        raise refusal("no-function", start, "the file is empty")
    defined, kernels, unread = _functions(text, filename)
    if function is not None and any(one.name == function for one in unread):
        return [one for one in unread if one.name == function]
    if not defined:
        raise (
            LiftError(*unread[0].diagnostics)
            if unread
            else refusal("no-function", start, "the module defines no function")
        )
    callable_ = defined | kernels
    read = [_read(defined[name], callable_, filename, lower) for name in _chosen(defined, function, start)]
    read = [replace(one, literally=partial(literally, defined[one.name], callable_)) for one in read]
    return sorted([*read, *unread], key=lambda one: one.location.line) if unread and function is None else read


def _functions(text: str, filename: str) -> tuple[dict[str, Operation], dict[str, Operation], list[ReadFunction]]:
    """Give the functions of a module that can be read, and its kernels, by name, and refuse the others."""
    context = kernel_context() if "gpu." in text else None
    mixed = read_mixed(text, filename, places=True, context=context)
    defined: dict[str, Operation] = {}
    kernels: dict[str, Operation] = {}
    unread = []
    for op in _defining(mixed):
        opaque = opaque_in(op)
        error = _told(opaque[0], mixed) if opaque else invalid_in(op, filename)
        if error is not None:
            unread.append(ReadFunction(symbol_of(op, mixed), mixed.location(op), None, error.diagnostics))
        elif op.name == "gpu.func":
            kernels[kernel_name(op)] = op
        else:
            try:
                defined[name_of(op)] = _in_memory(op)
            except LiftError as wrong:
                unread.append(ReadFunction(symbol_of(op, mixed), mixed.location(op), None, wrong.diagnostics))
    called = launched_in(mixed.module)
    for name, op in kernels.items():
        made = as_function(op, taken=defined, is_launched=name in called)
        defined[name_of(made)] = made
    return defined, kernels, unread


def _in_memory(op: Operation) -> Operation:
    """Give a function on memory for one on tensors."""
    from tensorlift.frontends.mlir.tensor_operations import in_memory, is_on_tensors  # noqa: PLC0415 - rare, and slow

    return in_memory(op) if is_on_tensors(op) else op


def _defining(mixed: Mixed) -> Iterator[Operation]:
    """Yield the functions and the kernels of a module."""
    for op in mixed.module.ops:
        if op.name == "gpu.module":
            yield from (inner for inner in op.regions[0].block.ops if _KERNEL.match(mixed.of(inner)))
        elif is_function(op, mixed):
            yield op


def _told(op: Operation, mixed: Mixed) -> LiftError:
    """Say why an operation cannot be read; forms that would be refused anyway are told by name."""
    error = mixed.errors[op]
    for name, (reason, detail) in _UNREADABLE.items():
        is_form = name.startswith("gpu.") or error.diagnostics[0].code != "TL191"
        if is_form and re.match(rf"(?:%[^=]*=\s*)?{name}\b", mixed.of(op)):
            return refusal(reason, error.diagnostics[0].location, detail)
    return error


def _chosen(defined: Mapping[str, Operation], wanted: str | None, start: Location) -> Sequence[str]:
    if wanted is not None:
        if wanted not in defined:
            detail = f"there is no function `{wanted}`; the module defines {', '.join(defined)}"
            raise refusal("unknown-function", start, detail)
        return [wanted]
    helpers = {name for name, op in defined.items() if "private" in str(op.properties.get("sym_visibility", ""))}
    return [name for name in defined if name not in helpers] or list(defined)


def _read(op: Operation, defined: Mapping[str, Operation], filename: str, lower: Lower) -> ReadFunction:
    """Lower one function; what refuses it becomes its diagnostics."""
    name, location = name_of(op), location_of(op) or Location(filename, 1, 1)
    return read_function(name, location, partial(lower, op, defined), refusal)
