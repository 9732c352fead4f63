"""Integers with several closed forms: a statement that uses one runs once for each, under the conditions between them.

``int l = i - 1; if (l < 0) l = 0;`` leaves ``l`` as a choice between 0 and ``i - 1``.  Its first use as a subscript,
``y[i] = x[l]``, becomes ``if (i >= 1) y[i] = x[i - 1]; else y[i] = x[0];``.  In the same way are decided a conditional
expression in a subscript, and a remainder that wraps around once, as in ``x[(i + 1) % n]``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.comprehension.polynomial import ONE, Polynomial
from tensorlift.frontends.c import nodes
from tensorlift.frontends.c.c_types import ArrayType, FloatType, IntegerType, NumberType, PointerType
from tensorlift.frontends.c.conditions import least_of_choice
from tensorlift.frontends.c.demand import walk
from tensorlift.frontends.c.index_arithmetic import wrapping_point
from tensorlift.frontends.c.loops import Loops
from tensorlift.frontends.c.places import lost
from tensorlift.frontends.c.sink import AffineCondition
from tensorlift.frontends.c.values import Address, Binding, Choice, Environment, Index, Known

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tensorlift.diagnostics import Location
    from tensorlift.frontends.c.sink import Condition

_MOST_FORMS = 8


class Choices(Loops):
    """Execution by cases."""

    def execute(self, statement: nodes.Statement) -> None:
        """Execute a statement, by cases where its integers are not decided."""
        self.count_step(statement.location)
        if not self.sink.emits or not self._has_choices():
            self.run(statement)
            return
        decided = self._take_decided(statement)
        statement = self._with_values_read_before(statement)
        undecided = self.undecided(statement)
        if undecided is None:
            self.run(statement)
        else:
            self._by_cases(undecided, statement)
        for variable, (choice, value) in decided.items():
            if self.environment.get(variable) is value:  # not assigned here: elsewhere it is still a choice
                self.environment[variable] = choice

    def _has_choices(self) -> bool:
        """Whether any integer may be undecided here: a variable, a remainder or a conditional expression."""
        demand = self.demand
        return demand.divides or demand.chooses or any(isinstance(b, Choice) for b in self.environment.values())

    def run(self, statement: nodes.Statement) -> None:
        """Execute a statement whose integers are all decided."""
        raise NotImplementedError

    def declare_uninitialised(self, variable: nodes.Variable) -> None:
        """Declare a variable that holds data."""
        raise NotImplementedError

    def branches(
        self,
        condition: Condition,
        guards: tuple[Known, Known],
        arms: tuple[nodes.Statement | None, nodes.Statement | None],
        location: Location,
    ) -> None:
        """Execute two arms under a condition, and join what they leave."""
        before = dict(self.environment)
        ends: list[Environment] = []
        regions: list[object] = []
        self.branches_around += 1
        for arm, known in zip(arms, guards, strict=True):
            self.environment = dict(before)
            self.sink.begin_branch()
            with self.inside(guards=known):
                if arm is not None:
                    self.execute(arm)
            regions.append(self.sink.end_branch())
            ends.append(self.environment)
        self.branches_around -= 1
        self.environment = self._joined_environment(condition, ends)
        self.sink.branch(condition, (regions[0], regions[1]), None, location)

    def undecided(self, statement: nodes.Statement) -> Polynomial | None:
        """Give a polynomial on whose sign depends which values a statement has; None where all are decided."""
        for expression in _own(statement):
            for node in _without_least(expression, self.environment):
                if isinstance(node, nodes.Name):
                    binding = self.environment.get(node.variable)
                    conditions = binding.conditions if isinstance(binding, Choice) else ()
                    undecided = next((c for c in conditions if self.sign(c) is None), None)
                    if undecided is not None:
                        return undecided
        for expression in self._steering_parts(statement):
            for node in walk(expression):
                found = self._undecided_in(node)
                if found is not None:
                    return found
        return None

    def _with_values_read_before(self, statement: nodes.Statement) -> nodes.Statement:
        """Read by cases what an assignment computes with, where the assignment as a whole would have more cases.

        ``y[i] = x[left] + x[right]`` has four, each of the two values has two.
        """
        match statement:
            case nodes.Evaluate(expression=nodes.Assign(target=target, value=value) as assign) if isinstance(
                value.ctype, NumberType
            ) and not (isinstance(target, nodes.Name) and self._is_exact(target.variable)):
                pass
            case _:
                return statement
        found: list[nodes.Subscript] = []

        def note(cell: nodes.Subscript) -> nodes.Expression:
            found.extend([cell] if self._chosen_cell(cell) else [])
            return cell

        def read(cell: nodes.Subscript) -> nodes.Expression:
            if cell not in found:
                return cell
            variable = nodes.Variable("there", cell.ctype, cell.location, initialiser=cell)
            self.execute(nodes.Declare(variable, statement.location))
            return nodes.Name(variable, cell.ctype, cell.location)

        _with_cells(value, note)
        if not found or (len(found) == 1 and not assign.operator):
            return statement
        return replace(statement, expression=replace(assign, value=_with_cells(value, read)))

    def _chosen_cell(self, node: nodes.Subscript) -> bool:
        """Whether a value is read at a subscript that has several forms here."""
        return any(
            (isinstance(part, nodes.Name) and isinstance(self.environment.get(part.variable), Choice))
            or self._undecided_in(part) is not None
            for part in walk(node)
        )

    def _undecided_in(self, node: nodes.Expression) -> Polynomial | None:
        if isinstance(node, nodes.Conditional) and not isinstance(node.ctype, FloatType):
            condition = self.condition_without_effects(node.condition)
            parts = None if isinstance(condition, bool) or condition is None else self.conditions_of(condition)
            if parts is None or any(self.sign(part) is False for part in parts):
                return None
            return next((part for part in parts if self.sign(part) is None), None)
        if isinstance(node, nodes.Binary) and node.operator in {"/", "//", "%"} and isinstance(node.ctype, IntegerType):
            if not (self.is_index(node.left) and self.is_index(node.right)):
                return None
            left, right = self.evaluate(node.left), self.evaluate(node.right)
            if isinstance(left, Index) and isinstance(right, Index):
                point = wrapping_point(left.polynomial, right.polynomial, self.ranges, self.domain)
                return point if point is not None and self.sign(point) is None else None
        return None

    def _steering_parts(self, statement: nodes.Statement) -> Iterator[nodes.Expression]:
        """List the parts of a statement's expressions that must be exact: subscripts, offsets, what is assigned."""
        for expression in _own(statement):
            if isinstance(statement, nodes.Loop):
                yield from _without_least(expression, self.environment, shallow=True)
            elif isinstance(statement, nodes.Declare) and self._is_exact(statement.variable):
                yield expression
            for node in walk(expression):
                yield from self._steering_operands(node)

    def _steering_operands(self, node: nodes.Expression) -> Iterator[nodes.Expression]:
        match node:
            case nodes.Subscript(index=index):
                yield index
            case nodes.Binary(ctype=PointerType()):
                yield node
            case nodes.Assign(target=nodes.Name(variable=variable), value=value) if self._is_exact(variable):
                yield value
            case nodes.Call(callee=nodes.Function(parameters=parameters), arguments=arguments):
                pairs = zip(parameters, arguments, strict=False)
                yield from (argument for parameter, argument in pairs if self._is_exact(parameter))

    def _is_exact(self, variable: nodes.Variable) -> bool:
        return isinstance(variable.ctype, PointerType | ArrayType) or self.demand.steers(variable)

    def _take_decided(self, statement: nodes.Statement) -> dict[nodes.Variable, tuple[Choice, Binding]]:
        """Bind the choices that a statement uses, and that are decided at this place, to what they are here."""
        found: dict[nodes.Variable, tuple[Choice, Binding]] = {}
        for expression in _own(statement):
            for node in walk(expression):
                binding = self.environment.get(node.variable) if isinstance(node, nodes.Name) else None
                if not isinstance(node, nodes.Name) or not isinstance(binding, Choice):
                    continue
                value = self._resolved(binding)
                if value is not binding:
                    found[node.variable] = binding, value
                    self.environment[node.variable] = value
        return found

    def _resolved(self, choice: Choice) -> Index | Address | Choice:
        value: Index | Address | Choice = choice
        while isinstance(value, Choice):
            signs = [self.sign(condition) for condition in value.conditions]
            if False in signs:
                value = value.otherwise
            elif None in signs:
                break
            else:
                value = value.then
        return value

    def _by_cases(self, undecided: Polynomial, statement: nodes.Statement) -> None:
        """Execute a statement under ``undecided >= 0``, and once more under the opposite."""
        if isinstance(statement, nodes.Declare) and not self._is_exact(statement.variable):
            variable, value = statement.variable, statement.variable.initialiser
            assert value is not None
            self.declare_uninitialised(variable)
            name = nodes.name_of(variable, statement.location)
            statement = nodes.assignment(name, value, statement.location)
        self.branches(*both_signs(undecided), (statement, statement), statement.location)

    def _joined_environment(self, condition: Condition, ends: list[Environment]) -> Environment:
        """Join the environments of two arms: a variable that differs is a choice, or has no closed form any more."""
        conditions = self.conditions_of(condition) if isinstance(condition, AffineCondition) else None
        if isinstance(condition, AffineCondition) and condition.inverted:
            ends.reverse()
        joined: Environment = {}
        for variable, first in ends[0].items():
            second = ends[1].get(variable)
            if second is not None:
                joined[variable] = first if _same(first, second) else _choice(variable, conditions, first, second)
        return joined

    def conditions_of(self, condition: AffineCondition) -> tuple[Polynomial, ...] | None:
        """Write what a condition joins (not what it inverts) as polynomials that are not negative."""
        parts: list[Polynomial] = []
        for polynomial, is_equality in condition.constraints:
            sides = (polynomial, -polynomial) if is_equality else (polynomial,)
            parts += [side for side in sides if self.sign(side) is not True] or [polynomial]
        return tuple(parts)


