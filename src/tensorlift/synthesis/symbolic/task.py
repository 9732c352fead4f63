"""Tasks: terms over a box of index variables, for which an engine is to find an expression."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from tensorlift.comprehension.rewrite import reads_in, walk
from tensorlift.comprehension.terms import Piecewise
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, at_least
from tensorlift.poly.variables import stride_of
from tensorlift.synthesis.derive.scope import ends_over
from tensorlift.synthesis.symbolic.points import conjuncts_of, is_divided

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tensorlift.comprehension.definition import Definition
    from tensorlift.comprehension.terms import Read, Term
    from tensorlift.synthesis.derive.scope import Span

Pieces = tuple[tuple["Domain", "Term"], ...]


@dataclass(frozen=True, eq=False)
class Task:
    """What is wanted: the term of the piece that holds at each point of a domain, for the points of a box.

    ``spans`` are the ranges of the box's index variables, ``shapes`` the extents of all arrays.  Arrays that ``inner``
    defines are looked through: the task is what the term is of the others.
    """

    pieces: Pieces
    spans: Mapping[str, Span]
    domain: Domain
    shapes: Mapping[str, tuple[Affine, ...]]
    inner: Mapping[str, Definition] = field(default_factory=dict)

    @property
    def axes(self) -> tuple[str, ...]:
        """The index variables, outermost first."""
        return tuple(self.spans)

    @cached_property
    def reads(self) -> list[tuple[Read, Domain]]:
        """The array reads of the terms and of what they look through, each with the points at which it is evaluated."""
        found = _reads(self.pieces, self.domain)
        for definition in self.looked_through:
            found += _reads(definition.pieces, definition.domain)
        return [(read, where) for read, where in found if read.array not in self.inner]

    @cached_property
    def looked_through(self) -> list[Definition]:
        """The definitions that the terms read, directly or not, first those that are met first."""
        found: dict[str, Definition] = {}
        waiting = [name for _, term in self.pieces for name in sorted(term.reads)]
        while waiting:
            name = waiting.pop(0)
            if name in self.inner and name not in found:
                found[name] = self.inner[name]
                waiting += [read for _, term in found[name].pieces for read in sorted(term.reads)]
        return list(found.values())

    @cached_property
    def extents(self) -> list[Affine]:
        """The extents of the box and of the arrays that are read."""
        arrays = dict.fromkeys(read.array for read, _ in self.reads)
        own = [after - first for first, after in self.spans.values()]
        read = [extent for array in arrays for extent in self.shapes[array]]
        return [*own, *read, *(extent for definition in self.looked_through for extent in definition.shape)]

    @cached_property
    def offsets(self) -> list[Affine]:
        """The extents and offsets of subscripts that are made of several sizes: each could be taken for a number."""
        subscripts = [index for read, _ in self.reads for index in read.indices]
        known = set(self.symbols)
        still = [i - sum((Affine.var(v, c) for v, c in i.terms if v not in known), Affine(0)) for i in subscripts]
        return [form for form in dict.fromkeys([*self.extents, *still]) if len(form.variables) > 1]

    @cached_property
    def divisions(self) -> list[Domain]:
        """The conditions inside the terms, constraint by constraint; the pieces are tasks by themselves."""
        inner = [node for _, term in self.conditions for node in walk(term) if isinstance(node, Piecewise)]
        return _constraints(domain for node in inner for domain, _ in node.pieces)

    @cached_property
    def margins(self) -> list[Affine]:
        """What has to be positive for the sizes of a task with conditions to be typical.

        Those on several sizes and loop variables, such as ``n > i``, hold with something left, and those on positions
        hold at some and fail at some, if that can be.
        """
        conditions = [*self.divisions, *([self.relevant] if is_divided(self.relevant) else [])]
        if not conditions:
            return []
        inside = self.relevant.project_out(*self.axes)
        listed = [c for conjunct in conjuncts_of(inside) for c in conjunct if not c.is_equality]
        found = [c.affine for c in listed if len(c.affine.variables) > 1]
        found += [margin for condition in conditions for margin in self._room(condition)]
        return [m for m in dict.fromkeys(found) if not (inside & Domain.of(at_least(m, 1))).is_empty()]

    def _room(self, condition: Domain) -> Iterator[Affine]:
        """Yield what is positive where a condition holds at more than one position and fails at more than one."""
        if is_divided(condition):
            steps = [(self.spans[axis], stride_of(condition, axis)) for axis in self.axes]
            yield from (after - first - 2 * stride[1] + 1 for (first, after), stride in steps if stride is not None)
            return
        for (constraint,) in conjuncts_of(condition):
            known = {*self.axes, *self.symbols}
            if constraint.is_equality or not known.issuperset(constraint.affine.variables):
                continue
            least, most = ends_over(constraint.affine, self.spans)
            yield from (most, -least - 1)

    @cached_property
    def symbols(self) -> list[str]:
        """The sizes and loop variables on which the task depends."""
        names = dict.fromkeys(v for extent in self.extents for v in extent.variables)
        for span in self.spans.values():
            names.update(dict.fromkeys(v for end in span for v in end.variables))
        for domain, term in self.conditions:
            names.update(dict.fromkeys([*sorted(term.free), *domain.variables()]))
        bound = {*self.spans, *(index for definition in self.looked_through for index in definition.indices)}
        for definition in self.looked_through:
            for domain, term in definition.pieces:
                names.update(dict.fromkeys([*sorted(term.free), *domain.variables()]))
        return [name for name in names if name not in bound]

    @cached_property
    def conditions(self) -> Pieces:
        """The pieces with what their domains say beyond the task's domain."""
        return tuple((domain.gist(self.domain), term) for domain, term in self.pieces)

    @cached_property
    def relevant(self) -> Domain:
        """The task's domain as far as it concerns the box and the symbols."""
        known = {*self.symbols, *self.spans}
        return self.domain.project_out(*(name for name in self.domain.variables() if name not in known))


def _constraints(domains: Iterable[Domain]) -> list[Domain]:
    """Return conditions one by one, each once; one that needs an integer division stays with what it stands with."""
    found: dict[Domain, None] = {}
    for part in (part for domain in domains for part in domain.parts()):
        apart = [part] if is_divided(part) else [Domain.of(c) for conjunct in conjuncts_of(part) for c in conjunct]
        found.update(dict.fromkeys(apart))
    return list(found)


def _reads(pieces: Pieces, where: Domain) -> list[tuple[Read, Domain]]:
    return [found for domain, term in pieces for found in reads_in(term, where & domain)]
