"""Naming: versions of an array share the source's name wherever their lifetimes allow it.

Statements are numbered; a variable is alive from each assignment to the last use that it reaches. Versions that an
assignment only passes on are one variable, and so are two arrays as long as they have the same value. A name is given
to the parameter first, then to the version that is returned, then to the others in order; what would overwrite a value
still needed gets a name of its own.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tensorlift.comprehension.definition import Definition, loops_of
from tensorlift.ir.rewriting import affines_in, rewritten
from tensorlift.ir.tensor_program import (
    Assign,
    Copy,
    Expression,
    For,
    Return,
    SetSlice,
    Statement,
    Variable,
    nodes_of,
    roots_of,
    values_of,
    variables_in,
    walk_statements,
)
from tensorlift.synthesis.derive.settling import is_nameless
from tensorlift.synthesis.derive.sharing import temporary_stem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tensorlift.comprehension.definition import Item, Summary

Span = tuple[float, float]  # after the first position, up to the second


def named(body: tuple[Statement, ...], summary: Summary) -> tuple[Statement, ...]:
    """Return the statements with final variable names, assignments of a variable to itself dropped."""
    names = _Naming(body, summary).names()
    return _renamed(body, names, {})


@dataclass
class _Group:
    """Versions that are one variable, and when it is alive."""

    versions: list[str]
    alive: list[Span] = field(default_factory=list)

    def clashes(self, *others: _Group) -> bool:
        return any(a[0] < b[1] and b[0] < a[1] for a in self.alive for other in others for b in other.alive)


class _Naming:
    def __init__(self, body: tuple[Statement, ...], summary: Summary) -> None:
        self.summary = summary
        self.arrays = {name: name for name in summary.arrays} | arrays_of(summary.items)
        self.body = body
        parameters = [name for name, info in summary.arrays.items() if info.is_parameter]
        self.lifetimes = _Lifetimes(body, parameters)
        self.groups = {name: _Group([name], alive) for name, alive in self.lifetimes.alive.items()}
        self.taken = {*summary.sizes, *summary.scalars, *(d.name for d in summary.derived)}
        self.taken |= {s.variable for s in walk_statements(body) if isinstance(s, For)}
        stores = (s for s in walk_statements(body) if isinstance(s, SetSlice))
        sizes = {
            value
            for node in itertools.chain[Expression | SetSlice](nodes_of(body), stores)
            for value in affines_in(node)
        }
        self.ends = {name for size in sizes for name in size.variables if name in self.groups}
        self.taken |= self.ends  # which sizes mention, and so keep their names

    def names(self) -> dict[str, str]:
        self._unite()
        self._unite_equal()
        distinct = list({id(g): g for g in self.groups.values()}.values())
        by_name: dict[str, list[_Group]] = {}
        for group in self._by_priority(distinct):
            wanted = self._source_name(group)
            if wanted is None or wanted in self.taken or group.clashes(*by_name.get(wanted, [])):
                wanted = self._new_name(wanted, group, by_name)
            by_name.setdefault(wanted, []).append(group)
        given = {v: name for name, groups in by_name.items() for group in groups for v in group.versions}
        return given | {name: name for name in self.ends}

    def _passed(self, statements: Iterable[Statement]) -> Iterator[tuple[Assign, Variable, _Group, _Group]]:
        """Yield assignments of a variable to another one, or of its copy to be updated, with the groups of both."""
        for statement in statements:
            source = statement.value if isinstance(statement, Assign) else None
            if isinstance(source, Copy) and isinstance(statement, Assign) and statement.is_update:
                source = source.argument
            if isinstance(statement, Assign) and isinstance(source, Variable):
                new, old = self.groups.get(statement.name), self.groups.get(source.name)
                if new is not None and old is not None and new is not old:
                    yield statement, source, new, old

    def _unite(self) -> None:
        for statement, source, new, old in self._passed(walk_statements(self.body)):
            in_place = statement.is_update and (statement.value is source or self._dies(old, statement))
            same = self.arrays.get(statement.name) == self.arrays.get(source.name)
            passed_on = statement.definition not in self.arrays or self._is_carried(statement.name)
            is_one_memory = statement.is_update and statement.value is source
            if (in_place and same) or is_one_memory or (passed_on and same and not new.clashes(old)):
                self._merge(new, old)

    def _unite_equal(self) -> None:
        """Let two arrays be one variable where, outside of loops, one is assigned to the other."""
        for statement, source, new, old in self._passed(self.body):
            if statement.value is source and self._stays(old, new, source.name):
                takes_new_name = self._is_parameter(new) and not self._is_parameter(old)
                self._merge(*((new, old) if takes_new_name else (old, new)))

    def _stays(self, old: _Group, new: _Group, source: str) -> bool:
        """Tell whether a variable, which no loop hands on, keeps its value as long as another one with it is alive."""
        others = [span for version in old.versions if version != source for span in self.lifetimes.alive[version]]
        is_plain = len(new.versions) == 1 and not any(map(self._is_carried, old.versions))
        return is_plain and not new.clashes(_Group([], others))

    def _is_parameter(self, group: _Group) -> bool:
        info = self.summary.arrays.get(self._source_name(group) or "")
        return info is not None and info.is_parameter

    def _dies(self, old: _Group, update: Assign) -> bool:
        """Tell whether nothing needs the version before once the update is complete."""
        start = self.lifetimes.assigned[update.name]
        end = self.lifetimes.stored[update.name]
        return all(span[1] <= end for span in old.alive if span[0] < start < span[1])

    def _is_carried(self, name: str) -> bool:
        return name in {c.name for loop in loops_of(self.summary.items) for c in loop.carried}

    def _merge(self, one: _Group, other: _Group) -> None:
        one.versions += other.versions
        one.alive += other.alive
        for version in other.versions:
            self.groups[version] = one

    def _by_priority(self, groups: list[_Group]) -> list[_Group]:
        final = {name for _, name in self.summary.outputs}

        def rank(group: _Group) -> int:
            if any(v in self.summary.arrays for v in group.versions):
                return 0
            return 1 if final & set(group.versions) else 2

        return sorted(groups, key=rank)

    def _source_name(self, group: _Group) -> str | None:
        array = next((self.arrays[v] for v in group.versions if v in self.arrays), None)
        info = self.summary.arrays.get(array or "")
        name = info.source_name if info else array
        return None if name is None or is_nameless(name) else name

    def _new_name(self, source: str | None, group: _Group, by_name: dict[str, list[_Group]]) -> str:
        """Return a name for a version beside others of its array, or for a temporary, which shares it with none."""
        used = self.taken | self.summary.arrays.keys()
        if source is None:
            first = stem = next(filter(None, map(temporary_stem, group.versions)), "t")
            used |= by_name.keys()
        else:
            first, stem = f"{source}_new", f"{source}_"
        names = itertools.chain([first], (f"{stem}{k}" for k in itertools.count(2)))
        return next(n for n in names if n not in used and not group.clashes(*by_name.get(n, [])))


class _Lifetimes:
    """When each variable is alive, by numbering the statements; what a loop needs from outside lives to its end."""

    def __init__(self, body: tuple[Statement, ...], parameters: list[str]) -> None:
        self.alive: dict[str, list[Span]] = {}
        self.begun: dict[str, float] = dict.fromkeys(parameters, -1)
        self.last: dict[str, float] = {}
        self.assigned: dict[str, float] = {}  # positions of the first assignment and of the last store into a slice
        self.stored: dict[str, float] = {}
        self.position = 0
        self._block(body)
        for name in list(self.begun):
            self._end(name)

    def _block(self, body: tuple[Statement, ...]) -> None:
        for statement in body:
            self.position += 1
            if isinstance(statement, For):
                self._loop(statement)
                continue
            for value in values_of(statement):
                for name in variables_in(value):
                    self.last[name] = self.position
            if isinstance(statement, Assign):
                self._end(statement.name)
                self.begun[statement.name] = self.position
                self.assigned.setdefault(statement.name, self.position)
                self.stored.setdefault(statement.name, self.position)
            elif isinstance(statement, SetSlice):
                self.last[statement.name] = self.stored[statement.name] = self.position

    def _loop(self, loop: For) -> None:
        outside = set(self.begun)
        carried = {name for name, _ in loop.carried}
        self._block(loop.body)
        self.position += 1
        for value in roots_of(loop.body):
            for name in variables_in(value):
                if name in outside and name not in carried:
                    self.last[name] = self.position
        for name in carried:
            self.last[name] = max(self.last.get(name, 0), self.position)

    def _end(self, name: str) -> None:
        start = self.begun.pop(name, None)
        if start is not None:
            self.alive.setdefault(name, []).append((start, max(self.last.get(name, start), start + 0.5)))


def arrays_of(items: Iterable[Item]) -> dict[str, str]:
    """Return by versions the arrays that they are of."""
    found: dict[str, str] = {}
    for item in items:
        if isinstance(item, Definition):
            found[item.name] = item.array
        else:
            found |= {c.name: c.array for c in item.carried} | arrays_of(item.body)
    return found


# -- rewriting


def _renamed(
    body: tuple[Statement, ...], names: dict[str, str], memo: dict[Expression, Expression]
) -> tuple[Statement, ...]:
    def rule(node: Expression, _: Expression) -> Expression:
        return replace(node, name=names.get(node.name, node.name)) if isinstance(node, Variable) else node

    result: list[Statement] = []
    for statement in body:
        if isinstance(statement, For):
            carried = tuple((names[v], d) for v, d in statement.carried)
            goes_on = statement.goes_on and replace(statement.goes_on, name=names[statement.goes_on.name])
            inner = _renamed(statement.body, names, memo)
            result.append(replace(statement, body=inner, carried=carried, goes_on=goes_on))
        elif isinstance(statement, Return):
            result.append(Return(tuple(rewritten(v, rule, memo) for v in statement.values)))
        else:
            value = rewritten(statement.value, rule, memo)
            name = names[statement.name]
            if not (isinstance(statement, Assign) and isinstance(value, Variable) and value.name == name):
                result.append(replace(statement, name=name, value=value))
    return tuple(result)
