"""Loop IR of structured literal IR: a function is executed symbolically, by the signature that its source has."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from tensorlift.diagnostics import LiftError, Location, called_from
from tensorlift.ir.cleanup import PURE, remove_dead
from tensorlift.ir.function import function_named
from tensorlift.ir.literal_function import argument_names, callee_of
from tensorlift.ir.location import location_of
from tensorlift.ir.prototype import literal_names, returned_sizes
from tensorlift.ir.regions import IrreducibleError
from tensorlift.normalise.accesses import ACCESSES, declare_tables
from tensorlift.normalise.bounds import Exceptions, NeverNegative
from tensorlift.normalise.branches import BRANCHES, by_cases
from tensorlift.normalise.cells import Cells
from tensorlift.normalise.checks import CHECKS
from tensorlift.normalise.conjunctions import Conjunctions
from tensorlift.normalise.counted import COUNTED, heads
from tensorlift.normalise.exact import QUOTIENTS
from tensorlift.normalise.execution import Execution, Language, Rules, calls_to
from tensorlift.normalise.exits import Exits
from tensorlift.normalise.hoist import Hoist
from tensorlift.normalise.inline import MOST_OPERATIONS, Inline, calls_in
from tensorlift.normalise.kept_places import KeptPlaces
from tensorlift.normalise.lower import lower_by
from tensorlift.normalise.outside import ReadOnce
from tensorlift.normalise.peel import Peel
from tensorlift.normalise.promoted import Promote
from tensorlift.normalise.rotate import Rotate
from tensorlift.normalise.scalars import SCALARS
from tensorlift.normalise.segments import SEGMENTS
from tensorlift.normalise.signature import (
    c_arguments,
    literal_name,
    mlir_arguments,
    named_in_extents,
    python_arguments,
)
from tensorlift.normalise.steering import Steering, is_memory, is_unbounded
from tensorlift.normalise.structure import Structure
from tensorlift.normalise.unbounded import let_data_end, unbounded
from tensorlift.normalise.values import Address, Unknown
from tensorlift.ops.c_types import LONG
from tensorlift.poly.index_arithmetic import Index
from tensorlift.refusals import refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from xdsl.dialects.builtin import ModuleOp
    from xdsl.dialects.func import CallOp
    from xdsl.dialects.scf import WhileOp
    from xdsl.ir import Operation

    from tensorlift.ir import nodes
    from tensorlift.normalise.execution import Rule
    from tensorlift.normalise.ir_sink import IRSink
    from tensorlift.normalise.preconditions import Preconditions
    from tensorlift.poly.ranges import Ranges

PASSES = (Structure(), Inline(), Promote(), ReadOnce(), Hoist(), Rotate(), Peel(), Exits(), Conjunctions())

C = Language(c_arguments, keeps_values=True)
MLIR = Language(mlir_arguments, LONG.width)
FORTRAN = Language(mlir_arguments, LONG.width, keeps_values=True)
PYTHON = Language(python_arguments, LONG.width, cuts_off=True, keeps_values=True)


def cpp_language(prototype: Mapping[str, Any]) -> Language:
    """Give what is particular to a function of C++, by how that calls it."""
    text = json.dumps(prototype)
    return replace(C, names=literal_names(text), returned=returned_sizes(text))


# The operands that must be decided: where memory is, and conditions.
_DECIDED = {"memref.load": slice(None), "memref.store": slice(1, None), "scf.if": slice(None), "arith.select": slice(1)}


def _return(ex: Execution, op: Operation) -> None:
    for value in op.operands:
        found = ex.values[value]
        if is_memory(value) and isinstance(found, Address) and found.base in ex.given:
            continue
        if isinstance(found, Unknown) and found.reason == "no-return":
            raise refusal(found.reason, ex.signature.location)
        ex.returned = found if isinstance(found, Index) else ex.number(value)


def _call(ex: Execution, op: Operation) -> None:
    """Refuse a call that is left: the first one from there that leads back is the recursion."""
    module: Any = ex.function.parent_op()
    path, call = [ex.function.sym_name.data], cast("CallOp", op)
    notes = calls_to(op)
    while (callee := callee_of(call)) not in path:
        path.append(callee)
        notes = (called_from(callee, location_of(call)), *notes)
        inner = calls_in(function_named(module, callee))
        call = next((one for one in inner if callee_of(one) in path), inner[0])
    raise refusal("recursion", ex.at(call), callee, notes)


def _follow(ex: Execution, op: Operation, rule: Rule) -> None:
    """Follow the rule of an operation, by cases where values that it needs are not decided."""
    if is_unbounded(op):
        unbounded(ex, op)
    elif op.name == "scf.while":
        by_cases(ex, op, rule, heads(ex, op))
    elif op.name in _DECIDED:
        by_cases(ex, op, rule, op.operands[_DECIDED[op.name]])
    else:
        rule(ex, op)


RULES = Rules(
    {**SCALARS, **ACCESSES, **COUNTED, **SEGMENTS, **BRANCHES, **CHECKS, "func.return": _return, "func.call": _call},
    _follow,
    declare_tables,
)


def loop_ir(literal: ModuleOp, signature: nodes.Function, source: str, language: Language) -> ModuleOp:
    """Make the loop IR of a function, whose arguments are what a signature says; its literal IR is rewritten in place.

    Raises:
        LiftError: where no loop IR is found.

    """
    rewrite(literal, signature.location, language)
    return executed(literal, signature, source, language)


def rewrite(
    literal: ModuleOp, place: Location, language: Language, after: Callable[[str], None] = lambda _: None
) -> None:
    """Rewrite literal IR in place by all passes, and say the name of each after it.

    Raises:
        LiftError: with the reason, where that cannot be.

    """
    if sum(1 for _ in literal.walk()) > MOST_OPERATIONS:
        raise refusal("step-limit", place, f"more than {MOST_OPERATIONS} operations of literal IR")
    first = (Exceptions(),) if language.cuts_off else ()
    last = (NeverNegative(),) if language.cuts_off else ()
    kept = (KeptPlaces(),) if language.keeps_values else ()
    try:
        for step in (*first, *PASSES, *last, *kept):
            step.apply(literal)
            after(step.name)
    except IrreducibleError:
        raise refusal("goto", place) from None


def _copied(literal: ModuleOp, loop: WhileOp) -> tuple[ModuleOp, WhileOp]:
    """Copy literal IR, with one of its loops."""
    number = next(number for number, op in enumerate(literal.walk()) if op is loop)
    copied = literal.clone()
    return copied, cast("WhileOp", next(op for k, op in enumerate(copied.walk()) if k == number))


def executed(literal: ModuleOp, signature: nodes.Function, source: str, language: Language) -> ModuleOp:
    """Make the loop IR of a function of rewritten literal IR, which stays so; raises ``LiftError`` with the reason.

    Where quotients of sizes that are sizes themselves do not help, they are data.
    """
    try:
        return _executed(literal, signature, source, language)
    except LiftError:
        if language.divides_sizes and any(op.name in QUOTIENTS for op in literal.walk()):
            with suppress(LiftError):
                return _executed(literal, signature, source, replace(language, divides_sizes=False))
        raise


def _executed(literal: ModuleOp, signature: nodes.Function, source: str, language: Language) -> ModuleOp:
    """Make the loop IR by one reading of quotients.

    A loop that does not count is taken for one that data end, if all is well then.
    """
    uncounted: list[WhileOp] = []

    def machine_of(ranges: Ranges, preconditions: Preconditions, sink: IRSink) -> Execution:
        function = function_named(literal, signature.name)
        steering = Steering(function, argument_names(function), lambda v: literal_name(v, language.names))
        steering.state(named_in_extents(signature.parameters), signature.outer)
        ex = Execution(function, steering, signature, language, RULES, ranges, preconditions, sink)
        ex.cells, ex.uncounted = Cells(ex, function), uncounted
        return ex

    refused: LiftError | None = None
    while True:
        uncounted.clear()
        try:
            module = lower_by(signature, source, machine_of)
            break
        except LiftError as error:
            refused = refused or error
            if not uncounted:
                raise refused from None
            literal, loop = _copied(literal, uncounted[0])
            if not let_data_end(loop):
                raise refused from None
    remove_dead(function_named(module, signature.name).body.block, (*PURE, "affine.load"))
    return module