def both_signs(
    polynomial: Polynomial,
) -> tuple[AffineCondition, tuple[tuple[Polynomial, ...], tuple[Polynomial, ...]]]:
    """Give the condition that a polynomial is not negative, with what is known in either case."""
    return AffineCondition(((polynomial, False),)), ((polynomial,), (-polynomial - ONE,))


_ARITHMETIC = frozenset(["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"])  # which computes with both operands


def _with_cells(value: nodes.Expression, convert: Callable[[nodes.Subscript], nodes.Expression]) -> nodes.Expression:
    """Convert the cells that an expression of numbers reads whatever its other values are, and without an effect."""
    match value:
        case nodes.Subscript(ctype=FloatType() | IntegerType()):
            return convert(value)
        case nodes.Binary(ctype=FloatType() | IntegerType(), left=left, right=right) if value.operator in _ARITHMETIC:
            return replace(value, left=_with_cells(left, convert), right=_with_cells(right, convert))
        case nodes.Unary(operator="-", operand=operand) | nodes.Cast(operand=operand):
            return replace(value, operand=_with_cells(operand, convert))
        case nodes.Call(callee=None, arguments=arguments):
            return replace(value, arguments=tuple(_with_cells(argument, convert) for argument in arguments))
    return value


def _own(statement: nodes.Statement) -> list[nodes.Expression]:
    """List the expressions of a statement, not those of the statements inside; a loop's are those of its head."""
    match statement:
        case nodes.Declare(variable=nodes.Variable(initialiser=value)) if value is not None:
            return [value]
        case nodes.Evaluate(expression=value) | nodes.If(condition=value):
            return [value]
        case nodes.Return(value=value) if value is not None:
            return [value]
        case nodes.Loop(initial=initial, condition=condition, advance=advance):
            own = [part for part in (condition, advance) if part is not None]
            first = [initial] if isinstance(initial, nodes.Declare | nodes.Evaluate) else []
            if isinstance(initial, nodes.Block):
                first = [s for s in initial.statements if isinstance(s, nodes.Declare | nodes.Evaluate)]
            return [e for s in first for e in _own(s)] + own
    return []


