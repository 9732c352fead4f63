"""Loops of a program: ``while`` over what it hands on, and folds between bounds that are data: two of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.poly.affine import ONE, ZERO, Affine
from tensorlift.poly.domain import UNIVERSE, Domain
from tensorlift.poly.names import fresh
from tensorlift.targets.mlir_text.text import names_and_types
from tensorlift.targets.stablehlo.builder import COMBINING
from tensorlift.targets.stablehlo.spans import Span, neutral_number

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tensorlift.targets.stablehlo.builder import Array, Builder


def repeated(
    build: Builder,
    initial: Sequence[Array],
    goes_on: Callable[[list[Array]], Array],
    step: Callable[[list[Array]], Sequence[Array]],
    inside: Domain = UNIVERSE,
) -> list[Array]:
    """Add a loop over values, and return what they are in the end; ``inside`` is known of variables in its body."""
    kinds = [(value.shape, value.dtype) for value in initial]
    results = [build.value(*kind) for kind in kinds]
    (listed, _), (given, types) = names_and_types(results), names_and_types(initial)
    build.line(f'{listed} = "stablehlo.while"({given}) ({{')
    with build.region(kinds) as arguments:
        build.give_out([goes_on(arguments)])
    build.line("}, {")
    with build.region(kinds, inside) as arguments:
        build.give_out(step(arguments))
    build.line(f"}}) : ({types}) -> {f'({types})' if len(kinds) > 1 else types}")
    return results


def between(build: Builder, op: str, value: Array, bounds: tuple[Array, Array]) -> Array:
    """Return folds along the first axis between bounds that are data: a loop over bounds, and in it one between two."""
    (count,), (long, *rest) = bounds[0].shape, value.shape
    nothing = build.constant(neutral_number(op, value.dtype), tuple(rest), value.dtype)
    zero, into = build.constant(0, (), "i64"), build.broadcast(nothing, (count + 1, *rest))

    def padded(array: Array, last: Array) -> Array:
        """Add a row, so that there is one: XLA demands it of slices and stores that no iteration comes to, too."""
        return build.concatenate([array, build.reshape(last, (ONE, *last.shape))], 0)

    low, high = (padded(build.convert(bound, "i64"), zero) for bound in bounds)
    value = padded(value, nothing)

    def cell(array: Array, place: Array, name: str) -> Array:
        build.sizes.count(name, place)
        whole = array.shape[1:]
        part = build.part(array, [Affine.var(name), *(ZERO for _ in whole)], (ONE, *whole))
        return build.reshape(part, whole)

    def following(place: Array) -> Array:
        return build.elementwise("add", place, build.constant(1, (), "i64"))

    def row(given: list[Array]) -> list[Array]:
        at, folded = given
        first, end = (cell(bound, at, row_name) for bound in (low, high))

        def one(inner: list[Array]) -> list[Array]:
            place, total = inner
            return [following(place), build.elementwise(COMBINING[op], total, cell(value, place, place_name))]

        _, total = repeated(
            build,
            [first, nothing],
            lambda inner: build.compare("LT", inner[0], end),
            one,
            Domain.box([place_name], [long]),
        )
        part = build.reshape(total, (ONE, *rest))
        starts = (at, *(zero for _ in rest))
        stored = build.add("dynamic_update_slice", (folded, part, *starts), folded.shape, folded.dtype)
        return [following(at), stored]

    row_name, place_name = fresh("row"), fresh("place")
    size = build.sizes.index(count)
    rows = Domain.box([row_name], [count])
    _, result = repeated(build, [zero, into], lambda given: build.compare("LT", given[0], size), row, rows)
    return build.slice(result, [Span(ZERO, extent) for extent in (count, *rest)])
