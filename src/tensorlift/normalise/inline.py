"""Calls of functions of the same module become what these do; a function that may call itself stays a call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.dialects.func import CallOp, FuncOp

from tensorlift.ir.literal_function import callee_of
from tensorlift.ir.location import inlined, location_of
from tensorlift.normalise.edit import insert, last_of, remove
from tensorlift.refusals import refusal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation, SSAValue


MOST_OPERATIONS = 16_000  # more take seconds


@dataclass(frozen=True)
class Inline:
    """The pass that replaces calls; functions are structured, so each is one block."""

    name = "inline"

    def apply(self, module: ModuleOp) -> None:
        """Replace calls, those in what is called first."""
        functions = {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp) and op.body.blocks}
        seen: set[str] = set()
        for name in functions if len(functions) > 1 else ():
            _inline(name, functions, seen)


def _inline(name: str, functions: Mapping[str, FuncOp], seen: set[str]) -> bool:
    """Replace the calls in a function; tell whether none is left."""
    if name not in seen:
        seen.add(name)
        size = 0
        for call in calls_in(functions[name]):
            callee = callee_of(call)
            if callee in functions and _inline(callee, functions, seen):
                size += sum(1 for _ in functions[callee].walk())
                if size > MOST_OPERATIONS:
                    raise refusal("step-limit", location_of(call), f"more than {MOST_OPERATIONS} operations by calls")
                _replace(call, functions[callee])
    return not calls_in(functions[name])


def calls_in(function: Operation) -> list[CallOp]:
    """List the calls in a function."""
    return [op for op in function.walk() if isinstance(op, CallOp)]


def _replace(call: CallOp, callee: FuncOp) -> None:
    block = callee.body.block
    known: dict[SSAValue, SSAValue] = dict(zip(block.args, call.operands, strict=True))
    end = last_of(block)
    ops = [op.clone(known) for op in block.ops if op is not end]
    for inner in (inner for op in ops for inner in op.walk()):
        inner.location = inlined(inner.location, callee.sym_name.data, call.location)
    insert(ops, call)
    for result, value in zip(call.results, end.operands, strict=True):
        result.replace_all_uses_with(known.get(value, value))
    remove(call)
