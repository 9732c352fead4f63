"""Calls of functions of the same module become what these do; a function that may call itself stays a call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.dialects.func import CallOp, FuncOp

from tensorlift.normalise.edit import insert, last_of, remove

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import SSAValue


@dataclass(frozen=True)
class Inline:
    """The pass that replaces calls; functions are structured, so each is one block."""

    name = "inline"

    def apply(self, module: ModuleOp) -> None:
        """Replace calls, those in what is called first."""
        functions = {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp) and op.body.blocks}
        done: set[str] = set()
        for name in functions:
            _inline(name, functions, done, frozenset())


def _inline(name: str, functions: Mapping[str, FuncOp], done: set[str], around: frozenset[str]) -> None:
    """Replace the calls in a function that is called from ``around``."""
    if name in done or name in around:
        return
    for call in [op for op in functions[name].walk() if isinstance(op, CallOp)]:
        callee = call.callee.root_reference.data
        if callee in functions:
            _inline(callee, functions, done, around | {name})
            if callee in done:
                _replace(call, functions[callee])
    done.add(name)


def _replace(call: CallOp, callee: FuncOp) -> None:
    block = callee.body.block
    known: dict[SSAValue, SSAValue] = dict(zip(block.args, call.operands, strict=True))
    end = last_of(block)
    insert([op.clone(known) for op in block.ops if op is not end], call)
    for result, value in zip(call.results, end.operands, strict=True):
        result.replace_all_uses_with(known.get(value, value))
    remove(call)
