"""Arrays that may share memory, as the definitions say: what is read is what was there at the beginning.

Of a written array and one that is only read, which may be the same elements, no cell is read after the cell at its
place was written; where the two may overlap at will, no cell is read after any was written.  Then every read sees what
it would see if the arrays were apart.  In a loop, what earlier iterations wrote is what its claim says, or else what an
iteration is found to write when it has been run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension.state import Piece, State, at
from tensorlift.poly.domain import Domain, less
from tensorlift.poly.names import fresh
from tensorlift.proofs.source.operations import Undecided

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tensorlift.comprehension.definition import Summary
    from tensorlift.comprehension.terms import Read, Term
    from tensorlift.poly.affine import Affine
    from tensorlift.proofs.source.frames import Frame


class Tracked(State):
    """A state that knows which cells were written, whatever is there now; ``written`` may say more than that."""

    def __init__(self) -> None:
        super().__init__()
        self.written: dict[str, list[Domain]] = {}

    def copy(self) -> Tracked:
        """Return a state that changes by itself."""
        other = Tracked()
        other.pieces = {array: list(pieces) for array, pieces in self.pieces.items()}
        other.written = {array: list(domains) for array, domains in self.written.items()}
        return other

    def overwrite(self, array: str, new: list[Piece]) -> None:
        """Put pieces over those that are there."""
        super().overwrite(array, new)
        self.written.setdefault(array, []).extend(domain for domain, _ in new)

    def choose(
        self,
        condition: Domain | Term,
        then: tuple[State, Domain],
        otherwise: tuple[State, Domain],
        own: Callable[[str], Read],
    ) -> None:
        """Become the state of the arm that a condition takes."""
        super().choose(condition, then, otherwise, own)
        arms = [state for state, _ in (then, otherwise) if isinstance(state, Tracked)]
        written: dict[str, dict[int, Domain]] = {}  # by identity: what was written before is in both arms
        for array, domains in (item for arm in arms for item in arm.written.items()):
            written.setdefault(array, {}).update((id(domain), domain) for domain in domains)
        self.written = {array: list(domains.values()) for array, domains in written.items()}

    def rename(self, array: str, pieces: list[Piece]) -> None:
        """Say by another name what the cells of an array are."""
        self.forget(array)
        self.pieces[array] = pieces


class Reading(NamedTuple):
    """A read that no earlier iteration may have written to: the cells where an array must be as it was, and when."""

    array: str
    cell: Mapping[str, Affine]
    context: Domain

    def require_apart(self, domain: Domain) -> None:
        """Show that cells that were written are others."""
        if not (domain.substitute(self.cell) & self.context).is_empty():
            raise Undecided(f"what is read may be in {self.array}, which was written before")


class Partners(NamedTuple):
    """For each array that is only read, the written ones that may overlap it at will, and that may be the same."""

    overlapping: Mapping[str, Sequence[str]]
    same: Mapping[str, Sequence[str]]

    @staticmethod
    def of(summary: Summary) -> Partners:
        """Say by the array that is read what a summary says in pairs."""
        overlapping: dict[str, list[str]] = {}
        same: dict[str, list[str]] = {}
        for found, pairs in ((overlapping, summary.may_overlap), (same, summary.may_be_same)):
            for written, other in pairs:
                found.setdefault(other, []).append(written)
        return Partners(overlapping, same)


def require_unwritten(
    array: str, indices: tuple[Affine, ...] | None, frame: Frame, context: Domain, partners: Partners
) -> None:
    """Show that no array that may share memory with one that is read was written at a cell, or anywhere, before.

    Raises:
        Undecided: where that is not shown.

    """
    for written in partners.same.get(array, ()):
        _require_so_far(Reading(written, {} if indices is None else at(written, indices), context), frame)
    for written in partners.overlapping.get(array, ()):
        _require_so_far(Reading(written, {}, context), frame)


def _require_so_far(reading: Reading, frame: Frame | None) -> None:
    """Look at what was written in this iteration, and in earlier ones; what is not known yet is looked at later."""
    while frame is not None:
        for domain in frame.state.written.get(reading.array, []):
            reading.require_apart(domain)
        if frame.claim is not None:
            frame.claimed.add(reading.array)
            later = Domain.of(*(less(low, frame.claim.variable) for low in frame.claim.lower))
            for domain, _ in frame.claim.states.get(reading.array, []):
                reading.require_apart(domain & later)
        elif frame.header is not None:
            frame.readings.append(reading)
        frame = frame.around


def require_earlier(readings: list[Reading], written: Mapping[str, list[Domain]], variable: str, when: Domain) -> None:
    """Show that iterations write nothing that later ones read, given what one of them writes."""
    earlier = fresh("earlier")
    before = when.rename({variable: earlier}) & Domain.of(less(earlier, variable))
    for reading in readings:
        for domain in written.get(reading.array, []):
            reading.require_apart(domain.rename({variable: earlier}) & before)
