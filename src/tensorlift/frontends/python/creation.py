"""Arrays that a function makes: zeros, ones, ranges, identities, literals."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.frontends.c import nodes
from tensorlift.frontends.c.c_types import BOOL, DOUBLE, LONG
from tensorlift.frontends.python.arrays import Arrays
from tensorlift.frontends.python.refusals import refusal
from tensorlift.frontends.python.scalars import (
    DTYPES,
    Scalar,
    binary,
    cast,
    choose,
    compare,
    differ_in_kind,
    integer,
    number,
    promoted,
    stored,
)
from tensorlift.frontends.python.values import ArrayValue, Nodes, Sizes, View, value_of, value_of_view

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tensorlift.diagnostics import Location
    from tensorlift.frontends.python.scalars import Number

_FILLED = {"zeros": 0, "empty": 0, "ones": 1, "full": None}
_TWO = 2


class Creation(Arrays):
    """Evaluation of what makes arrays."""

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
