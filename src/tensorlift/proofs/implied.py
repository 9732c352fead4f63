"""What conditions of the program say of conditions of the source: one by one, they hold where the former do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.rewrite import substitute
from tensorlift.comprehension.terms import Apply, Constant, Term
from tensorlift.ops.scalar_ops import OPPOSITE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tensorlift.comprehension.places import Guards
    from tensorlift.poly.affine import Affine
    from tensorlift.poly.domain import Domain
    from tensorlift.proofs.expansion import Equality


def is_implied(guards: Guards, values: Mapping[str, Affine], place: tuple[Guards, Domain], equality: Equality) -> bool:
    """Tell whether each condition of the source, at some values, follows from those at a place of the program."""
    if not guards:
        return True
    mine = (terms.one("bool"), *conditions_of(place[0]))
    wanted = (substitute(condition, values) for condition in conditions_of(guards))
    return all(any(one is known or equality(one, known, place[1]) for known in mine) for one in wanted)


def reads_of(guards: Guards) -> frozenset[str]:
    """Name the arrays that conditions read."""
    return frozenset[str]().union(*(condition.reads for condition, _ in guards))


def conditions_of(guards: Guards) -> Iterator[Term]:
    """Yield conditions that hold, one by one."""
    for condition, holds in guards:
        yield from _split(condition, holds=holds)


def _split(condition: Term, *, holds: bool) -> Iterator[Term]:
    """Yield what holds where a condition does or does not: the operands of conjunctions one by one."""
    if not isinstance(condition, Apply):
        yield condition if holds else terms.apply("not", condition)
    elif condition.op == "not":
        yield from _split(condition.args[0], holds=not holds)
    elif condition.op == ("and" if holds else "or"):
        for part in condition.args:
            yield from _split(part, holds=holds)
    elif condition.op == "select" and _is_truth(condition.args[2], value=not holds):
        yield from _split(condition.args[0], holds=True)
        yield from _split(condition.args[1], holds=holds)
    elif condition.op == "select" and _is_truth(condition.args[1], value=not holds):
        yield from _split(condition.args[0], holds=False)
        yield from _split(condition.args[2], holds=holds)
    elif not holds and condition.op in OPPOSITE:
        yield terms.apply(OPPOSITE[condition.op], *condition.args)
    else:
        yield condition if holds else terms.apply("not", condition)


def _is_truth(term: Term, *, value: bool) -> bool:
    return isinstance(term, Constant) and bool(term.value) is value
