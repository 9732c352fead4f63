"""Conditions: conjunctions of affine comparisons stay affine, everything else becomes a truth value.

``a && b`` and ``a ? b : c`` are evaluated eagerly where the later operands cannot fail, otherwise under a branch.
The sink decides that, because it sees the operations.
"""

from __future__ import annotations

from operator import eq, ge, gt, le, lt, ne
from typing import TYPE_CHECKING, TypeAlias

from tensorlift.comprehension.polynomial import ONE, Polynomial
from tensorlift.frontends.c import index_arithmetic, nodes
from tensorlift.frontends.c.c_types import INT, FloatType, IntegerType, NumberType
from tensorlift.frontends.c.demand import children
from tensorlift.frontends.c.endings import ending_in
from tensorlift.frontends.c.places import Places
from tensorlift.frontends.c.refusals import refusal
from tensorlift.frontends.c.sink import AffineCondition, Condition
from tensorlift.frontends.c.values import (
    Address,
    Array,
    Choice,
    Data,
    Environment,
    Index,
    Known,
    Need,
    NotZero,
    Unknown,
    Value,
)
from tensorlift.ir.arithmetic import NEGATED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.diagnostics import Location

COMPARISONS = {"<", "<=", ">", ">=", "==", "!="}
_Decided: TypeAlias = "AffineCondition | bool | None"
_COMPARED = {"<": lt, "<=": le, ">": gt, ">=": ge, "==": eq, "!=": ne}


