"""The gatekeeper for programs that are read back: the text as a summary against the summary of its source."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension.definition import KeptLoop
from tensorlift.contract.language import AnyOf, Compare, Inside, ReadInside
from tensorlift.contract.notation import parse_condition
from tensorlift.poly.names import reserve
from tensorlift.proofs.certificate import Certificate
from tensorlift.proofs.conditions import in_sizes
from tensorlift.proofs.entry import Caller, check_entry
from tensorlift.proofs.failure import OBLIGATION, UNREADABLE, CheckFailure
from tensorlift.proofs.obligations import either_form
from tensorlift.proofs.summaries import ReadBack, check_summary
from tensorlift.proofs.unit import read_unit
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tensorlift.comprehension.definition import Item, Summary
    from tensorlift.ir.cut import Cut
    from tensorlift.ir.function import FunctionView


class Emitted(NamedTuple):
    """A program's text, the function in it that computes, and hints."""

    text: str
    entry: str
    cuts: Sequence[Cut]


Handed = tuple[int, frozenset[str]]  # the numbers and arrays that a loop hands on, and how many loops are around it


def check_read_back_as(
    read: Callable[..., ReadBack], emitted: Emitted, summary: Summary, target: str, caller: Caller
) -> tuple[Certificate, FunctionView]:
    """Prove a program that ``read`` reads, and give its function.

    Loops that the source keeps for the sake of a number or an array, though that has a closed form, are kept in the
    program too, if it is not proved otherwise.  Quotients of sizes are sizes in it where they are so in the source.

    Raises:
        CheckFailure: where it is not proved, with the reason.

    """
    divides = any(size.demands for size in summary.derived)

    def checked(kept: frozenset[Handed]) -> tuple[Certificate, FunctionView]:
        program = read(emitted.text, emitted.entry, summary.context, kept=kept, divides_sizes=divides)
        return check_read_back(program, emitted, summary, target, caller), program.view

    handed = frozenset(_handed_on(summary.items))
    of_rank_0 = frozenset(name for name, info in summary.arrays.items() if not info.shape)
    numbers = frozenset((depth, names & of_rank_0) for depth, names in handed if names & of_rank_0)
    failures = []
    for kept in sorted({frozenset[Handed](), numbers, handed}, key=len):
        try:
            return checked(kept)
        except CheckFailure as failure:
            failures.append(failure)
    raise failures[0]


def _handed_on(items: Sequence[Item], depth: int = 0) -> Iterator[Handed]:
    for item in items:
        if isinstance(item, KeptLoop):
            yield depth, frozenset(one.array for one in item.carried)
            yield from _handed_on(item.body, depth + 1)


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
        counts = either_form(summary, lambda form: check_summary(program, form, caller.strides, emitted.cuts))
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
        structures=caller.structures,
    )


def _check_needs(program: ReadBack, summary: Summary, preconditions: Sequence[str]) -> None:
    """Demand that the program asks of its callers what the source asks, or what `check_summary` decides."""
    stated = {in_sizes(parse_condition(text), summary) for text in preconditions}
    for need in program.needs:
        if in_sizes(parse_condition(need), summary) not in stated and not _is_decided(need, summary):
            raise CheckFailure(OBLIGATION, f"the program needs that {need}")


def _is_decided(need: str, summary: Summary) -> bool:
    """Tell whether `check_summary` decides a condition: a linear one on sizes, or one on places that are read at."""
    condition = parse_condition(need)
    if isinstance(condition, Inside | ReadInside):
        return True
    if not isinstance(condition, Compare | AnyOf):
        return False
    relations = [condition] if isinstance(condition, Compare) else [r for choice in condition.choices for r in choice]
    products = [atoms for r in relations for side in (r.left, r.right) for _, atoms in side.terms]
    return all(len(atoms) <= 1 and set(map(str, atoms)) <= set(summary.sizes) for atoms in products)
