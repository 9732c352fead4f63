"""Executions with cuts: where a value is claimed to hold a definition, both are the same array from there on.

A cut that does not hold is ignored: the claims at the end decide.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.domain import equal
from tensorlift.comprehension.tensor import array

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.comprehension.affine import Affine
    from tensorlift.ir.cut import Cut
    from tensorlift.proofs.counterparts import Counterparts
    from tensorlift.proofs.expansion import Definitions
    from tensorlift.proofs.obligations import Ledger
    from tensorlift.proofs.values import Held


class CutExecution:
    """What executions of any language share: shapes decided, and values that become definitions by name."""

    def __init__(self, ledger: Ledger, definitions: Definitions, counterparts: Counterparts) -> None:
        self.ledger = ledger
        self.definitions = definitions
        self.counterparts = counterparts
        self.surroundings = counterparts.surroundings
        self.unproved_cut: Cut | None = None

    def cut(self, held: Held | None, cut: Cut) -> Held | None:
        """Return a value as the definition that a cut says it is, None where that is not proved or changes nothing."""
        if held is None or held.blank is not None or not self._proves(held, cut):
            self.unproved_cut = self.unproved_cut or cut
            return None
        definition = self.definitions.by_name[cut.definition]
        self.definitions.opaque.add(definition.name)
        known = array(definition.name, held.tensor.shape, definition.dtype)
        return held.with_tensor(known, None) if held.tensor.is_strong else None

    def _proves(self, held: Held, cut: Cut) -> bool:
        definition = self.surroundings.definitions().get(cut.definition)
        if definition is None or held.tensor.dtype != definition.dtype or not held.tensor.is_strong:
            return False
        context = self.ledger.context
        return (
            self.has_shape(held, definition.shape)
            and self.definitions.equals(held.tensor, definition, context)
            and self.counterparts.difference(held.tensor, definition.name, context) is None
        )

    def has_shape(self, held: Held, shape: Sequence[Affine]) -> bool:
        """Tell whether a value has a shape."""
        mine = held.tensor.shape
        return len(mine) == len(shape) and all(
            a == b or self.ledger.holds(equal(a, b)) for a, b in zip(mine, shape, strict=True)
        )