class Conditions(Places):
    """Evaluation of conditions and of the operators that branch."""

    def condition(self, expression: nodes.Expression) -> Condition | bool:
        """Evaluate a condition; a bool is one that is decided."""
        affine = self.condition_without_effects(expression)
        if affine is not None:
            return affine
        data = self.truth(expression)
        return data if data.literal is None else bool(data.literal)

    def _affine(self, expression: nodes.Expression, *, negate: bool) -> AffineCondition | bool | None:
        """Read a condition as a conjunction of affine constraints, if it is one; nothing is emitted."""
        exists = self._null_test(expression)
        if exists is not None:
            return exists != negate
        match expression:
            case nodes.Unary(operator="!", operand=operand):
                return self._affine(operand, negate=not negate)
            case nodes.Binary(operator="&&" | "||" as operator, left=left, right=right):
                if (operator == "||") != negate:
                    return None
                return _conjunction(self._affine(left, negate=negate), self._affine(right, negate=negate))
            case nodes.Binary(operator=operator, left=left, right=right) if operator in COMPARISONS:
                operator = NEGATED[operator] if negate else operator
                return self._comparison(operator, left, right)
            case nodes.Cast(operand=operand, ctype=IntegerType()) if _is_condition(operand):
                return self._affine(operand, negate=negate)
            case _ if isinstance(expression.ctype, IntegerType) and self.is_index(expression):
                zero = nodes.Integer(0, INT, expression.location)
                return self._comparison("==" if negate else "!=", expression, zero)
        return None

    def _null_test(self, expression: nodes.Expression) -> bool | None:
        """Decide whether a pointer is null: the arrays of the function exist, which is stated."""
        tested, outcome = expression, True
        if isinstance(expression, nodes.Binary) and expression.operator in {"==", "!="}:
            sides = [side for side in (expression.left, expression.right) if not _is_null(side)]
            if len(sides) != 1:
                return None
            tested, outcome = sides[0], expression.operator == "!="
        tested = nodes.without_casts(tested)
        binding = self.environment.get(tested.variable) if isinstance(tested, nodes.Name) else None
        if not isinstance(binding, Address):
            return None
        if isinstance(binding.base, Array) and binding.base.is_parameter and self.sink.emits:
            name = binding.base.name
            self.preconditions.state("not-null", f"{name} is not a null pointer", expression.location)
        return outcome

    def guards(self, expression: nodes.Expression) -> tuple[Known, Known]:
        """Give what is known where a condition is true and where it is false."""
        return self._known_if(expression, truth=True), self._known_if(expression, truth=False)

    def _known_if(self, expression: nodes.Expression, *, truth: bool) -> Known:
        match expression:
            case nodes.Unary(operator="!", operand=operand):
                return self._known_if(operand, truth=not truth)
            case nodes.Cast(operand=operand) if _is_condition(nodes.without_casts(operand)):
                return self._known_if(operand, truth=truth)
            case nodes.Binary(operator="&&" | "||" as operator, left=left, right=right):
                if (operator == "&&") != truth:
                    return ()
                return self._known_if(left, truth=truth) + self._known_if(right, truth=truth)
            case nodes.Binary(operator=operator, left=left, right=right) if operator in COMPARISONS:
                return self._known_comparison(operator if truth else NEGATED[operator], left, right)
            case _ if isinstance(expression.ctype, IntegerType):
                zero = nodes.Integer(0, INT, expression.location)
                return self._known_comparison("!=" if truth else "==", expression, zero)
        return ()

    def _known_comparison(self, operator: str, left: nodes.Expression, right: nodes.Expression) -> Known:
        if not (self.is_index(left) and self.is_index(right)):
            return ()
        a, b = self.evaluate(left), self.evaluate(right)
        if not (isinstance(a, Index) and isinstance(b, Index)):
            return ()
        difference = a.polynomial - b.polynomial
        if operator != "!=":
            polynomial, equality = _constraint(operator, difference)
            return (polynomial, -polynomial) if equality else (polynomial,)
        for side in (difference, -difference):  # what differs from its end lies beyond it
            if self.ranges.is_certain(side, self.domain):
                return (side - ONE,)
        return (NotZero(difference),)

    def is_index(self, expression: nodes.Expression) -> bool:
        """Whether an expression is exact index arithmetic without side effects; of a choice, what is chosen here."""
        if isinstance(expression, nodes.Name):
            return isinstance(self.environment.get(expression.variable), Index)
        if isinstance(expression, nodes.Integer):
            return True
        if isinstance(expression, nodes.Conditional):
            condition = self.condition_without_effects(expression.condition)
            decided = self._decided(condition) if isinstance(condition, AffineCondition) else condition
            return isinstance(decided, bool) and self.is_index(expression.then if decided else expression.otherwise)
        if isinstance(expression, nodes.Unary) and expression.operator not in {"-", "+", "~"}:
            return False
        if isinstance(expression, nodes.Binary) and expression.operator in {"/", "//", "%", ">>"}:
            return self._is_size(expression)
        if isinstance(expression, nodes.Binary) and expression.operator not in {"+", "-", "*", "<<"}:
            return False
        if not isinstance(expression, nodes.Unary | nodes.Binary | nodes.Cast):
            return False
        return isinstance(expression.ctype, IntegerType) and all(map(self.is_index, children(expression)))

    def _is_size(self, expression: nodes.Binary) -> bool:
        """Whether a quotient or remainder is exact, and one of sizes alone."""
        if not all(map(self.is_index, children(expression))):
            return False
        with self.quiet(self.environment):
            value = self.evaluate(expression)
        return isinstance(value, Index) and self.ranges.leaves(value.polynomial) <= self.ranges.sizes.keys()

    def _comparison(
        self, operator: str, left: nodes.Expression, right: nodes.Expression
    ) -> AffineCondition | bool | None:
        """Read a comparison of exact integers as a constraint."""
        if not (self.is_index(left) and self.is_index(right)):
            return None
        a, b = self.evaluate(left), self.evaluate(right)
        if not (isinstance(a, Index) and isinstance(b, Index)):
            return None
        difference = a.polynomial - b.polynomial
        value = difference.constant_value
        if value is None and (not difference.is_affine or operator == "!="):
            return None
        self.rely_on(a)
        self.rely_on(b)
        if value is not None:
            return bool(index_arithmetic.compare_constants(operator, value))
        return AffineCondition((_constraint(operator, difference),))

    def truth(self, expression: nodes.Expression) -> Data:
        """Evaluate an expression as a truth value of the emitted program."""
        value = self.truth_value(expression) if _is_condition(expression) else self.evaluate(expression)
        if isinstance(value, Index) and value.polynomial.constant_value is not None:
            return self.sink.truth(int(value.polynomial.constant_value != 0), expression.location)
        if isinstance(value, Address):
            raise refusal("pointer", expression.location, "a pointer is tested")
        data = self.as_data(value, expression)
        if data.literal is not None:
            return self.sink.truth(int(data.literal != 0), expression.location)
        return data if data.truth else self._differs_from_zero(data, expression.location)

    def _differs_from_zero(self, data: Data, location: Location) -> Data:
        zero = self.sink.constant(0, data.ctype, location)
        return self.sink.compare("!=", data, zero, location)

    def truth_value(self, expression: nodes.Expression) -> Value:
        """Evaluate a comparison, ``!``, ``&&`` or ``||`` as a value: an exact 0 or 1, or a truth value."""
        affine = self.condition_without_effects(expression)
        if isinstance(affine, bool):
            return Index(Polynomial.constant(int(affine)), INT)
        if affine is not None:
            return self.sink.truth_of(affine, expression.location)
        match expression:
            case nodes.Unary(operator="!", operand=operand):
                return self.sink.unary("!", self.truth(operand), expression.location)
            case nodes.Binary(operator="&&" | "||"):
                return self._connective(expression)
            case nodes.Binary():
                return self._data_comparison(expression)
        raise refusal("expression", expression.location, "this condition")

    def condition_without_effects(self, expression: nodes.Expression) -> AffineCondition | bool | None:
        """Read an affine condition of either form."""
        affine = self._affine(expression, negate=False)
        if affine is not None:
            return affine
        opposite = self._affine(expression, negate=True)
        if isinstance(opposite, AffineCondition):
            return AffineCondition(opposite.constraints, inverted=True)
        return None if opposite is None else not opposite

    def _data_comparison(self, expression: nodes.Binary) -> Value:
        left, right = self.evaluate(expression.left), self.evaluate(expression.right)
        if isinstance(left, Address) or isinstance(right, Address):
            difference = self.address_difference(left, right)
            value = None if difference is None else difference.polynomial.constant_value
            decided = None if value is None else index_arithmetic.compare_constants(expression.operator, value)
            if decided is None:
                raise refusal("pointer", expression.location, "pointers are compared")
            return Index(Polynomial.constant(decided), INT)
        for index in (left, right):
            if isinstance(index, Index):
                self.rely_on(index)
        data = [
            self.value_of(self.as_data(value, side), side.location)
            for value, side in ((left, expression.left), (right, expression.right))
        ]
        known = [one.literal for one in data if one.literal is not None and one.literal >= 0]
        if len(known) == len(data):  # one below zero may be of a type without sign
            return self.sink.truth(int(_COMPARED[expression.operator](*known)), expression.location)
        return self.sink.compare(expression.operator, data[0], data[1], expression.location)

    def _connective(self, expression: nodes.Binary) -> Value:
        """Evaluate ``&&`` and ``||``: the right operand only where the left does not decide."""
        left = self.truth(expression.left)
        self._without_effects(expression.right)
        self.sink.begin_branch()
        with self.inside(guards=self._known_if(expression.left, truth=expression.operator == "&&")):
            right = self.truth(expression.right)
        return self.sink.connect(expression.operator, left, (right, self.sink.end_branch()), expression.location)

    def conditional(self, expression: nodes.Conditional) -> Value:
        """Evaluate ``?:``; an undecided one is a value of the emitted program."""
        condition = self.condition(expression.condition)
        if isinstance(condition, AffineCondition) and not isinstance(expression.ctype, FloatType):
            condition = self._decided(condition)
        if isinstance(condition, bool):
            return self.evaluate(expression.then if condition else expression.otherwise)
        if not isinstance(expression.ctype, NumberType):
            if not self.sink.emits:
                return Unknown("pointer-walk", "?:")
            ending = ending_in(expression.then) or ending_in(expression.otherwise)
            if ending is not None:
                raise refusal("ending", expression.location, ending)
            raise refusal("pointer", expression.location, "a pointer is chosen by `?:`")
        known = self.guards(expression.condition)
        results: list[Data] = []
        arms: list[object] = []
        for arm, guards in zip((expression.then, expression.otherwise), known, strict=True):
            self._without_effects(arm)
            self.sink.begin_branch()
            with self.inside(guards=guards):
                value = self.evaluate(arm)
                converted = self.convert(value, expression.ctype, arm.location, arm)
                results.append(self.as_data(converted, arm))
            arms.append(self.sink.end_branch())
        result = self.sink.branch(condition, (arms[0], arms[1]), (results[0], results[1]), expression.location)
        assert result is not None
        return result

    def _decided(self, condition: AffineCondition) -> AffineCondition | bool:
        """Decide a condition that the loops and conditions around it settle."""
        holds = True
        for polynomial, is_equality in condition.constraints:
            sides = (polynomial, -polynomial) if is_equality else (polynomial,)
            signs = [self.sign(side) for side in sides]
            if False in signs:
                return condition.inverted
            holds = holds and None not in signs
        return not condition.inverted if holds else condition

    def sign(self, polynomial: Polynomial) -> bool | None:
        """Tell whether a polynomial is certainly not negative, or certainly negative, at this place."""
        for side, answer in ((polynomial, True), (-polynomial - ONE, False)):
            if self.domain.says(side) or self.ranges.is_certain(side, self.domain):
                return answer
        return None

    def _without_effects(self, expression: nodes.Expression) -> None:
        """Refuse side effects that depend on a condition inside an expression."""
        if nodes.changed_by(expression) is not None:
            raise refusal("conditional-effect", expression.location)
        for child in children(expression):
            self._without_effects(child)

    def address_difference(self, left: Value, right: Value) -> Index | None:
        """Subtract two addresses of one array."""
        if not isinstance(left, Address) or not isinstance(right, Address) or left.base is not right.base:
            return None
        if left.subscripts[:-1] != right.subscripts[:-1]:
            return None
        needs: tuple[Need, ...] = left.needs + right.needs
        return Index(left.subscripts[-1] - right.subscripts[-1], INT, needs)