def _without_least(
    expression: nodes.Expression, environment: Environment, *, shallow: bool = False
) -> Iterator[nodes.Expression]:
    """List the parts of an expression without upper bounds that are the lesser of two values, which loops may have."""
    match expression:
        case nodes.Binary(operator="&&", left=left, right=right):
            yield from _without_least(left, environment, shallow=shallow)
            yield from _without_least(right, environment, shallow=shallow)
        case nodes.Binary(operator="<" | "<=", left=left, right=right) if least_of_choice(right, environment):
            yield from _without_least(left, environment, shallow=shallow)
        case nodes.Binary(operator="<" | "<=", left=left, right=nodes.Conditional()) if shallow:
            yield left
        case _ if shallow:
            yield expression
        case _:
            yield from walk(expression)


def _same(first: Binding, second: Binding) -> bool:
    """Whether two bindings are the same value."""
    if isinstance(first, Index) and isinstance(second, Index):
        return first.polynomial == second.polynomial
    return first == second


def _choice(
    variable: nodes.Variable, conditions: tuple[Polynomial, ...] | None, first: Binding, second: Binding
) -> Binding:
    if conditions is None or not isinstance(first, Index | Address | Choice):
        return lost(variable)
    if not isinstance(second, Index | Address | Choice) or _forms(first) + _forms(second) > _MOST_FORMS:
        return lost(variable)
    return Choice(conditions, first, second)


def _forms(binding: Index | Address | Choice) -> int:
    return _forms(binding.then) + _forms(binding.otherwise) if isinstance(binding, Choice) else 1
