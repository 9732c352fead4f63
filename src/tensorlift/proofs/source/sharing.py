"""Arrays that may share memory, as the definitions say: what is read is what was there at the beginning.

Of a written array and one that is only read, which may be the same elements, no cell is read after the cell at its
place was written; where the two may overlap at will, no cell is read after any was written.  Then every read sees what
it would see if the arrays were apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.domain import Domain, less
from tensorlift.comprehension.state import at
from tensorlift.proofs.source.operations import Undecided

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorlift.comprehension.affine import Affine
    from tensorlift.comprehension.definition import Summary
    from tensorlift.comprehension.state import Piece
    from tensorlift.proofs.source.execution import Frame


def require_unwritten(
    array: str, indices: tuple[Affine, ...] | None, frame: Frame, context: Domain, summary: Summary
) -> None:
    """Show that no array that may share memory with one that is read was written at a cell, or anywhere, before.

    Raises:
        Undecided: where that is not shown.

    """
    pairs: list[tuple[str, tuple[Affine, ...] | None]] = [
        (written, indices) for written, other in summary.may_be_same if other == array
    ]
    pairs += [(written, None) for written, other in summary.may_overlap if other == array]
    for written, cell in pairs:
        values = {} if cell is None else at(written, cell)
        for domain, _ in _so_far(written, frame):
            if not (domain.substitute(values) & context).is_empty():
                raise Undecided(f"{array} may be {written}, and is read after that is written")


def _so_far(array: str, frame: Frame | None) -> Iterator[Piece]:
    """Yield what was written to an array so far, in this iteration and in earlier ones as their loops claim."""
    while frame is not None:
        yield from frame.state.pieces.get(array, [])
        if frame.claim is not None:
            frame.claimed.add(array)
            later = Domain.of(*(less(low, frame.claim.variable) for low in frame.claim.lower))
            yield from ((domain & later, term) for domain, term in frame.claim.states.get(array, []))
        frame = frame.around
