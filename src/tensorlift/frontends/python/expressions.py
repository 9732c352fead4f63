"""Scalar expressions of Python: names, arithmetic with floor division, comparisons, conditions.

Everything works on arrays too, element by element, through ``elementwise`` of the subclass.
"""

from __future__ import annotations

import ast
import operator
from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.frontends.c import nodes
from tensorlift.frontends.python.refusals import refusal
from tensorlift.frontends.python.scalars import (
    DTYPES,
    LOGICAL,
    Scalar,
    binary,
    call,
    cast,
    check_wrapping,
    choose,
    compare,
    differ_in_kind,
    floating,
    integer,
    join,
    logical,
    name_of,
    number,
    promoted,
    truth,
    truth_of,
)
from tensorlift.frontends.python.state import State
from tensorlift.frontends.python.syntax import COMPARISONS, PLAIN
from tensorlift.frontends.python.values import ArrayValue, ArrayVariable, Operand, Sizes, View, whole
from tensorlift.ops.c_types import BOOL, DOUBLE, INT, LONG, FloatType

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tensorlift.diagnostics import Location

_BITS: dict[type[ast.operator], str] = {
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}
_EXACT: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
_GROWING = (ast.Add, ast.Sub, ast.Mult, ast.Pow, ast.LShift)
_LARGEST_POWER = 8
_INT64 = 1 << 63


