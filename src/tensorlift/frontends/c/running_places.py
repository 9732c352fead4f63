"""The values at places that a loop keeps: ``if (v[i] > v[k]) k = i;`` as a search that keeps the value too.

``v[k]`` is a read at a place that depends on data.  Where the loop changes nothing but local numbers, a variable that
is set to ``v[k]`` before the loop, and to ``v[i]`` wherever ``k`` is set to ``i``, holds the value of ``v[k]`` all the
time, and the loop becomes ``if (v[i] > held) { k = i; held = v[i]; }``, which reads at loop variables alone.

Nothing is read but what the loop reads, given enough iterations: ``v[i]`` is one of its own reads, and ``v[k]`` before
the loop is read at zero, or at a place for which the loop's condition holds.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tensorlift.frontends.c import nodes
from tensorlift.frontends.c.c_types import IntegerType, NumberType
from tensorlift.frontends.c.demand import walk
from tensorlift.frontends.c.mapped import (
    alike,
    changed,
    converted,
    expressions_of,
    is_name,
    names_in,
    nodes_of,
    with_expressions,
    with_value,
)
from tensorlift.frontends.c.modified import assigned_by, assigned_in_statement
from tensorlift.frontends.c.purity import addressed_in, is_number, is_pure, is_quiet, may_fail

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_TRUTHS = {"<", "<=", ">", ">=", "==", "!=", "&&", "||", "!", ","}


def keep_values_at_places(body: nodes.Block) -> None:
    """Keep, in place, the values that the loops of a function read at places that they keep."""
    told = addressed_in(body)
    for block in [statement for statement in nodes.statements_of(body) if isinstance(statement, nodes.Block)]:
        position = 0
        while position < len(block.statements):
            loop, before = block.statements[position], block.statements[:position]
            found = _found(loop, before, told) if isinstance(loop, nodes.Loop) else None
            if found is None:
                position += 1
            else:
                after = tuple(_after(found, block.statements[position + 1 :]))
                block.statements = (*before, *found.declarations(), found.statement(loop), *after)


@dataclass(eq=False)
class _Kept:
    """A place that a loop keeps, what it starts with, and the values there, each with what holds it.

    The values at the start are read under one of the conditions ``entries``, or in any case where there is none.
    """

    place: nodes.Variable
    start: nodes.Expression
    entries: list[nodes.Expression]
    values: list[tuple[nodes.Expression, nodes.Variable]] = field(default_factory=list)

    def declarations(self) -> Iterator[nodes.Statement]:
        """Yield the statements before the loop that declare what holds the values."""
        for value, holder in self.values:
            first = with_value(value, self.place, self.start)
            if not self.entries:
                holder.initialiser = first
            yield nodes.Declare(holder, holder.location)
            begun: nodes.Statement | None = None
            for entry in self.entries:
                taken = nodes.Evaluate(_assignment(holder, first), holder.location)
                begun = nodes.If(entry, taken, begun, holder.location)
            if begun is not None:
                yield begun

    def statement(self, statement: nodes.Statement) -> nodes.Statement:
        """Return a statement with the values read where they are held, and kept where the place is set."""
        match statement:
            case nodes.Evaluate(expression=nodes.Assign(target=target, value=value)) if is_name(target, self.place):
                return self._set(statement, self.expression(value))
        return with_expressions(statement, self.expression, self.statement)

    def expression(self, expression: nodes.Expression) -> nodes.Expression:
        """Return an expression with the values read where they are held."""

        def change(node: nodes.Expression) -> nodes.Expression | None:
            held = next((holder for value, holder in self.values if alike(value, node)), None)
            return None if held is None else nodes.name_of(held, node.location)

        return changed(expression, change)

    def is_in(self, expression: nodes.Expression) -> bool:
        """Whether an expression reads one of the values."""
        return any(alike(value, node) for node in walk(expression) for value, _ in self.values)

    def _set(self, statement: nodes.Evaluate, place: nodes.Expression) -> nodes.Statement:
        """Set the place and what holds the values there, also where a condition chooses between it and another."""
        location = statement.location
        choice = _choice(place, self.place)
        if choice is not None:
            arms = [self._arm(arm, statement) for arm in (choice.then, choice.otherwise)]
            return nodes.If(choice.condition, arms[0], arms[1], location)
        place = converted(place, self.place.ctype)
        steps = [replace(statement, expression=_assignment(self.place, place))]
        for value, holder in self.values:
            there = with_value(value, self.place, place)
            steps.append(nodes.Evaluate(_assignment(holder, there), location))
        return nodes.Block(tuple(steps), location)

    def _arm(self, value: nodes.Expression, statement: nodes.Evaluate) -> nodes.Statement:
        if _is_itself(value, self.place):
            return nodes.Block((), statement.location)
        return self._set(statement, converted(value, self.place.ctype))


def _assignment(target: nodes.Variable, value: nodes.Expression) -> nodes.Assign:
    return nodes.Assign("", nodes.name_of(target, value.location), value, target.ctype, value.location)


def _choice(value: nodes.Expression, place: nodes.Variable) -> nodes.Conditional | None:
    """Return the choice that a place is set to; a conversion of it is one of its arms, if it is to the place's type."""
    if isinstance(value, nodes.Cast) and value.ctype == place.ctype:
        value = value.operand
    return value if isinstance(value, nodes.Conditional) else None


