"""Reductions of arrays: sums, products, extremes, counts, of all elements or along an axis."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.frontends.c import nodes
from tensorlift.frontends.c.c_types import BOOL, INT, LONG, FloatType
from tensorlift.frontends.python.creation import Creation
from tensorlift.frontends.python.numeric import extreme
from tensorlift.frontends.python.refusals import refusal
from tensorlift.frontends.python.scalars import DTYPES, Scalar, binary, call, cast, compare, integer, truth_of
from tensorlift.frontends.python.values import ArrayValue, Operand, value_of_view, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tensorlift.diagnostics import Location
    from tensorlift.frontends.python.scalars import Number

    Term = Callable[[Sequence[nodes.Expression], nodes.Expression], Scalar]

_TWO = 2


class Reductions(Creation):
    """Evaluation of reductions."""

    def builtin_reduction(self, name: str, node: ast.Call) -> Scalar:
        """Reduce an array or a list of one dimension as Python's builtin does, item by item."""
        location = self.locate(node)
        self.take(node, 1)
        value = self.array_value(node.args[0])
        if len(value.extents) != 1:
            raise refusal("several-dimensions", location, name)
        return self.builtin_total(name, value, location)

    def builtin_total(self, name: str, value: ArrayValue, location: Location) -> Scalar:
        """Reduce items as Python's builtin does: in their own type, and truths to Python's ``bool``."""
        if name in {"any", "all"}:
            return replace(self._counted(name, value, location), weak=True)
        if name == "sum":
            self.note_growth(value.at([nodes.Integer(0, LONG, location)], location), location)
        summed = value.element if name != "sum" or value.element != BOOL else LONG
        return replace(self._total(name, value, location, summed), weak=value.is_weak)

    def _reduce(self, name: str, node: ast.Call) -> Operand:
        """Reduce a whole array, or one axis of it, as NumPy does."""
        location = self.locate(node)
        if name == "dot":
            self.take(node, _TWO)
            return self.matrix_product(self.array(node.args[0]), self.array(node.args[1]), location)
        axis = self._axis(node)
        if len(node.args) != 1 + (axis is not None and not node.keywords):
            raise refusal("arguments", location, f"`{name}` is lifted for one array")
        value = self.array_value(node.args[0])
        if axis is not None and len(value.extents) > 1:
            return self._along(name, value, axis, location)
        return replace(self._total(name, value, location), weak=False)

    def _axis(self, node: ast.Call) -> int | None:
        found = None
        given = [*node.keywords, *(ast.keyword("axis", argument) for argument in node.args[1:])]
        for keyword in given:
            value = self.evaluate(keyword.value)
            if keyword.arg != "axis" or not isinstance(value, Scalar) or not isinstance(value.node, nodes.Integer):
                raise refusal("arguments", self.locate(node), f"the argument `{keyword.arg}` is not lifted")
            found = value.node.value
        return found

    def _along(self, name: str, value: ArrayValue, axis: int, location: Location) -> Operand:
        rank = len(value.extents)
        if name not in {"sum", "mean", "max", "min", "amax", "amin"} or not -rank <= axis < rank:
            raise refusal("arguments", location, f"`{name}` along axis {axis} is not lifted")
        axis %= rank
        inner = value.extents[axis]
        extents = (*value.extents[:axis], *value.extents[axis + 1 :])
        element = _accumulator(value.element)

        def term(indices: Sequence[nodes.Expression], k: nodes.Expression) -> Scalar:
            return value.at((*indices[:axis], k, *indices[axis:]), location)

        if name not in {"sum", "mean"}:
            return self._extremes(extents, term, inner, (value.element, name in {"min", "amin"}), location)
        total = self.reduction(extents, inner, term, element, location)
        if name == "sum":
            return total
        return self.binary(ast.Div(), total, Scalar(inner, LONG, weak=True), location)

    def _extremes(
        self,
        extents: tuple[nodes.Expression, ...],
        term: Term,
        inner: nodes.Expression,
        kind: tuple[Number, bool],
        location: Location,
    ) -> Operand:
        """Give the extremes of ``term`` over ``inner`` for each index; ``kind`` is their type, and whether least."""
        element, least = kind
        result = self.allocate(self.fresh("w"), element, extents, location)
        zero = nodes.Integer(0, LONG, location)

        def row(indices: Sequence[nodes.Expression]) -> None:
            target = result.at(indices, location)
            self.store(target.node, "", term(indices, zero), location)

            def step(k: Sequence[nodes.Expression]) -> None:
                self.store(target.node, "", extreme(target, term(indices, k[0]), location, least=least), location)

            self.loop_over([inner], step, location)

        self.loop_over(extents, row, location)
        return ArrayValue(extents, result.at, element, frozenset({result.variable}), fresh=result)

    def _total(self, name: str, value: ArrayValue, location: Location, summed: Number | None = None) -> Scalar:
        """Reduce all elements to one number; sums are of the type ``summed``, or the one in which NumPy sums."""
        if name in {"any", "all", "count_nonzero"}:
            return self._counted(name, value, location)
        if name in {"var", "std"}:
            return self._spread(name, value, location)
        element = summed or _accumulator(value.element)
        if name in {"sum", "mean", "prod"}:
            start = cast(integer(int(name == "prod"), location), element, location)
            operator = "*" if name == "prod" else "+"
            result = self.temporary(start, location, "s")
            self.loop_over(
                value.extents, lambda i: self.store(result.node, operator, value.at(i, location), location), location
            )
            return self._mean(result, value, location) if name == "mean" else result
        zero = nodes.Integer(0, LONG, location)
        result = self.temporary(value.at([zero] * len(value.extents), location), location, "m")
        least = name in {"min", "amin"}

        def body(indices: Sequence[nodes.Expression]) -> None:
            self.store(result.node, "", extreme(result, value.at(indices, location), location, least=least), location)

        self.loop_over(value.extents, body, location)
        return result

    def _counted(self, name: str, value: ArrayValue, location: Location) -> Scalar:
        """Count the elements that are not zero, or tell whether any or all are such."""
        result = self.temporary(integer(0, location), location, "c")

        def body(indices: Sequence[nodes.Expression]) -> None:
            item = value.at(indices, location)
            test = truth_of(item, location)
            wrong = Scalar(nodes.Unary("!", test.node, INT, location), INT, truth=True)
            self.store(result.node, "+", cast(wrong if name == "all" else test, LONG, location), location)

        self.loop_over(value.extents, body, location)
        if name == "count_nonzero":
            return result
        return compare("==" if name == "all" else "!=", result, integer(0, location), location)

    def _spread(self, name: str, value: ArrayValue, location: Location) -> Scalar:
        """Give the variance, or its root."""
        stored = value_of_view(whole(self.materialise(value, location), location))
        mean = self.temporary(self._total("mean", stored, location), location)

        def square(indices: Sequence[nodes.Expression], place: Location) -> Scalar:
            distance = binary("-", stored.at(indices, place), mean, place)
            return binary("*", distance, distance, place)

        variance = self._total("mean", ArrayValue(stored.extents, square, mean.ctype, stored.reads), location)
        if name == "var":
            return variance
        return call("sqrt", [variance], variance.ctype, location, weak=False)

    def _mean(self, total: Scalar, value: ArrayValue, location: Location) -> Scalar:
        count = Scalar(value.extents[0], LONG, weak=True)
        for extent in value.extents[1:]:
            count = binary("*", count, Scalar(extent, LONG, weak=True), location)
        mean = self.binary(ast.Div(), total, count, location)
        assert isinstance(mean, Scalar)
        return mean


def _accumulator(element: Number) -> Number:
    """Give the type that NumPy sums an element type in."""
    if isinstance(element, FloatType):
        return element
    return LONG if element.signed or element == BOOL else DTYPES["uint64"]
