"""Which loops of a summary are one loop of its source: those of a nest, and one for each place where it may begin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.definition import Item, KeptLoop
from tensorlift.comprehension.rewrite import substitute
from tensorlift.comprehension.terms import applies
from tensorlift.poly.affine import affine
from tensorlift.poly.domain import Domain
from tensorlift.poly.names import formals
from tensorlift.summarize.hits import called, states_of, stem
from tensorlift.summarize.statements import Branch, Loop, loops_in

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from tensorlift.comprehension.state import Effect
    from tensorlift.poly.affine import Affine
    from tensorlift.proofs.source.induction import Guess


def nest(loop: Loop, variables: AbstractSet[str]) -> list[Loop]:
    """Return a loop, and those inside of it that stand at its place: the nest that one loop of the source became."""
    inner = [one for one in loop.body if isinstance(one, Loop) and one.location == loop.location]
    return [loop, *(nest(inner[0], variables) if inner and inner[0].variable in variables else ())]


def together(
    loop: Loop, found: Sequence[tuple[Loop, Guess | None]]
) -> tuple[Effect, tuple[Affine, ...], tuple[Affine, ...]]:
    """Return what a loop does, and its bounds: one that goes from, or to, one of several places became a loop for each.

    Where it is a greatest or least place, it is between all of these bounds.
    """
    alike = {one.variable: one for one, _ in found if _is_case(one, loop)}
    states: Effect = {}
    for variable in alike:
        now = {variable: affine(loop.variable)}
        case = states_of(guess for one, guess in found if one.variable == variable)
        names = {a: known for a in case for known in states if a != known and stem(a) == stem(known)}
        names = names if len({names.get(a, a) for a in case}) == len(case) else {}
        for array, pieces in case.items():
            moved = ((d.substitute(now), called(substitute(t, now), d, names)) for d, t in pieces)
            states.setdefault(names.get(array, array), []).extend(moved)
    lower = dict.fromkeys(low for one in alike.values() for low in one.lower)
    upper = dict.fromkeys(high for one in alike.values() for high in one.upper)
    return states, (*lower,), (*upper,)


def by_one_name(states: Effect, around: Sequence[Sequence[tuple[Loop, Guess | None]]]) -> Effect:
    """Say what a loop does, of which there are cases, by one variable for each loop ``around``, which has cases too."""
    names = {
        one.variable: affine(found[-1][0].variable)
        for found in around
        for one, _ in found
        if one.variable != found[-1][0].variable and _is_case(one, found[-1][0])
    }
    return {a: [(d.substitute(names), substitute(t, names)) for d, t in p] for a, p in states.items()}


def _is_case(one: Loop, loop: Loop) -> bool:
    """Tell whether a loop goes as another one, from or to another place perhaps; none is a part of the other."""
    if one.variable == loop.variable:
        return True
    parts = {(inner.variable, outer.variable) for outer in (one, loop) for _, inner in loops_in(outer.body)}
    is_part = bool(parts & {(one.variable, loop.variable), (loop.variable, one.variable)})
    return not is_part and one.step == loop.step and (one.lower == loop.lower or one.upper == loop.upper)


def is_segment(loop: Loop) -> bool:
    """Tell whether a loop goes over all places, of which the source asks those between bounds that are data."""
    return any(isinstance(s, Branch) and applies(s.condition, "within") for s in loop.body)


def begins_at_rest(loop: Loop) -> bool:
    """Tell whether a loop does nothing before where its source begins, which a division tells."""
    body = loop.body
    only = body[0] if len(body) == 1 and loop.step == 1 else None
    return isinstance(only, Branch) and isinstance(only.condition, Domain) and only.condition.has_divisions


def level_of(items: Sequence[Item], wanted: KeptLoop) -> Sequence[Item]:
    """Return the definitions and loops among which a loop of the definitions is."""
    if any(item is wanted for item in items):
        return items
    inner = (item.body for item in items if isinstance(item, KeptLoop))
    return next((level for body in inner if (level := level_of(body, wanted))), ())


def rows_of(variable: str, found: Sequence[tuple[Loop, Guess | None]], kept: Sequence[str]) -> dict[str, Domain]:
    """Say where loops over a variable have been before an iteration, with all places along axes that it leaves alone.

    They were moved into ``kept`` loops, of which all iterations count.
    """
    rows: dict[str, Domain] = {}
    states = (guess.states for loop, guess in found if guess is not None and loop.variable == variable)
    for array, pieces in (item for one in states for item in one.items()):
        for domain, _ in pieces:
            reached = domain.project_out(*kept)
            rules = [rule.affine for part in reached.conjuncts() for rule in part if rule.affine.coefficient(variable)]
            moving = {name for rule in rules for name in rule.variables}
            reached = reached.project_out(*(name for name in _cells(array, domain) if name not in moving))
            rows[array] = (rows[array] | reached).coalesce() if array in rows else reached
    return rows


def _cells(array: str, domain: Domain) -> list[str]:
    """Return the subscripts of the cells of an array that a domain speaks of."""
    return [name for name in domain.variables() if name in formals(array, len(domain.variables()))]
