"""Expressions that are planted: their nodes are a goal, and what the search finds must have the same nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tensorlift.poly.affine import ZERO, Affine
from tensorlift.poly.domain import Domain, at_least
from tensorlift.synthesis.derive.builder import Builder
from tensorlift.synthesis.derive.scope import Scope, Value
from tensorlift.synthesis.grammar import grammar_of
from tensorlift.synthesis.sketch.goals import Goal, Library
from tensorlift.synthesis.sketch.search import Search
from tensorlift.synthesis.symbolic.graph import Graph
from tensorlift.synthesis.symbolic.meaning import Meaning
from tensorlift.synthesis.symbolic.views import View
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from tensorlift.ir.tensor_program import Expression

SIZES = {"m": 3, "n": 4, "k": 5}
OTHER_SIZES = {"m": 5, "n": 3, "k": 4}
_M, _N, _K = (Affine.var(name) for name in SIZES)
_ARRAYS = {
    "A": (_M, _K),
    "B": (_K, _N),
    "C": (_M, _N),
    "D": (_M, _N),
    "E": (_N, _M),
    "u": (_M,),
    "v": (_N,),
    "w": (_K,),
}


class Garden:
    """Arrays and scalars to plant expressions of, with axes ``i`` and ``j`` for goals."""

    def __init__(self) -> None:
        self.build = Builder()
        self.graph = Graph()
        spans = {"i": (ZERO, _M), "j": (ZERO, _N)}
        context = Domain.of(*(at_least(name, 1) for name in SIZES))
        self.scope = Scope(self.build, spans, context, context, _ARRAYS, lambda *_: self.fail(), {})

    @staticmethod
    def fail() -> Value:
        """Refuse what a search never asks for."""
        raise AssertionError

    def array(self, name: str) -> Expression:
        """Return an array by its name."""
        return self.build.variable(name, "f64", _ARRAYS[name])

    def value(self, name: str, *axes: str) -> Value:
        """Return an array with the axes of a goal, a scalar without any."""
        return Value(self.array(name) if axes else self.build.scalar(name, "f64"), axes)

    def nodes(self, value: Value, sizes: dict[str, int]) -> np.ndarray:
        """Return the nodes of a value over both axes."""
        extents = tuple(sizes[name] for name in ("m", "n"))
        return np.broadcast_to(Meaning(self.graph, sizes).of(self.scope.aligned(value, ("i", "j"))), extents).copy()

    def solved(self, planted: Value) -> Value | None:
        """Return what the search finds for the nodes of a planted value."""
        at = Meaning(self.graph, SIZES)
        goal = Goal(self.nodes(planted, SIZES), ("i", "j"))
        views = [View(self.array(name), shape, at.of(self.array(name))) for name, shape in _ARRAYS.items()]
        search = Search(Library(self.graph, self.scope, views), grammar_of(get_target("numpy")))
        found = next(search.solutions(goal), None)
        return None if found is None else found.value

    def agree(self, planted: Value, found: Value) -> bool:
        """Tell whether two values have the same nodes at both sets of sizes."""
        return all(bool((self.nodes(planted, at) == self.nodes(found, at)).all()) for at in (SIZES, OTHER_SIZES))
