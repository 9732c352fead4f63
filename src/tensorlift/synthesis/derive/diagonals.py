"""Definitions that change an anti-diagonal: its cells are read and stored at index arrays, rows and columns.

a_1(x, y) = { f(a(x - 1, y), a(x, y - 1)) if x + y = t and 1 <= x < m and 1 <= y < n;  a(x, y) elsewhere }

first = max(1, t - n + 1)
last = min(m, t)
a[np.arange(first, last), t - np.arange(first, last)] = ...
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension.rewrite import reads_in, substitute
from tensorlift.ir.tensor_program import Assign, Scatter, SetSlice
from tensorlift.ir.views import whole
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, NotAffine, at_least
from tensorlift.poly.names import unused
from tensorlift.synthesis.derive.reads import affine_value

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tensorlift.comprehension.definition import Definition
    from tensorlift.comprehension.terms import Term
    from tensorlift.ir.tensor_program import Statement
    from tensorlift.poly.domain import Constraint
    from tensorlift.synthesis.derive.scope import Scope


class _Part(NamedTuple):
    """Cells ``(x, column)`` of an anti-diagonal, for ``x`` from the greatest of ``lower`` to the least of ``upper``."""

    column: Affine
    lower: tuple[Affine, ...]
    upper: tuple[Affine, ...]
    domain: Domain
    term: Term


def diagonal(definition: Definition, scope: Scope, dies_here: Callable[[str], bool]) -> list[Statement] | None:
    """Return statements that change anti-diagonals of what is there before; None where a definition is another one."""
    kept = [term for _, term in definition.pieces if definition.is_own_cell(term)]
    if len(definition.indices) != 2 or len(kept) != 1 or not scope.build.around:  # noqa: PLR2004 - a matrix
        return None
    parts: list[_Part] = []
    for domain, term in definition.pieces:
        if term is not kept[0]:
            found = _parts(definition, domain & definition.domain, term, scope.context)
            if found is None:
                return None
            parts += found
    (version,) = kept[0].reads
    if len(parts) > 1 and any(_reads_along(part, version, definition.indices) for part in parts):
        return None
    memory = scope.build.variable(version, definition.dtype, definition.shape)
    start = Assign(definition.name, memory if dies_here(version) else scope.build.copy(memory), is_update=True)
    return [start, *(s for part in parts for s in _stored(definition, part, scope))]


def _parts(definition: Definition, domain: Domain, term: Term, known: Domain) -> list[_Part] | None:
    """Return the parts of a piece that are on an anti-diagonal, None where it has others."""
    row, column = definition.indices
    places = [e.solve(column) for e in domain.equalities() if e.coefficient(row) == e.coefficient(column) != 0]
    if not places or places[0] is None or places[0].coefficient(row) != -1:
        return None
    at = {column: places[0]}
    inside, parts = domain.substitute(at), []
    try:
        conjuncts = inside.gist(known).conjuncts()
    except NotAffine:
        return None
    for conjunct in conjuncts:
        ends = _ends(conjunct, row)
        if ends is None:
            return None
        parts.append(_Part(places[0], *ends, inside, substitute(term, at)))
    return parts


def _ends(conjunct: Sequence[Constraint], row: str) -> tuple[tuple[Affine, ...], tuple[Affine, ...]] | None:
    """Return what is at most a row and what is more, None where that is not all that is asked.

    A condition that has nothing to do with the row is that the end of a single row is behind it.
    """
    lower: list[Affine] = []
    upper: list[Affine] = []
    conditions: list[Affine] = []
    for constraint in conjunct:
        factor = constraint.affine.coefficient(row)
        if factor not in {0, 1, -1}:
            return None
        end = Affine.var(row) - constraint.affine * factor
        if not factor:
            conditions += [constraint.affine, *([-constraint.affine] if constraint.is_equality else [])]
        elif constraint.is_equality:
            lower, upper = [end, *lower], [end + 1, *upper]
        else:
            (lower if factor > 0 else upper).append(end if factor > 0 else end + 1)
    is_single = bool(lower and upper) and upper[0] - lower[0] == 1
    if not lower or not upper or (conditions and not is_single):
        return None
    return tuple(lower), (*upper, *(lower[0] + 1 + condition for condition in conditions))


def _reads_along(part: _Part, version: str, indices: Sequence[str]) -> bool:
    """Tell whether a part reads another cell of its own anti-diagonal, which another part may have changed."""
    at = Affine.var(indices[0]) + part.column
    there = ((r.indices[0] + r.indices[1] - at, r) for r, _ in reads_in(part.term, part.domain) if r.array == version)
    return any(not distance.is_constant or distance.constant == 0 for distance, _ in there)


def _stored(definition: Definition, part: _Part, scope: Scope) -> list[Statement]:
    row, build = definition.indices[0], scope.build
    statements: list[Statement] = []

    def end(name: str, op: str, ends: tuple[Affine, ...]) -> Affine:
        if len(ends) == 1:
            return ends[0]
        chosen = Affine.var(unused(name, build.taken))
        value = build.size(ends[0])
        for other in ends[1:]:
            value = build.elementwise(op, value, build.size(other))
        statements.append(Assign(str(chosen), value))
        return chosen

    first, last = end("first", "max", part.lower), end("last", "min", part.upper)
    known = Domain.of(*(at_least(first, e) for e in part.lower))
    if scope.context.implies(*(at_least(after, before) for before in part.lower for after in part.upper)):
        known &= Domain.of(*(at_least(e, last) for e in part.upper))
    else:  # where there are no rows, the last one is not before the first one
        last = end("behind", "max", (first, last))
    inner = scope.within(scope.context & known).over({row: (first, last)}, part.domain)
    value = inner.converted(inner.evaluate(part.term, inner), definition.dtype)
    places = tuple(affine_value(place, inner).expression for place in (Affine.var(row), part.column))
    statements += [Assign(build.temporary(n), place) for n, place in zip(("rows", "columns"), places, strict=True)]
    memory = build.variable(definition.name, definition.dtype, definition.shape)
    stored = inner.aligned(value, (row,)) if value.axes else value.expression
    changed = Scatter(memory.dtype, memory.shape, False, memory, "set", (0, 1), places, stored)  # noqa: FBT003 - a field
    items = tuple(map(whole, definition.shape))
    return [*statements, SetSlice(definition.name, definition.shape, items, changed)]
