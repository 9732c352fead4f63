"""The gatekeeper for programs that are read back: the text as a summary against the summary of its source."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension.names import reserve
from tensorlift.contract.language import AnyOf, Compare
from tensorlift.contract.notation import parse_condition
from tensorlift.proofs.certificate import Certificate
from tensorlift.proofs.entry import check_entry
from tensorlift.proofs.failure import OBLIGATION, UNREADABLE, CheckFailure
from tensorlift.proofs.summaries import check_summary
from tensorlift.proofs.unit import read_unit
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.comprehension.definition import Summary
    from tensorlift.ir.cut import Cut
    from tensorlift.proofs.entry import Caller
    from tensorlift.proofs.summaries import ReadBack


class Emitted(NamedTuple):
    """A program's text, the function in it that computes, and hints."""

    text: str
    entry: str
    cuts: Sequence[Cut]


def check_read_back(program: ReadBack, emitted: Emitted, summary: Summary, target: str, caller: Caller) -> Certificate:
    """Prove that a program that was read back computes what a summary says, for all sizes of its context.

    The whole text is looked at: where a function with the signature of the source stands behind the program, it is
    checked too.  The program may need no more than the caller's preconditions.

    Raises:
        CheckFailure: where that is not proved, with the reason.

    """
    reserve(summary.sizes)
    unit = read_unit(emitted.text, emitted.entry) if get_target(target).language == "c" else None
    _check_needs(program, summary, caller.preconditions)
    try:
        counts = check_summary(program, summary, caller.strides, emitted.cuts)
    except RecursionError:
        raise CheckFailure(UNREADABLE, "the program is nested too deeply") from None
    if unit is not None and unit.rest:
        counts["the function around the program checks a condition"] = check_entry(unit, program, summary, caller)
    return Certificate(
        summary,
        emitted.text,
        emitted.entry,
        target,
        tuple(emitted.cuts),
        counts,
        strides=dict(caller.strides),
        places=dict(caller.places),
    )


def _check_needs(program: ReadBack, summary: Summary, preconditions: Sequence[str]) -> None:
    """Demand that the program asks of its callers what the source asks, or of sizes, which `check_summary` decides."""
    for need in program.needs:
        if need not in preconditions and not _is_on_sizes(need, summary):
            raise CheckFailure(OBLIGATION, f"the program needs that {need}")


def _is_on_sizes(need: str, summary: Summary) -> bool:
    """Tell whether a condition is a linear one on sizes, and so part of a program's context."""
    condition = parse_condition(need)
    if not isinstance(condition, Compare | AnyOf):
        return False
    relations = [condition] if isinstance(condition, Compare) else [r for choice in condition.choices for r in choice]
    products = [atoms for r in relations for side in (r.left, r.right) for _, atoms in side.terms]
    return all(len(atoms) <= 1 and set(map(str, atoms)) <= set(summary.sizes) for atoms in products)
