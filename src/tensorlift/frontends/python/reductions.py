"""Arrays that a function makes (zeros, ranges, identities, literals), and their reductions.

A reduction is a sum, a product, an extreme or a count, of all elements or along an axis.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.frontends.c import nodes
from tensorlift.frontends.python.arrays import Arrays
from tensorlift.frontends.python.numeric import extreme
from tensorlift.frontends.python.refusals import refusal
from tensorlift.frontends.python.scalars import (
    DTYPES,
    Scalar,
    binary,
    call,
    cast,
    choose,
    compare,
    differ_in_kind,
    integer,
    number,
    product,
    promoted,
    stored,
    truth_of,
)
from tensorlift.frontends.python.values import ArrayValue, Nodes, Operand, Sizes, View, value_of, value_of_view
from tensorlift.ops.c_types import BOOL, DOUBLE, INT, LONG, FloatType

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tensorlift.diagnostics import Location
    from tensorlift.frontends.python.scalars import Number

    Term = Callable[[Nodes, nodes.Expression], Scalar]
    from collections.abc import Callable, Iterator


_FILLED = {"zeros": 0, "empty": 0, "ones": 1, "full": None}
_TWO = 2


class Reductions(Arrays):
    """Evaluation of what makes arrays, and of reductions."""

    def creator(self, name: str) -> Callable[[ast.Call, str], ArrayValue] | None:
        """Find how a function of numpy makes an array; None where it makes none."""
        if name.removesuffix("_like") in _FILLED:
            return self._filled
        return {"arange": self._arange, "eye": self._eye, "identity": self._eye}.get(name)

    def array_value(self, node: ast.expr) -> ArrayValue:
        """Evaluate an expression that must be an array, as a value."""
        value = self.evaluate(node)
        if isinstance(value, View):
            return value_of_view(value)
        if isinstance(value, ArrayValue):
            return value
        raise refusal("unknown-rank", self.locate(node), ast.unparse(node))

    def _filled(self, node: ast.Call, name: str) -> ArrayValue:
        """Give the array that ``np.zeros`` and its relatives make."""
        location = self.locate(node)
        parameters = ["a" if name.endswith("_like") else "shape", *["fill_value"] * name.startswith("full"), "dtype"]
        given = self._named_arguments(node, parameters)
        if len(given) < len(parameters) - 1:
            raise refusal("arguments", location, f"`{name}` is lifted with {' and '.join(parameters[:-1])}")
        model = self.array_value(given["a"]) if "a" in given else None
        extents = model.extents if model else tuple(self._shape(given["shape"]))
        if not extents:
            raise refusal("no-dimensions", location, ast.unparse(node))
        value = self.scalar(given["fill_value"]) if "fill_value" in given else None
        element: Number = DOUBLE
        if "dtype" in given:
            element = self._dtype(given["dtype"])
        elif model is not None:
            element = model.element
        elif value is not None:
            element = BOOL if value.is_truth else value.ctype
        filled = cast(value or integer(_FILLED[name.removesuffix("_like")] or 0, location), element, location)
        return ArrayValue(extents, lambda _indices, _place: filled, element)

    def _named_arguments(self, node: ast.Call, parameters: Sequence[str]) -> dict[str, ast.expr]:
        """Give the arguments of a call by the names of the parameters."""
        location = self.locate(node)
        if len(node.args) > len(parameters):
            raise refusal("arguments", location, f"`{ast.unparse(node.func)}` is lifted with {', '.join(parameters)}")
        given = dict(zip(parameters, node.args, strict=False))
        for keyword in node.keywords:
            if keyword.arg is None or keyword.arg not in parameters or keyword.arg in given:
                raise refusal("arguments", location, f"the argument `{keyword.arg}` is not lifted")
            given[keyword.arg] = keyword.value
        return given

    def take(self, node: ast.Call, count: int) -> None:
        """Refuse a call with other arguments than so many plain ones."""
        if len(node.args) != count or node.keywords:
            detail = f"`{ast.unparse(node.func)}` is lifted with {count} plain argument{'s' * (count > 1)}"
            raise refusal("arguments", self.locate(node), detail)

    def _dtype(self, node: ast.expr) -> Number:
        """Read an element type: ``np.float32``, ``'float32'``, ``float`` or ``x.dtype``."""
        if isinstance(node, ast.Attribute) and node.attr == "dtype":
            return self.array_value(node.value).element
        spelled = ast.unparse(node).rsplit(".", 1)[-1].strip("'\"")
        if spelled not in DTYPES:
            raise refusal("arguments", self.locate(node), f"the element type `{ast.unparse(node)}` is not lifted")
        return BOOL if spelled == "bool" else DTYPES[spelled]

    def _shape(self, node: ast.expr) -> list[nodes.Expression]:
        if isinstance(node, ast.Tuple | ast.List):
            return [self.integer(item).node for item in node.elts]
        value = self.evaluate(node)
        if isinstance(value, Sizes):
            return [item.node for item in value.items]
        return [self.integer(node).node]

    def _arange(self, node: ast.Call, name: str) -> ArrayValue:
        """Give the integers of ``np.arange(stop)`` or ``np.arange(start, stop)``."""
        location = self.locate(node)
        if node.keywords or not 1 <= len(node.args) <= _TWO:
            raise refusal("arguments", location, f"`{name}` is lifted for a stop, or a start and a stop")
        bounds = [self.integer(argument) for argument in node.args]
        start = bounds[0] if len(bounds) == _TWO else integer(0, location)
        extent = bounds[-1] if len(bounds) == 1 else binary("-", bounds[1], start, location)

        def at(indices: Nodes, place: Location) -> Scalar:
            return Scalar(binary("+", Scalar(indices[0], LONG), start, place).node, LONG)

        return ArrayValue((extent.node,), at, LONG)

    def _eye(self, node: ast.Call, name: str) -> ArrayValue:
        """Give an identity matrix."""
        location = self.locate(node)
        given = self._named_arguments(node, ["N", *["M"] * (name == "eye"), "dtype"])
        if "N" not in given:
            raise refusal("arguments", location, f"`{name}` is lifted with its extents")
        extents = [self.integer(given[side]).node for side in ("N", "M") if side in given]
        element = self._dtype(given["dtype"]) if "dtype" in given else DOUBLE

        def at(indices: Nodes, place: Location) -> Scalar:
            row, column = (Scalar(index, LONG) for index in indices)
            one, zero = (cast(integer(value, place), element, place) for value in (1, 0))
            return choose(compare("==", row, column, place), one, zero, place)

        return ArrayValue((extents[0], extents[-1]), at, element)

    def literal(self, node: ast.List | ast.Tuple) -> ArrayValue:
        """Give the array of a list of numbers, or of lists of numbers of one length."""
        location = self.locate(node)
        cells = list(self._cells(node, ()))
        extents = [max(place[axis] for place, _ in cells) + 1 for axis in range(len(cells[0][0]))] if cells else []
        count = 1
        for extent in extents:
            count *= extent
        if not cells or len(cells) != count or len({len(place) for place, _ in cells}) != 1:
            raise refusal("literal", location, f"`{ast.unparse(node)[:40]}`, a list that is no rectangle of numbers,")
        name = self.fresh("w")
        values = [value for _, value in cells]
        if not all(value.is_truth for value in values):
            values = [number(value, location) for value in values]
        element, weak = values[0].ctype, all(value.weak for value in values)
        for value in values[1:]:
            element, weak = (element, weak) if element == BOOL else promoted(element, weak, value.ctype, value.weak)
        if differ_in_kind([value for _, value in cells]):
            self.note(self.key(f"{name}[]"), replace(cells[0][1], mixed=True))
        shape = [nodes.Integer(extent, LONG, location) for extent in extents]
        made = ArrayValue(tuple(shape), lambda _indices, _place: cells[0][1], element, is_list=True, is_weak=weak)
        array = self.allocate(name, self.element_of(name, made), shape, location)
        self.mark_list(array, made)
        for place, value in cells:
            self.note_data(array.key, value.node)
            indices = [nodes.Integer(index, LONG, location) for index in place]
            self.store(array.at(indices, location).node, "", value, location)
        return value_of(array)

    def _cells(self, node: ast.List | ast.Tuple, place: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], Scalar]]:
        for position, item in enumerate(node.elts):
            if isinstance(item, ast.List):
                yield from self._cells(item, (*place, position))
            else:
                value = self.scalar(item)
                yield (*place, position), stored(value, self.locate(item))

    def repeated(self, items: ast.List, count: ast.expr) -> ArrayValue:
        """Give ``[number] * count``."""
        location = self.locate(items)
        if len(items.elts) != 1 or isinstance(items.elts[0], ast.List | ast.ListComp):
            raise refusal("literal", location, f"`{ast.unparse(items)[:40]}` repeated, but for one number,")
        value = self.temporary(self.scalar(items.elts[0]), self.locate(items))
        extents = (self.integer(count).node,)
        return ArrayValue(extents, lambda _indices, _place: value, value.ctype, is_list=True, is_weak=value.weak)

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
