"""A pointer that is another one after the first iteration of a loop, and stays that one: the first one stands alone.

    in = x;  do { out = f(in); in = y; } while (--n > 0);      f(x);  if (--n > 0) do { out = f(y); } while (--n > 0);

So stages work in place after the first, which reads another array.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.dialects.scf import IfOp, WhileOp, YieldOp
from xdsl.ir import Block, Region

from tensorlift.normalise.edit import forwarded, insert, last_of, move, nested
from tensorlift.normalise.steering import is_memory

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import SSAValue

_MOST = 500  # operations of a loop that is written twice


@dataclass(frozen=True)
class Peel:
    """The pass that lets first iterations stand alone."""

    name = "peel"

    def apply(self, module: ModuleOp) -> None:
        """Rewrite each loop that is such, outer ones first."""
        for op in nested(module, WhileOp):
            pointers = dict(_settled(op))
            if pointers and sum(1 for _ in op.walk()) <= _MOST:
                _peel(op, pointers)


def _settled(op: WhileOp) -> Iterator[tuple[int, SSAValue]]:
    """Yield which arguments of a loop are memory that is another one after its first iteration, and which."""
    condition, passed = last_of(op.before_region.block), last_of(op.after_region.block)
    for number, (start, handed) in enumerate(zip(op.arguments, passed.operands, strict=True)):
        later = forwarded(handed, condition)
        if is_memory(start) and later is not start and not op.is_ancestor(later.owner):
            yield number, later


def _peel(op: WhileOp, pointers: dict[int, SSAValue]) -> None:
    test, body = op.before_region.block, op.after_region.block
    condition, passed = last_of(test), last_of(body)
    known: dict[SSAValue, SSAValue] = dict(zip(test.args, op.arguments, strict=True))
    insert([inside.clone(known) for inside in test.ops if inside is not condition], op)
    goes_on, *given = (known.get(value, value) for value in condition.operands)
    known |= zip(body.args, given, strict=True)
    then = Block([inside.clone(known) for inside in body.ops if inside is not passed])
    handed = [known.get(value, value) for value in passed.operands]
    used = [number for number, result in enumerate(op.results) if result.first_use is not None]
    otherwise = Block([YieldOp(*(given[number] for number in used))])
    made = IfOp(goes_on, [op.results[number].type for number in used], Region(then), Region(otherwise))
    made.location = op.location
    insert([made], op)
    for number, result in zip(used, made.results, strict=True):
        result.name_hint = op.results[number].name_hint
        op.results[number].replace_all_uses_with(result)
    move([op], then)
    op.operands = handed
    then.add_op(YieldOp(*(op.results[number] for number in used)))
    for number, later in pointers.items():
        test.args[number].replace_all_uses_with(later)
