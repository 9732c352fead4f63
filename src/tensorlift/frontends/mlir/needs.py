"""What must hold for index arithmetic on machine integers to be exact: proved for all sizes, or required of them.

Integers of fewer than 64 bits wrap, indices do not, unless they are large multiples of what memory could hold.  An
index that went through such integers equals its exact form only where no intermediate value left its type.  The
greatest and least values over the loops around are sums of sizes; what the types of the sizes do not already guarantee
becomes a precondition.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tensorlift.frontends.mlir.atoms import Size
from tensorlift.frontends.mlir.refusals import refusal

if TYPE_CHECKING:
    from tensorlift.comprehension.affine import Affine
    from tensorlift.diagnostics import Location
    from tensorlift.frontends.mlir.atoms import Atoms
    from tensorlift.frontends.mlir.values import Need

_EXACT = 64  # bits from which on no index that memory could hold leaves the type
_LARGE_FACTOR = 1 << 16  # objects have less than 2**48 bytes


@dataclass(frozen=True, slots=True)
class Required:
    """A precondition: ``index >= 0`` over sizes."""

    index: Affine
    text: str
    location: Location | None


class Needs:
    """Collects the preconditions of one function."""

    def __init__(self, atoms: Atoms) -> None:
        """Require nothing yet."""
        self.atoms = atoms
        self.required: dict[Affine, Required] = {}

    def insist(self, need: Need) -> None:
        """Prove a need, or require it of the sizes; raises LiftError where neither is possible."""
        greatest, least = self.atoms.greatest(need.index), self.atoms.least(need.index)
        if need.only_nonnegative:
            if least is None or self._range(least)[1] < 0:
                raise refusal(
                    "overflow", need.location, f"reads `{plain(need.index)}`, which may be negative, as unsigned"
                )
            if self._range(least)[0] < 0:
                self._require(least, f"{plain(least)} >= 0", need)
            return
        if need.width >= _EXACT and not is_large(need.index):
            return
        limit = (1 << (need.width - 1)) - 1
        if greatest is None or least is None:
            raise refusal("overflow", need.location, f"`{plain(need.index)}` may leave i{need.width}")
        if self._range(greatest)[1] > limit:
            self._require(-greatest + limit, f"{plain(greatest)} <= {limit}", need)
        if self._range(least)[0] < -limit - 1:
            self._require(least + (limit + 1), f"{plain(least)} >= {-limit - 1}", need)

    def _require(self, index: Affine, text: str, need: Need) -> None:
        if not index.terms:
            raise refusal("overflow", need.location, f"`{plain(need.index)}` leaves i{need.width}")
        self.required.setdefault(index, Required(index, text, need.location))

    def _range(self, index: Affine) -> tuple[int, int]:
        """Give the least and greatest value that the types of the sizes allow."""
        low = high = index.constant
        for name, factor in index.terms:
            atom = self.atoms.known[name]
            assert isinstance(atom, Size)
            ends = factor * -(1 << (atom.width - 1)), factor * ((1 << (atom.width - 1)) - 1)
            low, high = low + min(ends), high + max(ends)
        return low, high


def is_large(index: Affine) -> bool:
    """Tell whether an index has such factors that 64 bits may not hold it."""
    return any(abs(factor) >= _LARGE_FACTOR for _, factor in index.terms)


def plain(index: Affine) -> str:
    """Spell an index in names of the source."""
    return re.sub(r"#\d+", "", str(index))