def _constraint(operator: str, difference: Polynomial) -> tuple[Polynomial, bool]:
    """Turn ``difference op 0`` into a constraint."""
    if operator == "==":
        return difference, True
    bound = {"<": -difference - ONE, "<=": -difference, ">": difference - ONE, ">=": difference}
    return bound[operator], False


def _conjunction(left: _Decided, right: _Decided) -> _Decided:
    """Join two conditions by ``and``."""
    if left is False or right is False:
        return False if left is not None and right is not None else None
    if left is None or right is None:
        return None
    if left is True or right is True:
        return right if left is True else left
    assert isinstance(left, AffineCondition)
    assert isinstance(right, AffineCondition)
    return AffineCondition(left.constraints + right.constraints)


def least_of_choice(expression: nodes.Expression, environment: Environment) -> tuple[Index, Index] | None:
    """Give two integers of which a variable is the lesser, converted as the variable is."""
    conversions = nodes.conversions_of(expression)
    expression = nodes.without_casts(expression)
    binding = environment.get(expression.variable) if isinstance(expression, nodes.Name) else None
    if not isinstance(binding, Choice) or len(binding.conditions) != 1:
        return None
    first, second = binding.then, binding.otherwise
    if not isinstance(first, Index) or not isinstance(second, Index):
        return None
    distance = second.polynomial - first.polynomial - binding.conditions[0]
    if distance.constant_value not in {0, 1}:
        return None
    lesser, other = _converted(first, conversions), _converted(second, conversions)
    return None if lesser is None or other is None else (lesser, other)


def _converted(index: Index, conversions: Sequence[nodes.Cast]) -> Index | None:
    """Convert an integer by conversions, outermost first; None where one gives no exact integer."""
    value: Index | None = index
    for cast in reversed(conversions):
        if value is None or not isinstance(cast.ctype, IntegerType):
            return None
        value = index_arithmetic.convert(value, cast.ctype, cast.location)
    return value


def _is_null(expression: nodes.Expression) -> bool:
    """Whether an expression is a null pointer constant."""
    expression = nodes.without_casts(expression)
    return isinstance(expression, nodes.Integer) and expression.value == 0


def _is_condition(expression: nodes.Expression) -> bool:
    """Whether an expression is a truth value by its operator."""
    if isinstance(expression, nodes.Unary):
        return expression.operator == "!"
    return isinstance(expression, nodes.Binary) and expression.operator in COMPARISONS | {"&&", "||"}
