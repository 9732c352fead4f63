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
from tensorlift.frontends.python.scalars import (
    DTYPES,
    Scalar,
    binary,
    call,
    cast,
    compare,
    integer,
    product,
    truth_of,
)
from tensorlift.frontends.python.values import ArrayValue, Nodes, Operand, value_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tensorlift.diagnostics import Location
    from tensorlift.frontends.python.scalars import Number

    Term = Callable[[Nodes, nodes.Expression], Scalar]

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
        axes, keeps = self._axes(node)
        if len(node.args) != 1 + (axes is not None and not any(k.arg == "axis" for k in node.keywords)):
            raise refusal("arguments", location, f"`{name}` is lifted for one array")
        value = self.array_value(node.args[0])
        rank = len(value.extents)
        if axes is None or (rank == 1 and not keeps):
            if keeps:
                raise refusal("arguments", location, "the argument `keepdims` without an axis is not lifted")
            return replace(self._total(name, value, location), weak=False)
        if not all(-rank <= axis < rank for axis in axes) or len({axis % rank for axis in axes}) != len(axes):
            raise refusal("arguments", location, f"`{name}` along axis {', '.join(map(str, axes))} is not lifted")
        falling = sorted((axis % rank for axis in axes), reverse=True)
        return self._along_axes(name, value, falling, location, keeps=keeps)

    def _axes(self, node: ast.Call) -> tuple[list[int] | None, bool]:
        """Give the axes that a call names, None for all of them, and whether they stay with an extent of one."""
        axes: list[int] | None = None
        keeps = False
        for keyword in [*node.keywords, *(ast.keyword("axis", argument) for argument in node.args[1:])]:
            given = keyword.value
            if keyword.arg == "keepdims" and isinstance(given, ast.Constant) and isinstance(given.value, bool):
                keeps = given.value
                continue
            several = given.elts if isinstance(given, ast.Tuple) else [given]
            values = [self.evaluate(one) for one in several] if keyword.arg == "axis" else []
            axes = [v.node.value for v in values if isinstance(v, Scalar) and isinstance(v.node, nodes.Integer)]
            if keyword.arg != "axis" or len(axes) != len(several):
                raise refusal("arguments", self.locate(node), f"the argument `{keyword.arg}` is not lifted")
        return axes, keeps

    def _along_axes(
        self, name: str, value: ArrayValue, axes: Sequence[int], location: Location, *, keeps: bool
    ) -> Operand:
        """Reduce along axes, the last first; ``keeps`` puts axes of one position in their places."""
        if name in {"var", "std"}:
            return self._spread_along(name, value, axes, location, keeps=keeps)
        result: Operand = value
        for axis in axes:
            assert isinstance(result, ArrayValue)
            result = self._along("sum" if name == "mean" else name, result, axis, location)
        if name == "mean":
            count = product([value.extents[axis] for axis in axes], location)
            result = self.binary(ast.Div(), result, count, location)
        return _with_axes_of_one(result, axes, location) if keeps else result

    def _spread_along(
        self, name: str, value: ArrayValue, axes: Sequence[int], location: Location, *, keeps: bool
    ) -> Operand:
        """Give the variance along axes, or its root."""
        mean = self._along_axes("mean", value, axes, location, keeps=True)
        distance = self.binary(ast.Sub(), value, mean, location)
        square = self.binary(ast.Mult(), distance, distance, location)
        assert isinstance(square, ArrayValue)
        variance = self._along_axes("mean", square, axes, location, keeps=keeps)

        def root(operands: Sequence[Scalar]) -> Scalar:
            return call("sqrt", list(operands), operands[0].ctype, location, weak=False)

        return variance if name == "var" else self.elementwise(root, [variance], location)

    def _along(self, name: str, value: ArrayValue, axis: int, location: Location) -> Operand:
        """Give the sums or the extremes along one axis."""
        if name not in {"sum", "max", "min", "amax", "amin"}:
            raise refusal("arguments", location, f"`{name}` along axis {axis} is not lifted")
        inner = value.extents[axis]
        extents = (*value.extents[:axis], *value.extents[axis + 1 :])

        def term(indices: Nodes, k: nodes.Expression) -> Scalar:
            return value.at((*indices[:axis], k, *indices[axis:]), location)

        if name == "sum":
            return self.reduction(extents, inner, term, _accumulator(value.element), location)
        if not extents:
            return replace(self._total(name, value, location), weak=False)
        return self._extremes(extents, term, inner, (value.element, name), location)

    def _extremes(
        self,
        extents: tuple[nodes.Expression, ...],
        term: Term,
        inner: nodes.Expression,
        kind: tuple[Number, str],
        location: Location,
    ) -> Operand:
        """Give the extremes of ``term`` over ``inner`` for each index; ``kind`` is their type and name."""
        element, name = kind
        result = self.allocate(self.fresh("w"), element, extents, location)
        zero = nodes.Integer(0, LONG, location)

        def row(indices: Nodes) -> None:
            target = result.at(indices, location)
            self.store(target.node, "", term(indices, zero), location)

            def step(k: Nodes) -> None:
                self.store(target.node, "", extreme(target, term(indices, k[0]), location, name), location)

            self.loop_over([inner], step, location)

        self.loop_over(extents, row, location)
        return value_of(result)

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

        def body(indices: Nodes) -> None:
            self.store(result.node, "", extreme(result, value.at(indices, location), location, name), location)

        self.loop_over(value.extents, body, location)
        return result

    def _counted(self, name: str, value: ArrayValue, location: Location) -> Scalar:
        """Count the elements that are not zero, or tell whether any or all are such."""
        result = self.temporary(integer(0, location), location, "c")

        def body(indices: Nodes) -> None:
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
        stored = self.stored(value, location)
        mean = self.temporary(self._total("mean", stored, location), location)

        def square(indices: Nodes, place: Location) -> Scalar:
            distance = binary("-", stored.at(indices, place), mean, place)
            return binary("*", distance, distance, place)

        variance = self._total("mean", ArrayValue(stored.extents, square, mean.ctype, stored.reads), location)
        if name == "var":
            return variance
        return call("sqrt", [variance], variance.ctype, location, weak=False)

    def _mean(self, total: Scalar, value: ArrayValue, location: Location) -> Scalar:
        mean = self.binary(ast.Div(), total, product(value.extents, location), location)
        assert isinstance(mean, Scalar)
        return mean


def _with_axes_of_one(value: Operand, axes: Sequence[int], location: Location) -> Operand:
    """Put axes of one position where a reduction took some away."""
    one = nodes.Integer(1, LONG, location)
    if isinstance(value, Scalar):
        number = value
        return ArrayValue((one,) * len(axes), lambda _indices, _place: number, value.ctype)
    assert isinstance(value, ArrayValue)
    kept, places, extents = value, set(axes), iter(value.extents)

    def at(indices: Nodes, place: Location) -> Scalar:
        return kept.at([index for axis, index in enumerate(indices) if axis not in places], place)

    shape = tuple(one if axis in places else next(extents) for axis in range(len(value.extents) + len(axes)))
    return ArrayValue(shape, at, value.element, value.reads)


def _accumulator(element: Number) -> Number:
    """Give the type that NumPy sums an element type in."""
    if isinstance(element, FloatType):
        return element
    return LONG if element.signed or element == BOOL else DTYPES["uint64"]
