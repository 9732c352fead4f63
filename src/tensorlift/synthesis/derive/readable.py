"""Bounds: whether a term reads inside its arrays at every point where it is evaluated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.domain import Domain, at_least, less
from tensorlift.comprehension.rewrite import visit_reads

if TYPE_CHECKING:
    from tensorlift.comprehension.terms import Read, Term
    from tensorlift.synthesis.derive.scope import Scope


def readable(term: Term, domain: Domain, evaluated: Domain, scope: Scope) -> bool:
    """Tell whether a term that counts, and is in bounds, on ``domain`` is in bounds on all of ``evaluated``."""
    if not term.reads or evaluated.is_subset(domain):
        return True
    inside = True

    def visit(read: Read, where: Domain) -> None:
        nonlocal inside
        for index, extent in zip(read.indices, scope.shapes[read.array], strict=True):
            inside = inside and where.implies(at_least(index, 0), less(index, extent))

    visit_reads(term, evaluated, visit)
    return inside
