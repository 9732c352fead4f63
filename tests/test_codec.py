"""A codec writes what its table says of each class, and reads that back by the type hints."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - type hints are evaluated
from dataclasses import dataclass
from typing import Any, Literal

import pytest

from tensorlift.codec import Codec, Form, Via


@dataclass(frozen=True)
class Point:
    x: int
    y: int | None = None
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Circle:
    kind: Literal["thick", "thin"]
    centre: Point
    around: Mapping[str, Point | Circle]
    weight: complex = 0j


@dataclass(frozen=True)
class Square:
    side: int


CODEC = Codec(
    {
        Point: Form("x y! names?"),
        Circle: Form("kind middle=centre x=centre.x around=around weight", "circle"),
        Square: Form("side", is_row=True),
    },
    {complex: Via(lambda scale, value: value.real * scale, float, lambda scale, real: complex(real / scale))},
)
CIRCLE = Circle("thin", Point(1, 0), {"a": Point(2, None, ("p", "q"))}, 3 + 0j)
WRITTEN = {
    "is": "circle",
    "kind": "thin",
    "middle": {"x": 1, "y": 0},
    "x": 1,
    "around": {"a": {"x": 2, "names": ["p", "q"]}},
    "weight": 6.0,
}


def test_objects_are_written_by_their_forms() -> None:
    assert CODEC.write(CIRCLE, 2) == WRITTEN
    assert list(CODEC.write(CIRCLE, 2)) == list(WRITTEN)
    assert CODEC.write([Square(3)]) == [[3]]


def test_what_is_written_is_read_back() -> None:
    assert CODEC.read(Circle, WRITTEN, 2) == CIRCLE
    assert CODEC.read(Point | Circle, WRITTEN, 2) == CIRCLE
    assert CODEC.read(tuple[Square, ...], [[3]]) == (Square(3),)


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        (Circle, {**WRITTEN, "kind": "wide"}),
        (Circle, {**WRITTEN, "middle": {"x": "1"}}),
        (Circle, {**WRITTEN, "middle": {"y": 1}}),
        (Circle, {**WRITTEN, "around": []}),
        (Point, {"x": True}),
        (Point, {"x": 1, "names": "pq"}),
        (Square, [3, 4]),
        (Point | Circle, {**WRITTEN, "is": "cube"}),
    ],
)
def test_what_was_not_written_so_is_refused(kind: Any, data: Any) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)):
        CODEC.read(kind, data, 2)