class Expressions(State):
    """Evaluation of expressions."""

    def evaluate(self, node: ast.expr) -> Operand:
        """Evaluate an expression; statements that it needs go before the current one."""
        location = self.locate(node)
        match node:
            case ast.Constant(value=value):
                return self._constant(value, location)
            case ast.Name(id=name):
                return self.name(name, location)
            case ast.BinOp():
                return self._operation(node)
            case ast.BoolOp():
                return self._one_of(node)
            case ast.UnaryOp(op=ast.Not()) | ast.Compare():
                return self._logic(node)
            case ast.UnaryOp(op=op, operand=operand):
                return self._unary(op, self.evaluate(operand), location)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return choose(self.truth(test), self.scalar(body), self.scalar(orelse), location)
            case ast.Subscript() | ast.Attribute():
                return self.element(node)
            case ast.Call():
                return self.call(node)
            case _:
                return self._several(node)

    def _several(self, node: ast.expr) -> Operand:
        """Evaluate what gives several numbers at once."""
        match node:
            case ast.List():
                return self.literal(node)
            case ast.Tuple(elts=items):
                return Sizes(tuple(self.held(self.scalar(item), self.locate(item)) for item in items))
            case ast.ListComp():
                return self.listed(node)
            case _:
                raise self._unsupported(node)

    def _operation(self, node: ast.BinOp) -> Operand:
        """Apply an operator to two numbers or arrays, or repeat a list."""
        location = self.locate(node)
        if isinstance(node.op, ast.MatMult):
            return self.matrix_product(self.array(node.left), self.array(node.right), location)
        if isinstance(node.op, ast.Mult) and isinstance(node.left, ast.List):
            return self.repeated(node.left, node.right)
        if isinstance(node.op, ast.Mult) and isinstance(node.right, ast.List):
            return self.repeated(node.right, node.left)
        return self.binary(node.op, self.evaluate(node.left), self.evaluate(node.right), location)

    def _unsupported(self, node: ast.expr) -> Exception:
        location = self.locate(node)
        match node:
            case ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                return refusal("comprehension", location, "a comprehension")
            case ast.Lambda():
                return refusal("comprehension", location, "a lambda")
            case ast.Starred() | ast.Await() | ast.Yield() | ast.YieldFrom():
                return refusal("operator", location, f"`{ast.unparse(node)}` is not lifted")
            case _:
                return refusal("literal", location, f"`{ast.unparse(node)}`")

    def scalar(self, node: ast.expr) -> Scalar:
        """Evaluate an expression that must be a number."""
        value = self.evaluate(node)
        if not isinstance(value, Scalar):
            raise refusal("rank", self.locate(node), f"`{ast.unparse(node)}` is an array where a number is needed")
        return value

    def integer(self, node: ast.expr) -> Scalar:
        """Evaluate an expression that must be an integer."""
        value = self.scalar(node)
        if not value.is_integer or value.is_truth:
            raise refusal("index", self.locate(node), f"`{ast.unparse(node)}` is not known to be an integer")
        return cast(value, LONG, self.locate(node)) if value.ctype != LONG else value

    def array(self, node: ast.expr) -> ArrayValue | View:
        """Evaluate an expression that must be an array."""
        value = self.evaluate(node)
        if isinstance(value, ArrayValue | View):
            return value
        raise refusal("unknown-rank", self.locate(node), ast.unparse(node))

    def truth(self, node: ast.expr) -> Scalar:
        """Evaluate a condition."""
        if isinstance(node, ast.BoolOp | ast.Compare) or (
            isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
        ):
            found = self._logic(node)
            if isinstance(found, Scalar):
                return found
            raise refusal("operator", self.locate(node), "an array is no condition")
        return truth_of(self.scalar(node), self.locate(node))

    def name(self, name: str, location: Location) -> Operand:
        """Give what a name stands for."""
        found = self.environment.get(name)
        if isinstance(found, nodes.Variable):
            if self.key(name) in self.facts.data:
                self.data.add(found)
            ctype, weak = self.facts.type_of(self.key(name))
            # Where the variable has another type, this pass is not the last one.
            mixed, loose = self.facts.kinds_of(self.key(name))
            known = self.facts.integers.get(self.key(name))
            latest = self.latest.get(self.key(name)) if name in self.straight and ctype == LONG else None
            if latest is not None and latest.is_integer and not latest.is_truth:
                return replace(latest, node=nodes.Name(found, ctype, location), ctype=ctype)
            return Scalar(nodes.Name(found, ctype, location), ctype, weak, mixed=mixed, loose=loose, known=known)
        if isinstance(found, ArrayVariable):
            return whole(found, location)
        if found is not None:
            return found
        if name in self.stores:
            raise refusal("unbound", location, name)
        if name in self.module.constants:
            return self._constant(self.module.constants[name], location)
        raise refusal("name", location, name)

    def _constant(self, value: object, location: Location) -> Scalar:
        if isinstance(value, bool):
            return truth(value, location)
        if isinstance(value, int) and -_INT64 <= value < _INT64:
            return integer(value, location)
        if isinstance(value, float) and value == value and abs(value) != float("inf"):  # noqa: PLR0124 - false for NaN alone
            return floating(value, location)
        if isinstance(value, int):
            raise refusal("large", location, f"{value}"[:40])
        raise refusal("literal", location, f"`{str(value)[:40]}`")

    def _unary(self, op: ast.unaryop, value: Operand, location: Location) -> Operand:

        def apply(operands: Sequence[Scalar]) -> Scalar:
            operand = number(operands[0], location)
            if operand.mixed and not operand.weak:
                raise refusal("truths", location, "a sign before a value that may be a truth value of NumPy")
            if operand.ctype == BOOL:
                return _negated(op, operands[0], location)
            if isinstance(op, ast.UAdd):
                return operand
            if isinstance(op, ast.Invert):
                if not operand.is_integer:
                    raise refusal("operator", location, "`~` of a number that is no integer")
                return Scalar(nodes.Unary("~", operand.node, operand.ctype, location), operand.ctype, operand.weak)
            if isinstance(operand.node, nodes.Integer):
                return Scalar(nodes.Integer(-operand.node.value, LONG, location), LONG, operand.weak)
            known = check_wrapping(integer(0, location), operand, location, operator.sub)
            negated = nodes.Unary("-", operand.node, operand.ctype, location)
            result = Scalar(negated, operand.ctype, operand.weak, loose=operand.loose, known=known)
            if self.is_any(operand.node):
                self.note_growth(result, location)
            return result

        return self.elementwise(apply, [value], location)

    def binary(self, op: ast.operator, left: Operand, right: Operand, location: Location) -> Operand:
        """Apply a binary operator, element by element if an operand is an array."""
        return self.elementwise(
            lambda operands: self._arithmetic(op, operands[0], operands[1], location), [left, right], location
        )

    def _arithmetic(self, op: ast.operator, left: Scalar, right: Scalar, location: Location) -> Scalar:
        counts = any(side.is_truth or isinstance(side.node, nodes.Integer) for side in (left, right))
        if left.is_truth and right.is_truth and (found := _of_truths(op, left, right, location)) is not None:
            return found
        may_be_truths = [side.is_truth or side.mixed for side in (left, right)]
        if all(may_be_truths) and (left.mixed or right.mixed) and not (left.weak and right.weak):
            raise refusal("truths", location, "arithmetic of truth values that are Python's or NumPy's, or numbers")
        left, right = number(left, location), number(right, location)
        if left.ctype == right.ctype == BOOL:
            left, right = (cast(side, DTYPES["int8"], location) for side in (left, right))
        for loose, other in ((left, right), (right, left)):
            is_float = isinstance(loose.ctype, FloatType)
            if loose.loose and is_float and other.is_integer and not (other.weak or isinstance(op, ast.Div)):
                detail = "a number of NumPy with one that is a float or, where data decides so, an integer of Python"
                raise refusal("type", location, f"arithmetic of {detail}")
        known = None if isinstance(op, ast.Div) else check_wrapping(left, right, location, _EXACT.get(type(op)))
        result = self._operated(op, left, right, location)
        if left.may_be_integer and right.may_be_integer and not isinstance(op, ast.Div):
            result = replace(result, loose=not (result.weak and result.is_integer), known=known)
        if isinstance(op, ast.FloorDiv | ast.Mod | ast.RShift) and _is_above_one(right.node):
            self.parts.add(result.node)
            return result
        is_data = self.is_any(left.node) or self.is_any(right.node)
        is_moved = isinstance(op, ast.FloorDiv) or (counts and isinstance(op, ast.Add | ast.Sub))
        if is_data if is_moved else isinstance(op, _GROWING):
            self.note_growth(result, location)
        return result

    def _operated(self, op: ast.operator, left: Scalar, right: Scalar, location: Location) -> Scalar:
        if type(op) in PLAIN:
            return binary(PLAIN[type(op)], left, right, location)
        if isinstance(op, ast.Div):
            return _quotient(left, right, location)
        if isinstance(op, ast.FloorDiv | ast.Mod):
            return _rounded_down("//" if isinstance(op, ast.FloorDiv) else "%", left, right, location)
        if isinstance(op, ast.Pow):
            return self._power(left, right, location)
        if type(op) in _BITS and left.is_integer and right.is_integer:
            return binary(_BITS[type(op)], left, right, location)
        raise refusal("operator", location, "this operator is not lifted for these operands")

    def _power(self, base: Scalar, exponent: Scalar, location: Location) -> Scalar:
        """Multiply out a small power; others are ``pow``, a square root ``sqrt``."""
        node = exponent.node
        if isinstance(node, nodes.Integer) and 0 <= node.value <= _LARGEST_POWER:
            result = integer(1, location) if node.value == 0 else base
            for _ in range(node.value - 1):
                result = binary("*", result, base, location)
            return result
        if isinstance(node, nodes.Integer) and -_LARGEST_POWER <= node.value < 0:
            if base.is_integer and not base.weak:
                raise refusal("type", location, f"a negative power of the type {name_of(base.ctype)}")
            below = self._power(base, integer(-node.value, location), location)
            return _quotient(integer(1, location), below, location)
        ctype, weak = promoted(base.ctype, base.weak, exponent.ctype, exponent.weak)
        if not isinstance(ctype, FloatType):
            raise refusal("operator", location, "an integer power whose exponent is no small constant")
        if isinstance(node, nodes.Floating) and node.value == 0.5:  # noqa: PLR2004 - the exponent of a square root
            return call("sqrt", [base], ctype, location, weak=weak)
        return call("pow", [base, exponent], ctype, location, weak=weak)

    def _logic(self, node: ast.expr) -> Operand:
        """Evaluate ``not``, ``and``, ``or`` and comparisons."""
        location = self.locate(node)
        if isinstance(node, ast.UnaryOp):
            inner = self.truth(node.operand)
            return Scalar(nodes.Unary("!", inner.node, INT, location), INT, weak=True, truth=True)
        if isinstance(node, ast.BoolOp):
            values = [self.truth(value) for value in node.values]
            return _chained("&&" if isinstance(node.op, ast.And) else "||", values, location)
        assert isinstance(node, ast.Compare)
        sides = [self.evaluate(side) for side in (node.left, *node.comparators)]
        operators = [COMPARISONS.get(type(op), "") for op in node.ops]
        if "" in operators:
            raise refusal("operator", location, f"the comparison in `{ast.unparse(node)}` is not lifted")

        if len(operators) > 1 and not all(isinstance(side, Scalar) for side in sides):
            raise refusal("truths", location, "an array is no condition, which a chain of comparisons needs")

        def apply(operands: Sequence[Scalar]) -> Scalar:
            tests = [
                compare(operator, a, b, location)
                for operator, a, b in zip(operators, operands, operands[1:], strict=False)
            ]
            return _chained("&&", tests, location)

        return self.elementwise(apply, sides, location)

    def _one_of(self, node: ast.BoolOp) -> Scalar:
        """Evaluate ``a and b`` or ``a or b`` where no condition is asked for: it gives one of its operands."""
        location = self.locate(node)
        values = [self.scalar(value) for value in node.values]
        if all(value.is_truth for value in values):
            tests = [truth_of(value, location) for value in values]
            return _chained("&&" if isinstance(node.op, ast.And) else "||", tests, location)
        found = values[-1]
        for value in reversed(values[:-1]):
            arms = (found, value) if isinstance(node.op, ast.And) else (value, found)
            found = choose(truth_of(value, location), *arms, location)
        return found

    def elementwise(
        self, apply: Callable[[Sequence[Scalar]], Scalar], operands: Sequence[Operand], location: Location
    ) -> Operand:
        """Apply a function of scalars, element by element if an operand is an array."""
        raise NotImplementedError

    def matrix_product(self, left: ArrayValue | View, right: ArrayValue | View, location: Location) -> Operand:
        """Multiply two arrays as ``@`` does."""
        raise NotImplementedError

    def held(self, value: Scalar, location: Location) -> Scalar:
        """Compute a value before others are assigned."""
        raise NotImplementedError

    def literal(self, node: ast.List | ast.Tuple) -> ArrayValue:
        """Evaluate a list of numbers."""
        raise NotImplementedError

    def repeated(self, items: ast.List, count: ast.expr) -> ArrayValue:
        """Evaluate a list that is repeated."""
        raise NotImplementedError

    def listed(self, node: ast.ListComp) -> ArrayValue:
        """Evaluate a list comprehension."""
        raise NotImplementedError

    def element(self, node: ast.Subscript | ast.Attribute) -> Operand:
        """Evaluate a subscript or an attribute."""
        raise NotImplementedError

    def call(self, node: ast.Call) -> Operand:
        """Evaluate a call."""
        raise NotImplementedError


