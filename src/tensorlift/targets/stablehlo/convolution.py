"""Sums of products over windows as convolutions, where XLA is quicker with one than with a product of all windows.

One operand is read at ``stride * position + dilation * place`` along the axes of windows, with positions in the result
and places that the other operand, the kernel, has too.  Besides there may be one axis of batches, one of features that
both have and that is summed over, and one of features that the kernel and the result have.

Sums of products as dot products of two operands at a time, the cheapest pair first.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.ops.dtypes import FLOATS, NARROW
from tensorlift.poly.affine import ONE, Affine
from tensorlift.targets.mlir_text.text import cell_of
from tensorlift.targets.stablehlo.builder import estimate, static, type_of
from tensorlift.targets.stablehlo.spans import Span
from tensorlift.targets.stablehlo.views import gathered

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tensorlift.ir.tensor_program import Contraction, Expression
    from tensorlift.targets.stablehlo.builder import Array, Builder


# Not every backend of XLA is sure to convolve integers.  On processors, double precision gains over products of windows
# where there are no features, single precision from so many products for each result on, or without features from so
# many bytes on.
_PRODUCTS = 64
_BYTES = 64 << 20
_SINGLE = 4


class Axis(NamedTuple):
    """An axis of an operand: its name in the operation, none where it is dropped, and whether it is turned round."""

    name: str
    is_turned: bool = False


@dataclass(frozen=True)
class Convolution:
    """A convolution of a part of ``data`` by a ``kernel``; ``output`` are the names of the axes of the result."""

    data: Expression
    spans: tuple[Span, ...]
    data_axes: tuple[Axis, ...]
    kernel: Expression
    kernel_axes: tuple[Axis, ...]
    output: tuple[str, ...]
    steps: tuple[tuple[int, int], ...]  # stride and dilation of each axis of windows

    def add(self, build: Builder, part: Array, kernel: Array) -> Array:
        """Add the operation on the part of the data and on the kernel."""
        data, names = _named(build, part, self.data_axes, "bf")
        kernel, kernel_names = _named(build, kernel, self.kernel_axes, "oi")
        extents = dict(zip(names, static(data.shape), strict=True))
        windows = dict(zip(kernel_names, static(kernel.shape), strict=True))
        extents["f"] = windows["o"]
        for axis, (stride, dilation) in enumerate(self.steps):
            name = str(axis)
            extents[name] = (extents[name] - (windows[name] - 1) * dilation - 1) // stride + 1
        kept = sorted(
            self.output, key=lambda name: name != "b"
        )  # StableHLO's interpreter wants batches before features
        axes = _with(kept, "bf")
        listed = (f"[{', '.join(part)}]" for part in (names, kernel_names, axes))
        dims = "{} x {} -> {}".format(*listed)
        window = f"{{stride = {[s for s, _ in self.steps]}, rhs_dilate = {[d for _, d in self.steps]}}}"
        precision = f", precision_config = [{', '.join([_HIGHEST] * 2)}]" if data.dtype in NARROW else ""
        groups = f"{{batch_group_count = 1 : i64, feature_group_count = 1 : i64{precision}}}"
        shape = tuple(Affine(extents[name]) for name in axes)
        text = f"stablehlo.convolution({data.name}, {kernel.name}) dim_numbers = {dims}, window = {window} {groups}"
        types = f"({data.type}, {kernel.type}) -> {type_of(shape, data.dtype)}"
        value = build.define(f"{text} : {types}", shape, data.dtype)
        value = build.reshape(value, tuple(Affine(extents[name]) for name in kept))
        return build.transpose(value, [kept.index(name) for name in self.output])


def _named(build: Builder, value: Array, axes: Sequence[Axis], wanted: str) -> tuple[Array, list[str]]:
    """Turn axes round, drop those without a name, and add those that are wanted."""
    value = build.reverse(value, [k for k, axis in enumerate(axes) if axis.is_turned])
    extents = {axis.name: extent for axis, extent in zip(axes, value.shape, strict=True) if axis.name}
    names = _with(extents, wanted)
    return build.reshape(value, tuple(extents.get(name, ONE) for name in names)), names


def _with(names: Iterable[str], wanted: str) -> list[str]:
    """Add what is wanted in front, the second behind the first."""
    found = list(names)
    for name in wanted:
        if name not in found:
            found.insert(int(found[0] == wanted[0]), name)
    return found


def convolution_of(node: Contraction) -> Convolution | None:
    """Return a sum of products as a convolution, if it is one and if that pays."""
    if len(node.arguments) != 2 or node.dtype not in FLOATS:  # noqa: PLR2004 - data and kernel
        return None
    found = (_Search(node, data).result() for data in range(2))
    return next((convolution for convolution in found if convolution is not None), None)


class _Search:
    """Looks for a convolution of one operand, the data, by the other one."""

    def __init__(self, node: Contraction, data: int) -> None:
        self.node = node
        self.labels, self.kernel_labels = node.labels[data], node.labels[1 - data]
        self.array, self.places = cell_of(node.arguments[data], tuple(map(Affine.var, self.labels)))
        self.kernel = node.arguments[1 - data]
        self.extents = {
            label: extent.constant if extent.is_constant else 0
            for names, argument in zip(node.labels, node.arguments, strict=True)
            for label, extent in zip(names, argument.shape, strict=True)
        }
        self.names: dict[str, str] = {}  # of the axes of the result, by label
        self.kernel_names: dict[str, str] = {}
        self.turned: set[str] = set()
        self.steps: list[tuple[int, int]] = []

    def result(self) -> Convolution | None:
        """Return the convolution, if there is one that pays."""
        spans, axes = [], []
        for place in self.places:
            found = self._axis(place)
            if found is None:
                return None
            spans.append(found[0])
            axes.append(found[1])
        for label in self.kernel_labels:
            if label not in self.labels:
                self.names[label], self.kernel_names[label] = "f", "o"
        if not self._is_whole(axes) or not self._pays():
            return None
        return Convolution(
            self.array,
            tuple(spans),
            tuple(axes),
            self.kernel,
            tuple(Axis(self.kernel_names[label], label in self.turned) for label in self.kernel_labels),
            tuple(self.names[label] for label in self.node.output),
            tuple(self.steps),
        )

    def _axis(self, place: Affine) -> tuple[Span, Axis] | None:
        """Return the part of an axis of the data that is read, and its name."""
        walked = [label for label in self.labels if place.coefficient(label)]
        if not walked:
            return Span(place, ONE), Axis("")
        if len(walked) == 1:
            return self._plain(place, walked[0])
        if len(walked) == 2:  # noqa: PLR2004 - a position and a place in the window
            return self._window(place, *sorted(walked, key=lambda label: label in self.kernel_labels))
        return None

    def _plain(self, place: Affine, label: str) -> tuple[Span, Axis] | None:
        """Return an axis of batches or features."""
        is_kept, is_common = label in self.node.output, label in self.kernel_labels
        if is_kept == is_common:
            return None
        if is_kept:
            self.names[label] = "b"
        else:
            self.kernel_names[label] = "i"
        step = place.coefficient(label)
        span = Span(self._least(place, label), Affine(self.extents[label]), abs(step))
        return span, Axis("b" if is_kept else "f", step < 0)

    def _window(self, place: Affine, position: str, inside: str) -> tuple[Span, Axis] | None:
        """Return an axis of windows."""
        stride, dilation = place.coefficient(position), place.coefficient(inside)
        kept, common = (
            [label in side for label in (position, inside)] for side in (self.node.output, self.kernel_labels)
        )
        if kept != [True, False] or common != [False, True] or stride < 0:
            return None
        name = str(len(self.steps))
        self.names[position] = self.kernel_names[inside] = name
        self.steps.append((stride, abs(dilation)))
        if dilation < 0:
            self.turned.add(inside)
        reach = sum((self.extents[label] - 1) * abs(place.coefficient(label)) for label in (position, inside))
        return Span(self._least(place, position, inside), Affine(reach + 1)), Axis(name)

    def _least(self, place: Affine, *labels: str) -> Affine:
        """Return the first place that the labels walk through."""
        ends = {label: self.extents[label] - 1 if place.coefficient(label) < 0 else 0 for label in labels}
        return place.substitute({label: Affine(end) for label, end in ends.items()})

    def _is_whole(self, axes: Sequence[Axis]) -> bool:
        """Tell whether there are windows, and each label is that of one axis, with a name that no other has."""
        if not self.steps or min(self.extents.values()) < 1:
            return False
        listed = [axis.name for axis in axes if axis.name]
        kernel = [self.kernel_names.get(label) for label in self.kernel_labels]
        output = [self.names.get(label) for label in self.node.output]
        distinct = all(len(set(names)) == len(names) and None not in names for names in (listed, kernel, output))
        return distinct and len(listed) + len(self.steps) == len(self.labels) == len(set(self.labels))

    def _pays(self) -> bool:
        taps = prod(self.extents[label] for label, name in self.kernel_names.items() if name != "o")
        has_features = not {"o", "i"}.isdisjoint(self.kernel_names.values())
        if self.node.dtype == "f64":
            return not has_features
        if has_features:
            return taps >= _PRODUCTS
        return _SINGLE * prod(self.extents[label] for label in self.labels) >= _BYTES


_HIGHEST = "#stablehlo<precision HIGHEST>"
Labels = tuple[str, ...]


class _Factor(NamedTuple):
    """An operand with the labels of its axes."""

    value: Array
    labels: Labels


def contract(build: Builder, operands: Sequence[Array], labels: Sequence[Labels], output: Labels) -> Array:
    """Return the sum of the products of the operands over every label that is not in the output."""
    factors = [_distinct(build, _Factor(value, names)) for value, names in zip(operands, labels, strict=True)]
    extents = {label: estimate(extent) for f in factors for label, extent in zip(f.labels, f.value.shape, strict=True)}
    while len(factors) > 1:
        factors = [_summed_alone(build, factors, k, output) for k in range(len(factors))]
        pairs = itertools.combinations(range(len(factors)), 2)
        first, second = min(pairs, key=lambda pair: _cost(factors, pair, output, extents))
        rest = [factor for k, factor in enumerate(factors) if k not in (first, second)]
        wanted = {*output, *(label for factor in rest for label in factor.labels)}
        factors = [_product(build, factors[first], factors[second], wanted), *rest]
    (last,) = factors
    summed = [axis for axis, label in enumerate(last.labels) if label not in output]
    value = build.reduce("sum", last.value, summed)
    kept = [label for label in last.labels if label in output]
    return build.transpose(value, [kept.index(label) for label in output])


def _distinct(build: Builder, factor: _Factor) -> _Factor:
    """Take the diagonal of an operand that has a label twice."""
    names = tuple(dict.fromkeys(factor.labels))
    if len(names) == len(factor.labels):
        return factor
    extents = dict(zip(factor.labels, factor.value.shape, strict=True))
    shape = tuple(extents[name] for name in names)
    columns = [build.reshape(build.iota(names.index(label), shape), (*shape, ONE)) for label in factor.labels]
    return _Factor(gathered(build, factor.value, build.concatenate(columns, len(shape))), names)


def _summed_alone(build: Builder, factors: Sequence[_Factor], place: int, output: Labels) -> _Factor:
    """Sum an operand over the labels that no other has."""
    factor = factors[place]
    others = {label for k, other in enumerate(factors) if k != place for label in other.labels}
    axes = [axis for axis, label in enumerate(factor.labels) if label not in others and label not in output]
    kept = tuple(label for axis, label in enumerate(factor.labels) if axis not in axes)
    return _Factor(build.reduce("sum", factor.value, axes), kept)


def _cost(
    factors: Sequence[_Factor], pair: tuple[int, int], output: Labels, extents: dict[str, int]
) -> tuple[int, int]:
    """Return the number of products of a pair, and the cells of what it leaves."""
    first, second = (factors[k].labels for k in pair)
    rest = {label for k, factor in enumerate(factors) if k not in pair for label in factor.labels}
    every = {*first, *second}
    kept = {label for label in every if label in rest or label in output}
    return prod(extents[label] for label in every), prod(extents[label] for label in kept)


def _product(build: Builder, left: _Factor, right: _Factor, wanted: set[str]) -> _Factor:
    shared = [label for label in left.labels if label in right.labels]
    batch = [label for label in shared if label in wanted]
    summed = [label for label in shared if label not in wanted]
    value = _dot(build, left.value, right.value, _axes(left, right, batch), _axes(left, right, summed))
    free = [label for label in (*left.labels, *right.labels) if label not in shared]
    return _Factor(value, (*batch, *free))


def _axes(left: _Factor, right: _Factor, labels: Sequence[str]) -> tuple[list[int], list[int]]:
    return [left.labels.index(label) for label in labels], [right.labels.index(label) for label in labels]


def _dot(
    build: Builder,
    left: Array,
    right: Array,
    batch: tuple[Sequence[int], Sequence[int]],
    summed: tuple[Sequence[int], Sequence[int]],
) -> Array:
    """Sum products over pairs of axes; the result has the batch axes first, then the left's and the right's."""
    free = [e for axis, e in enumerate(left.shape) if axis not in (*batch[0], *summed[0])]
    free += [e for axis, e in enumerate(right.shape) if axis not in (*batch[1], *summed[1])]
    shape = (*(left.shape[axis] for axis in batch[0]), *free)
    first = f", batching_dims = {batch[0]} x {batch[1]}" if batch[0] else ""
    last = ", precision = [HIGHEST, HIGHEST]" if left.dtype in NARROW else ""
    axes = f"{first}, contracting_dims = {summed[0]} x {summed[1]}{last}"
    return build.add("dot_general", (left, right), shape, left.dtype, axes)
