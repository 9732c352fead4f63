"""Tasks: terms over a box of index variables, for which an engine is to find an expression."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from tensorlift.comprehension.rewrite import visit_reads

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorlift.comprehension.affine import Affine
    from tensorlift.comprehension.domain import Domain
    from tensorlift.comprehension.terms import Read, Term
    from tensorlift.synthesis.derive.scope import Span

Pieces = tuple[tuple["Domain", "Term"], ...]


@dataclass(frozen=True, eq=False)
class Task:
    """What is wanted: the term of the piece that holds at each point of a domain, for the points of a box.

    ``spans`` are the ranges of the box's index variables, ``shapes`` the extents of all arrays.
    """

    pieces: Pieces
    spans: Mapping[str, Span]
    domain: Domain
    shapes: Mapping[str, tuple[Affine, ...]]

    @property
    def axes(self) -> tuple[str, ...]:
        """The index variables, outermost first."""
        return tuple(self.spans)

    @cached_property
    def reads(self) -> list[tuple[Read, Domain]]:
        """The array reads of the terms, each with the points at which it is evaluated."""
        found: list[tuple[Read, Domain]] = []
        for domain, term in self.pieces:
            visit_reads(term, self.domain & domain, lambda read, where: found.append((read, where)))
        return found

    @cached_property
    def extents(self) -> list[Affine]:
        """The extents of the box and of the arrays that are read."""
        arrays = dict.fromkeys(read.array for read, _ in self.reads)
        own = [after - first for first, after in self.spans.values()]
        return [*own, *(extent for array in arrays for extent in self.shapes[array])]

    @cached_property
    def symbols(self) -> list[str]:
        """The sizes and loop variables on which the task depends."""
        names = dict.fromkeys(v for extent in self.extents for v in extent.variables)
        for span in self.spans.values():
            names.update(dict.fromkeys(v for end in span for v in end.variables))
        for domain, term in self.conditions:
            names.update(dict.fromkeys([*sorted(term.free), *domain.variables()]))
        return [name for name in names if name not in self.spans]

    @cached_property
    def conditions(self) -> Pieces:
        """The pieces with what their domains say beyond the task's domain."""
        return tuple((domain.gist(self.domain), term) for domain, term in self.pieces)

    @cached_property
    def relevant(self) -> Domain:
        """The task's domain as far as it concerns the box and the symbols."""
        known = {*self.symbols, *self.spans}
        return self.domain.project_out(*(name for name in self.domain.variables() if name not in known))