def _chained(operator: str, values: Sequence[Scalar], location: Location) -> Scalar:
    weak = all(value.weak for value in values)
    return logical(operator, values, location, weak=weak, mixed=differ_in_kind(values))


def _negated(op: ast.unaryop, value: Scalar, location: Location) -> Scalar:
    """Apply a sign to a truth value of NumPy, which takes ``~`` alone."""
    if not isinstance(op, ast.Invert):
        raise refusal("truths", location, "a sign before a truth value of NumPy")
    return Scalar(nodes.Unary("!", truth_of(value, location).node, INT, location), INT, truth=True)


def _of_truths(op: ast.operator, left: Scalar, right: Scalar, location: Location) -> Scalar | None:
    """Apply an operator to two truth values that gives another one; None where it gives a number.

    Python's alone are numbers but for bits; one of NumPy makes the sum and the product of both truth values again.
    """
    is_numpy = any(not side.weak and not side.mixed for side in (left, right))
    if isinstance(op, ast.BitAnd | ast.BitOr | ast.BitXor):
        mixed = not is_numpy and (left.mixed or right.mixed)
        weak = not is_numpy and not mixed
        return logical(LOGICAL[_BITS[type(op)]], [left, right], location, weak=weak, mixed=mixed)
    if not is_numpy or isinstance(op, ast.Div | ast.LShift | ast.RShift):
        return None
    if not isinstance(op, ast.Add | ast.Mult):
        raise refusal("truths", location, "this operator is not lifted for two truth values of NumPy")
    return logical(LOGICAL[PLAIN[type(op)]], [left, right], location, weak=False)


def _is_above_one(node: nodes.Expression) -> bool:
    return isinstance(node, nodes.Integer) and node.value > 1


def _quotient(left: Scalar, right: Scalar, location: Location) -> Scalar:
    """Divide as ``/`` does: in floating point."""
    ctype, weak = promoted(left.ctype, left.weak, right.ctype, right.weak)
    if not isinstance(ctype, FloatType):
        ctype = DOUBLE
    a, b = cast(left, ctype, location), cast(right, ctype, location)
    return Scalar(nodes.Binary("/", a.node, b.node, ctype, location), ctype, weak)


def _rounded_down(operator: str, left: Scalar, right: Scalar, location: Location) -> Scalar:
    """Divide as ``//`` and ``%`` do."""
    a, b, weak = join(left, right, location)
    if isinstance(a.ctype, FloatType):
        return Scalar(nodes.Binary(operator, a.node, b.node, a.ctype, location), a.ctype, weak)
    quotient = binary("//", left, right, location)
    if operator == "//":
        return quotient
    return binary("-", left, binary("*", quotient, right, location), location)


__all__ = ["Expressions"]
