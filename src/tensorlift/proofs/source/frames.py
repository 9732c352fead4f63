"""What is known while a function is run: values, states, and the ways out of a loop."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension import terms
from tensorlift.comprehension.rewrite import exchanged
from tensorlift.comprehension.rules import TRUE
from tensorlift.comprehension.terms import Apply
from tensorlift.poly.domain import Domain
from tensorlift.proofs.source.operations import Place, Undecided, Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from xdsl.ir import Block, BlockArgument, Operation, SSAValue

    from tensorlift.comprehension.definition import Item, KeptLoop
    from tensorlift.comprehension.terms import Term
    from tensorlift.proofs.source.claims import LoopClaim
    from tensorlift.proofs.source.sharing import Reading, Tracked


class Row(NamedTuple):
    """The cells of arrays that one iteration works on, which is told by its variable; ``kept`` loops were run there."""

    cells: Mapping[str, Domain]
    variable: str
    kept: list[KeptLoop]


@dataclass(slots=True)
class Frame:
    """One run of the body of a loop, or of the function: its values, and the state so far.

    What is read of data around a loop has a name in it, by which ``outer`` tells what it is.  At the level of the
    definitions, which is in no loop but those that stay, it is what it is: there the frame ``is_sequential``, and
    ``items`` are the definitions of that level.  ``variables`` are the names that integers have here,
    and ``claimed`` are arrays of which ``claim`` tells what earlier iterations wrote, if anything.
    """

    values: dict[SSAValue, Value]
    state: Tracked
    around: Frame | None = None
    header: int | None = None
    is_sequential: bool = False
    variables: frozenset[str] = frozenset()
    items: tuple[Item, ...] = ()
    claim: LoopClaim | None = None
    claimed: set[str] = field(default_factory=set)
    readings: list[Reading] = field(default_factory=list)  # of what earlier iterations may not have written
    outer: dict[str, Term] = field(default_factory=dict)
    names: dict[SSAValue, Term | Place] = field(default_factory=dict)
    guard: Term = TRUE  # what is known of data on the way
    exits: list[Exit] = field(default_factory=list)  # ways out of the loop other than by its end
    row: Row | None = None  # what an iteration works on, where loops of the definitions that stay are around it

    def value(self, value: SSAValue) -> Value:
        """Return what a value is here."""
        found = self.values.get(value, self.names.get(value))
        if found is None:
            if self.around is None:
                raise Undecided("a value is used where nothing is known of it")
            found = self.around.value(value)
            data = found.data if isinstance(found, Place) else found
            if isinstance(data, terms.Term) and data.reads and not self.is_sequential:
                known = self.named(data)
                found = self.names[value] = Place(found.start, known) if isinstance(found, Place) else known
        return found

    def named(self, term: Term) -> Term:
        """Return data from around with names for what is read of it: a claim may tell of each read by itself."""
        return term if not term.reads or self.is_sequential else exchanged(term, self._read_around)

    def _read_around(self, term: Term) -> Term | None:
        """Return a name for a read or a reduction, None for what is computed of others."""
        if not term.reads:
            return term
        if isinstance(term, Apply):
            return None
        name = next((known for known, value in self.outer.items() if value is term), f"%{len(self.outer)}")
        self.outer[name] = term
        return terms.read(name, (), term.dtype)

    def all(self, values: Sequence[SSAValue]) -> list[Value]:
        """Return what several values are."""
        return [self.value(value) for value in values]


class Exit(NamedTuple):
    """A way out of a loop: the block that it leads to, what is passed to it, and what is there."""

    block: int
    passed: list[Value]
    frame: Frame
    context: Domain


class Outcome(NamedTuple):
    """What is passed on where a run ends, the state there, and the points that get there."""

    passed: list[Value]
    state: Tracked
    context: Domain


@dataclass(frozen=True, slots=True)
class Entered:
    """A loop that is reached: its claim, what its header's arguments are before an iteration, and at the entry."""

    claim: LoopClaim
    block: Block
    context: Domain
    iterations: Domain
    before: list[Value]
    given: list[Value]
    entry: dict[str, Term]

    @property
    def last(self) -> Operation:
        """The end of the header."""
        assert self.block.last_op is not None
        return self.block.last_op

    def phis(self) -> Iterator[tuple[str, BlockArgument, int]]:
        """Yield the arguments that are data, with the names under which states have them."""
        for number, (phi, argument) in enumerate(zip(self.claim.phis, self.block.args, strict=True)):
            if isinstance(phi, str):
                yield phi, argument, number


def under(test: Domain | Term, frame: Frame, *, is_true: bool = True) -> Frame:
    """Return a frame for an arm of a branch."""
    guard = frame.guard
    if not isinstance(test, Domain):
        known = test if is_true else terms.apply("not", test)
        guard = known if guard is TRUE else terms.apply("and", guard, known)
    return replace(frame, values=dict(frame.values), state=frame.state.copy(), guard=guard)
