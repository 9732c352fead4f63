"""What became of a loop that does something and is left early: the loop for its hit, and the one up to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension.rewrite import map_reads, walk
from tensorlift.comprehension.terms import Constant, Index, Reduce, Term, applies, read
from tensorlift.ir.left_early import HIT, PICKED
from tensorlift.poly.affine import Affine

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tensorlift.comprehension.state import Piece
    from tensorlift.ops.dtypes import DType
    from tensorlift.poly.domain import Domain
    from tensorlift.proofs.source.induction import Guess
    from tensorlift.summarize.statements import Loop


class LeftEarly(NamedTuple):
    """What became of a loop that is left early: the loop up to its hit, and the states that tell of that."""

    loop: Loop
    hit: str
    none: Affine
    dtype: DType
    running: Mapping[str, list[Piece]]
    states: Mapping[str, list[Piece]]


def left_early(found: Sequence[tuple[Loop, Guess | None]]) -> LeftEarly | None:
    """Look for the loop that finds the hit, and the one that does the rest up to it."""
    groups: dict[str, list[tuple[Loop, Guess | None]]] = {}
    for one in found:
        if one[0].left_early:
            groups.setdefault(one[0].variable, []).append(one)
    if not groups:
        return None
    first, *rest = ((group[-1][0], states_of(guess for _, guess in group)) for group in groups.values())
    hits = [name for name in first[1] if stem(name) == HIT]
    if not hits:
        return None
    hit = hits[-1]
    none = next((_none(term) for _, term in first[1][hit]), None)
    if none is None:
        return None
    running = {name: pieces for name, pieces in first[1].items() if name != hit}
    last = next(((loop, states) for loop, states in rest if any(stem(name) != PICKED for name in states)), None)
    loop, states = last if last is not None else (first[0], {})
    return LeftEarly(loop, hit, *none, running, states)


def _none(term: Term) -> tuple[Affine, DType] | None:
    """Return what a hit is where there is none, and its type: what is chosen where a loop goes on."""
    for fold in (node for node in walk(term) if isinstance(node, Reduce)):
        for node in walk(fold.body):
            fixed = (
                (arg for arg in node.children[1:] if arg.free.isdisjoint(fold.bound)) if applies(node, "select") else ()
            )
            for arg in fixed:
                if isinstance(arg, Index):
                    return arg.affine, arg.dtype
                if isinstance(arg, Constant):
                    return Affine(int(arg.value)), arg.dtype
    return None


def stem(name: str) -> str:
    """Return a name without its count."""
    return name.rstrip("0123456789").rstrip("_")


def stems(name: str) -> list[str]:
    """Return what may be the name of a number in the source: all of a name, and without more of the digits it ends in.

    >>> stems("temp12")
    ['temp12', 'temp1', 'temp']
    """
    return [name[:end] for end in range(len(name), len(name.rstrip("0123456789")) - 1, -1)]


def called(term: Term, domain: Domain, names: Mapping[str, str]) -> Term:
    """Read numbers by other names."""
    if term.reads.isdisjoint(names):
        return term
    return map_reads(term, domain, lambda r, _: read(names[r.array], r.indices, r.dtype) if r.array in names else r)


def states_of(guesses: Iterable[Guess | None]) -> dict[str, list[Piece]]:
    """Return the states that were found, by their arrays."""
    return {a: p for guess in guesses if guess is not None for a, p in guess.states.items()}