def _is_itself(arm: nodes.Expression, place: nodes.Variable) -> bool:
    """Whether an arm of a choice is the place, as the choice's type, which holds all values of its arms' types."""
    while isinstance(arm, nodes.Cast) and not arm.explicit:
        arm = arm.operand
    return is_name(arm, place)


def _found(loop: nodes.Loop, before: Sequence[nodes.Statement], told: set[nodes.Variable]) -> _Kept | None:
    """Return a place that a loop keeps, with the values there that the loop reads; None where there is none."""
    if not is_quiet(loop):
        return None
    moving = assigned_in_statement(loop)
    for place, conditions in _chosen(loop.body).items():
        if place in told or not any(_values_at(c, place, moving - {place}) for c in conditions):
            continue
        start = _start(place, before, loop) if _sets(loop, place) else None
        entries = [] if start is None or _is_zero(start) else _entries(loop, start, before)
        if start is None or entries is None:
            continue
        found = _Kept(place, converted(start, place.ctype), entries)
        for statement in nodes.statements_of(loop):
            for expression in expressions_of(statement):
                for value in _values_at(expression, place, moving - {place}):
                    _note(found, value)
        if _reads_what_it_keeps(loop, found):
            return found
    return None


def _entries(
    loop: nodes.Loop, start: nodes.Expression, before: Sequence[nodes.Statement]
) -> list[nodes.Expression] | None:
    """Return the condition of a loop for its first iteration and for a place; None if it tests no single counter."""
    condition = loop.condition
    moving = set() if condition is None else names_in(condition) & assigned_in_statement(_repeated(loop))
    if condition is None or len(moving) != 1 or loop.keyword == "do" or not all(map(is_pure, walk(condition))):
        return None
    (counter,) = moving
    if loop.initial is not None and not (names_in(condition) - moving).isdisjoint(assigned_in_statement(loop.initial)):
        return None
    first = _start(counter, before, loop)
    if first is None or not isinstance(counter.ctype, IntegerType):
        return None
    return [with_value(condition, counter, converted(value, counter.ctype)) for value in (first, start)]


def _repeated(loop: nodes.Loop) -> nodes.Loop:
    """Return what the iterations of a loop do."""
    return replace(loop, initial=None)


def _reads_what_it_keeps(loop: nodes.Loop, found: _Kept) -> bool:
    """Whether a loop reads all cells itself that are read where the place is set."""
    read = [n for s in nodes.statements_of(loop.body) for n in nodes_of(s) if _place_of_read(n) is not None]
    kept = [
        node
        for place in _set_to(loop.body, found.place)
        for value, _ in found.values
        for node in walk(with_value(value, found.place, place))
        if _place_of_read(node) is not None
    ]
    return all(any(alike(node, known, but_types=True) for known in read) for node in kept)


def _note(found: _Kept, value: nodes.Expression) -> None:
    if not any(alike(value, known) for known, _ in found.values):
        array = min(v.name for v in names_in(value) if not is_number(v))
        holder = nodes.Variable(f"{array}_at_{found.place.name}", value.ctype, value.location)
        found.values.append((value, holder))


def _chosen(body: nodes.Statement) -> dict[nodes.Variable, list[nodes.Expression]]:
    """Return the integers that are set under conditions, with these."""
    found: dict[nodes.Variable, list[nodes.Expression]] = {}
    for statement in nodes.statements_of(body):
        conditions = [statement.condition] if isinstance(statement, nodes.If) else []
        conditions += [n.condition for n in nodes_of(statement) if isinstance(n, nodes.Conditional)]
        for variable in assigned_in_statement(statement) if conditions else ():
            is_own = not (variable.is_global or variable.is_static or variable.is_reference or variable.is_parameter)
            if isinstance(variable.ctype, IntegerType) and is_own:
                found.setdefault(variable, []).extend(conditions)
    return dict(sorted(found.items(), key=lambda item: item[0].location))


def _values_at(
    expression: nodes.Expression, place: nodes.Variable, moving: set[nodes.Variable]
) -> list[nodes.Expression]:
    """List the greatest parts of an expression that are numbers read at a place, and that nothing else moves."""
    found: list[nodes.Expression] = []

    def change(node: nodes.Expression) -> nodes.Expression | None:
        if _is_value_at(node, place) and moving.isdisjoint(names_in(node)):
            found.append(node)
            return node
        return None

    changed(expression, change)
    return found


def _is_value_at(expression: nodes.Expression, place: nodes.Variable) -> bool:
    if not isinstance(expression.ctype, NumberType) or getattr(expression, "operator", "") in _TRUTHS:
        return False
    parts = list(walk(expression))
    places = [there for node in parts if (there := _place_of_read(node)) is not None]
    return any(place in names_in(there) for there in places) and all(is_pure(n) and not may_fail(n) for n in parts)


