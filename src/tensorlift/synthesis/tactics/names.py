"""Names in tactics: everything that is used is bound, everything that is bound is used, each name is one thing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.diagnostics import LiftError, refuse
from tensorlift.synthesis.tactics.syntax import Cell, cells_of, folded, indices_of, names_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tensorlift.diagnostics import Location
    from tensorlift.synthesis.tactics.syntax import Statement


def given_arrays(statements: Sequence[Statement]) -> tuple[str, ...]:
    """Return the arrays whose values before matter, in order: those read, or added to, before they are assigned."""
    found: dict[str, None] = {}
    assigned: set[str] = set()
    result = statements[-1].target.array
    for statement in statements:
        read = [c.array for c in cells_of(statement.value)]
        read += [result] if statement.target.array == result and (statement.op != "=" or statement.conditions) else []
        found.update(dict.fromkeys(array for array in read if array not in assigned))
        assigned.add(statement.target.array)
    return tuple(found)


def check_pattern(statements: Sequence[Statement], place: Location) -> None:
    """Refuse a pattern whose names do not fit together.

    Raises:
        LiftError: TL322 or TL323.

    """
    _check_kinds(statements, place)
    result = statements[-1].target.array
    for statement in statements:
        _check_statement(statement, place)
        free = [c for c in statement.conditions if not set(c.indices) & set(folded(statement))]
        if free and statement.target.array == result:
            remedy = "leave it out: where a definition holds is not the pattern's business"
            raise _unbound(f"the condition `{free[0]}` is not on a folded index", statement.target.place, place, remedy)
    _check_read(statements, result, place)


def check_builder(pattern: Sequence[Statement], builder: Sequence[Statement], place: Location) -> None:
    """Refuse a builder that uses what its pattern does not bind, or leaves out what it binds.

    Raises:
        LiftError: TL322 or TL323.

    """
    _check_kinds([*pattern, *builder], place)
    known = {*given_arrays(pattern)}
    indices = {i for s in pattern for c in _cells(s) for i in c.indices}
    fused = {f.index: f for s in builder for f in s.fusions}
    scalars = {n.name for s in pattern for n in names_of(s.value)}
    for statement in builder:
        _check_statement(statement, place)
        for fusion in statement.fusions:
            if not set(fusion.parts) <= indices or fusion.index in indices or fused[fusion.index] != fusion:
                message = f"`{fusion}` does not name a new index for indices of the pattern"
                raise _unbound(message, statement.target.place, place)
        _check_bound(statement, (known, scalars, indices | fused.keys()), place)
        known.add(statement.target.array)
    _check_result(pattern, builder, place)
    used = {c.array for s in builder for c in cells_of(s.value)} | {s.target.array for s in builder}
    unused = next((a for a in given_arrays(pattern) if a not in used), None)
    scalar = next((n for n in sorted(scalars - {n.name for s in builder for n in names_of(s.value)})), None)
    if unused or scalar:
        raise _unused(f"the builder does not use `{unused or scalar}` of the pattern", place)
    _check_read(builder, pattern[-1].target.array, place)


def _check_bound(statement: Statement, bound: tuple[set[str], set[str], set[str]], place: Location) -> None:
    """Demand that the arrays, scalars and indices of a builder statement are bound."""
    arrays, scalars, indices = bound
    for cell in cells_of(statement.value):
        if cell.array not in arrays:
            raise _unbound(f"the array `{cell.array}` is not bound by the pattern or before", cell.place, place)
    for name in names_of(statement.value):
        if name.name not in scalars:
            raise _unbound(f"the scalar `{name.name}` is not bound by the pattern", name.place, place)
    for cell in _cells(statement):
        unknown = next((i for i in cell.indices if i not in indices), None)
        if unknown is not None:
            raise _unbound(f"the index `{unknown}` is not bound by the pattern", cell.place, place)


def _check_result(pattern: Sequence[Statement], builder: Sequence[Statement], place: Location) -> None:
    wanted, made = pattern[-1].target, builder[-1].target
    if made.array != wanted.array or made.indices != wanted.indices:
        message = f"the last statement of the builder assigns `{made}`, not `{wanted}`"
        raise _unbound(message, made.place, place, f"end with a statement that assigns `{wanted}`")


def _cells(statement: Statement) -> tuple[Cell, ...]:
    return (statement.target, *cells_of(statement.value))


def _check_kinds(statements: Iterable[Statement], place: Location) -> None:
    """Demand that each name is an array of one rank, a scalar, an index or a factor."""
    kinds: dict[str, str] = {}
    for statement in statements:
        seen = [(n.name, "a scalar", n.place) for n in names_of(statement.value)]
        for cell in _cells(statement):
            if not statement.fusions:
                seen.append((cell.array, f"an array with {len(cell.subscripts)} subscripts", cell.place))
            for subscript in cell.subscripts:
                seen += [(name, "an index", cell.place) for _, name in subscript.terms]
                seen += [(f, "a factor", cell.place) for f, _ in subscript.terms if isinstance(f, str)]
        for name, kind, where in seen:
            if kinds.setdefault(name, kind) != kind:
                raise _unbound(
                    f"`{name}` is {kinds[name]}, and {kind} here", where, place, "give each thing a name of its own"
                )


def _check_statement(statement: Statement, place: Location) -> None:
    target = statement.target
    names = [s.only for s in target.subscripts]
    if None in names or len(set(names)) != len(names):
        raise _unbound(
            f"`{target}` is not an array at different plain indices", target.place, place, "assign to each cell once"
        )
    loose = folded(statement)
    if statement.op == "=" and loose:
        message = f"the index `{loose[0]}` is not bound by `{target}`"
        raise _unbound(message, target.place, place, "add it to the target, or fold with `+=`, `max=` or `min=`")
    if statement.op != "=":
        unused = next((i for i in target.indices if i not in indices_of(statement.value)), None)
        if unused is not None and not indices_of(statement.value):
            raise _unused(f"the value does not depend on the index `{unused}`", target.place or place)
    known = {*target.indices, *indices_of(statement.value)}
    unknown = next((i for c in statement.conditions for i in c.indices if i not in known), None)
    if unknown is not None:
        raise _unbound(f"the index `{unknown}` of a condition is not bound", target.place, place)


def _check_read(statements: Sequence[Statement], result: str, place: Location) -> None:
    for position, statement in enumerate(statements):
        array = statement.target.array
        later = statements[position + 1 :]
        read = any(array in [c.array for c in cells_of(s.value)] or s.target.array == array for s in later)
        if array != result and not read:
            raise _unused(f"`{array}` is assigned and never read", statement.target.place or place)


def _unbound(
    message: str, where: Location | None, place: Location, remedy: str = "bind it in the pattern"
) -> LiftError:
    return refuse("TL322", f"a name of the tactic is not bound as it is used: {message}", where or place, remedy)


def _unused(message: str, place: Location) -> LiftError:
    return refuse("TL323", f"a name of the tactic is not used: {message}", place, "use it, or leave it out")
