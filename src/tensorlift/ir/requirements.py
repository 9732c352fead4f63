"""Preconditions that a reading states itself, as attributes of a function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import AffineSetAttr, ArrayAttr, DictionaryAttr, StringAttr
from xdsl.ir.affine import AffineConstraintExpr, AffineConstraintKind, AffineExpr, AffineSet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.ir import Attribute, Operation

    from tensorlift.diagnostics import Location
    from tensorlift.poly.polynomial import Polynomial


DISTINCT = "no two elements of {} share memory"  # of an array whose strides are not known
NONE_FAILS = "what the source asserts of pointers holds"


@dataclass(frozen=True, slots=True)
class Condition:
    """A polynomial over the sizes that is zero, or at least zero."""

    kind: AffineConstraintKind
    polynomial: Polynomial
    sizes: Sequence[str]

    def as_set(self) -> AffineSetAttr | None:
        """Give the set of sizes that meet it; None where it is about an integer that turned out to be no size."""
        if not self.polynomial.variables() <= set(self.sizes):
            return None
        left = AffineExpr.constant(self.polynomial.terms.get((), 0))
        for monomial, value in sorted(self.polynomial.terms.items()):
            if monomial:
                left = left + AffineExpr.symbol(self.sizes.index(monomial[0])) * value
        constraint = AffineConstraintExpr(self.kind, left, AffineExpr.constant(0), canonicalize=False)
        return AffineSetAttr(AffineSet(0, len(self.sizes), (constraint,)))


def stated_requirement(kind: str, text: str, location: Location, condition: Condition | None = None) -> DictionaryAttr:
    """Build a precondition; ``condition`` is its affine form where it has one."""
    entry: dict[str, Attribute] = {
        "kind": StringAttr(kind),
        "text": StringAttr(text),
        "loc": StringAttr(str(location)),
    }
    affine = None if condition is None else condition.as_set()
    return DictionaryAttr(entry if affine is None else {**entry, "set": affine})


def add_requirements(function: Operation, stated: Sequence[DictionaryAttr]) -> None:
    """Put preconditions behind those that a function has."""
    before = function.attributes.get("tl.requires")
    known = list(before.data) if isinstance(before, ArrayAttr) else []
    if known or stated:
        function.attributes["tl.requires"] = ArrayAttr([*known, *dict.fromkeys(stated)])