def _place_of_read(node: nodes.Expression) -> nodes.Expression | None:
    """Return what says where in an array an operation reads; None if it reads none."""
    match node:
        case nodes.Subscript(index=place) | nodes.Unary(operator="*", operand=place):
            return place
    return None


def _sets(loop: nodes.Loop, place: nodes.Variable) -> bool:
    """Whether the body of a loop sets a place by statements of their own, to values that do not depend on it."""
    found = [n for s in nodes.statements_of(_repeated(loop)) for n in nodes_of(s) if place in assigned_by(n)]
    if any(isinstance(s, nodes.Declare) and s.variable is place for s in nodes.statements_of(loop.body)):
        return False
    own = [s for s in nodes.statements_of(loop.body) if _setting(s, place) is not None]
    return len(own) == len(found) and not any(place in names_in(value) for value in _set_to(loop.body, place))


def _setting(statement: nodes.Statement, place: nodes.Variable) -> nodes.Expression | None:
    """Return what a statement sets a place to, if that has no effect of its own."""
    match statement:
        case nodes.Declare(variable=variable) if variable is place:
            value = variable.initialiser
        case nodes.Evaluate(expression=nodes.Assign(operator="", target=target, value=assigned)) if is_name(
            target, place
        ):
            value = assigned
        case _:
            return None
    return value if value is not None and all(map(is_pure, walk(value))) else None


def _set_to(body: nodes.Statement, place: nodes.Variable) -> list[nodes.Expression]:
    """List the values that a loop sets a place to, other than the place itself."""
    work = [value for s in nodes.statements_of(body) if (value := _setting(s, place)) is not None]
    found = []
    while work:
        value = work.pop()
        choice = _choice(value, place)
        if choice is not None:
            work += [arm for arm in (choice.otherwise, choice.then) if not _is_itself(arm, place)]
        else:
            found.append(value)
    return found


def _start(place: nodes.Variable, before: Sequence[nodes.Statement], loop: nodes.Loop) -> nodes.Expression | None:
    """Return what a place is before a loop, as an expression that has the same value there; None if not known."""
    entering = [] if loop.initial is None else list(_flat((loop.initial,)))
    since: set[nodes.Variable] = set()
    for statement in reversed([*_flat(before), *entering]):
        setting = _setting(statement, place)
        if setting is not None:
            changes = since.union(*map(assigned_in_statement, entering)) if statement in entering else since
            return setting if _is_fixed(setting, changes | {place}) else None
        since |= assigned_in_statement(statement)
        if place in since:
            return None
        if statement in entering[:1]:
            since = set()  # what holds the values is set before the loop is entered
    return None


def _is_fixed(value: nodes.Expression, since: set[nodes.Variable]) -> bool:
    """Whether a value is made of numbers that did not change, and no negative constant, at which nothing is read."""
    known = (nodes.Name, nodes.Integer, nodes.Binary, nodes.Cast)
    names = names_in(value)
    return (
        all(isinstance(node, known) and isinstance(node.ctype, IntegerType) for node in walk(value))
        and names.isdisjoint(since)
        and not any(variable.is_global or variable.is_reference for variable in names)
    )


def _is_zero(start: nodes.Expression) -> bool:
    start = nodes.without_casts(start)
    return isinstance(start, nodes.Integer) and start.value == 0


def _flat(statements: Sequence[nodes.Statement]) -> Iterator[nodes.Statement]:
    """Yield statements one by one, those too that share a line or are joined by commas."""
    for statement in statements:
        match statement:
            case nodes.Block(statements=parts, is_scope=False):
                yield from _flat(parts)
            case nodes.Evaluate(expression=nodes.Binary(operator=",", left=left, right=right)):
                yield from _flat([nodes.Evaluate(part, statement.location) for part in (left, right)])
            case _:
                yield statement


def _after(found: _Kept, statements: Sequence[nodes.Statement]) -> Iterator[nodes.Statement]:
    """Yield the statements after a loop, which read the values where they are held until something changes them.

    What is read in any case after the loop is read before it in any case, too.
    """
    fixed = {found.place}.union(*(names_in(value) for value, _ in found.values))
    holds = True
    for statement in statements:
        changes = not is_quiet(statement) or not fixed.isdisjoint(assigned_in_statement(statement))
        if holds and any(map(found.is_in, expressions_of(statement))):
            found.entries = []
        reads = any(found.is_in(e) for s in nodes.statements_of(statement) for e in expressions_of(s))
        holds = holds and not (reads and found.entries)
        match statement:
            case nodes.Evaluate(expression=nodes.Assign(operator="", target=target, value=value) as assign) if (
                holds and all(map(is_pure, [*walk(target), *walk(value)]))
            ):
                yield replace(statement, expression=replace(assign, value=found.expression(value)))
            case _:
                yield found.statement(statement) if holds and not changes else statement
        holds = holds and not changes
