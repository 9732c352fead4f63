"""Loops that count by one: their counter, where it starts and ends, and the same loop run backwards."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tensorlift.frontends.c import nodes
from tensorlift.frontends.c.c_types import INT, IntegerType
from tensorlift.frontends.c.mapped import converted, is_name, names_in

_RISING = {"<": 0, "<=": 1}
_FALLING = {">": 1, ">=": 0}


@dataclass(frozen=True, slots=True)
class Counted:
    """A loop whose counter takes every value between two ends, which its iterations leave as they are.

    It starts at ``start``, and the last value is below ``bound + beyond`` where it rises, and that where it falls.
    """

    loop: nodes.Loop
    counter: nodes.Variable
    start: nodes.Expression
    bound: nodes.Expression
    beyond: int
    rises: bool

    @property
    def fixed(self) -> set[nodes.Variable]:
        """The variables that say where the loop starts and ends."""
        return names_in(self.start) | names_in(self.bound)

    def backwards(self, body: nodes.Statement) -> nodes.Loop:
        """Return a loop over the same values of the counter in the opposite order."""
        location, ctype = self.loop.location, self.counter.ctype
        name = nodes.Name(self.counter, ctype, location)
        end = self._moved(converted(self.bound, ctype), self.beyond)
        if self.rises:
            below = nodes.Unary("post--", name, ctype, location)
            condition, advance, first = nodes.Binary(">", below, self.start, INT, location), None, end
        else:
            condition = nodes.Binary("<=", name, self.start, INT, location)
            advance, first = nodes.Unary("post++", name, ctype, location), end
        assign = nodes.assignment(name, first, location)
        return nodes.Loop("for", self._declared(assign), condition, advance, body, location)

    def _declared(self, assign: nodes.Evaluate) -> nodes.Statement:
        """Put the declaration of the counter before its first value, if the loop declares it."""
        if isinstance(self.loop.initial, nodes.Declare):
            return nodes.Block((self.loop.initial, assign), assign.location, is_scope=False)
        return assign

    def _moved(self, value: nodes.Expression, distance: int) -> nodes.Expression:
        if distance == 0:
            return value
        one = converted(nodes.Integer(distance, INT, value.location), value.ctype)
        return nodes.Binary("+", value, one, value.ctype, value.location)


def counted(loop: nodes.Loop) -> Counted | None:
    """Read a loop whose condition is one comparison of its counter; None if it is no such loop."""
    counter, step = _step(loop.advance) or (None, 0)
    start = None if counter is None else _start(loop.initial, counter)
    condition = loop.condition
    if counter is None or start is None or not isinstance(counter.ctype, IntegerType):
        return None
    if not isinstance(condition, nodes.Binary) or not is_name(nodes.without_casts(condition.left), counter):
        return None
    beyond = (_RISING if step > 0 else _FALLING).get(condition.operator)
    if step < 0 and condition.operator == ">=" and not counter.ctype.signed:
        return None  # it is never below zero
    if beyond is None or not _keeps_values(condition.left.ctype, counter.ctype, start, rises=step > 0):
        return None
    return Counted(loop, counter, start, condition.right, beyond, step > 0)


def _keeps_values(compared: object, counter: IntegerType, start: nodes.Expression, *, rises: bool) -> bool:
    """Whether all values of a counter compare as what they are: an ``int`` from zero on does with ``size_t`` too."""
    if not isinstance(compared, IntegerType):
        return False
    first = nodes.without_casts(start)
    return compared.contains(counter) or (rises and isinstance(first, nodes.Integer) and first.value >= 0)


def _start(initial: nodes.Statement | None, counter: nodes.Variable) -> nodes.Expression | None:
    match initial:
        case nodes.Declare(variable=variable) if variable is counter:
            return None if variable.initialiser is None else converted(variable.initialiser, counter.ctype)
        case nodes.Evaluate(expression=nodes.Assign(operator="", target=target, value=value)) if is_name(
            target, counter
        ):
            return converted(value, counter.ctype)
    return None


def _step(advance: nodes.Expression | None) -> tuple[nodes.Variable, int] | None:
    """Return the variable that an expression moves by one, and the direction."""
    match advance:
        case nodes.Unary(operator="pre++" | "post++", operand=nodes.Name(variable=variable)):
            return variable, 1
        case nodes.Unary(operator="pre--" | "post--", operand=nodes.Name(variable=variable)):
            return variable, -1
        case nodes.Assign(operator="+" | "-" as sign, target=nodes.Name(variable=variable), value=step):
            return (variable, 1 if sign == "+" else -1) if _is_one(step) else None
        case nodes.Assign(operator="", target=nodes.Name(variable=variable), value=value):
            match nodes.without_casts(value):
                case nodes.Binary(operator="+" | "-" as sign, left=left, right=step):
                    is_step = is_name(nodes.without_casts(left), variable) and _is_one(step)
                    return (variable, 1 if sign == "+" else -1) if is_step else None
    return None


def _is_one(expression: nodes.Expression) -> bool:
    step = nodes.without_casts(expression)
    return isinstance(step, nodes.Integer) and step.value == 1


def counter_of(loop: nodes.Loop) -> nodes.Variable | None:
    """Return the variable that the head of a loop moves by one."""
    counter, _ = _step(loop.advance) or (None, 0)
    return counter


def begun(loop: nodes.Loop) -> tuple[tuple[nodes.Statement, ...], nodes.Loop] | None:
    """Return a loop as one that starts and steps its counter in its head, and what comes before; None if it has none.

    A ``while`` loop may step it in the last statement of its body.
    """
    if loop.keyword == "do":
        return None
    if loop.advance is None:
        statements = loop.body.statements if isinstance(loop.body, nodes.Block) else (loop.body,)
        if not statements or not isinstance(statements[-1], nodes.Evaluate):
            return None
        inner = nodes.Block(statements[:-1], loop.body.location)
        loop = replace(loop, keyword="for", advance=statements[-1].expression, body=inner)
    counter = counter_of(loop)
    if counter is None:
        return None
    if loop.initial is not None:
        return (), loop
    name = nodes.name_of(counter, loop.location)
    start = nodes.Variable("start", counter.ctype, loop.location, initialiser=name)
    first = nodes.Name(start, counter.ctype, loop.location)
    initial = nodes.assignment(name, first, loop.location)
    return (nodes.Declare(start, loop.location),), replace(loop, initial=initial)


def bound_and_others(loop: nodes.Loop) -> tuple[nodes.Loop, list[nodes.Expression]] | None:
    """Split the condition of a loop into the only comparison of its counter with numbers, and what else must hold."""
    counter = counter_of(loop)
    parts = [] if counter is None or loop.condition is None else _joined(loop.condition)
    bounds = [part for part in parts if counter is not None and _is_bound(part, counter)]
    if len(bounds) != 1:
        return None
    return replace(loop, condition=bounds[0]), [part for part in parts if part is not bounds[0]]


def _joined(condition: nodes.Expression) -> list[nodes.Expression]:
    bare = nodes.without_casts(condition)
    if isinstance(bare, nodes.Binary) and bare.operator == "&&":
        return [*_joined(bare.left), *_joined(bare.right)]
    return [bare if isinstance(bare, nodes.Binary) else condition]


def _is_bound(part: nodes.Expression, counter: nodes.Variable) -> bool:
    return (
        isinstance(part, nodes.Binary)
        and part.operator in _RISING.keys() | _FALLING.keys()
        and is_name(nodes.without_casts(part.left), counter)
    )
