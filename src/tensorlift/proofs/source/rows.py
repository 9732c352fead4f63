"""Rows of stores outside of loops: from time to time the state is shown to be a definition, and said by its name.

Outside of loops each store is a definition of its own.  So after so many stores to an array the state should be the
definition that stands so many places after the one by which the state was named last.  Where that is not shown, the
state stays as it is: a row of a thousand stores is compared a few cells at a time, or not at all.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

from tensorlift.comprehension.definition import Definition, Summary
from tensorlift.comprehension.terms import Read
from tensorlift.poly.domain import UNIVERSE, Domain
from tensorlift.proofs.source.operations import Undecided

if TYPE_CHECKING:
    from tensorlift.proofs.source.frames import Frame
    from tensorlift.proofs.source.versions import Versions

_STORES = 16  # after which the state is looked at


class Rows:
    """The stores outside of loops and branches, of which ``frame`` is the run."""

    def __init__(self, versions: Versions, summary: Summary, frame: Frame) -> None:
        self.versions = versions
        self.frame = frame
        self.stores: Counter[tuple[str, str]] = Counter()  # to an array, since its state was named by a version
        self.in_order: dict[str, list[str]] = {}
        for item in summary.items:
            if isinstance(item, Definition):
                self.in_order.setdefault(item.array, [item.array]).append(item.name)

    def stored(self, array: str, frame: Frame, context: Domain) -> None:
        """Count a store, and name the state where it is shown to be the definition that is next."""
        if frame is not self.frame:
            return
        last, in_order = self._last(array), self.in_order.get(array, [])
        self.stores[array, last] += 1
        count = self.stores[array, last]
        if count % _STORES or last not in in_order or in_order.index(last) + count >= len(in_order):
            return
        version = in_order[in_order.index(last) + count]
        with suppress(Undecided):
            self.versions.require(array, frame.state.pieces[array], version, context)
            frame.state.rename(array, [(UNIVERSE, self.versions.own(array, version))])

    def _last(self, array: str) -> str:
        """Return the version by which the rest of an array is said, the initial one where there is none."""
        own = self.versions.read(array, array).indices
        reads = [term for _, term in self.frame.state.pieces[array] if isinstance(term, Read) and term.indices == own]
        named = [term.array for term in reads if term.array in self.versions.definitions]
        return named[-1] if named else array
