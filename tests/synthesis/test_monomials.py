"""What candidates may multiply: parts of a goal always may, and what multiplies inputs as no part does never may."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensorlift.synthesis.enumerate.monomials import Monomials, TooMany
from tensorlift.synthesis.symbolic.graph import Graph


class Tree(NamedTuple):
    """An expression over inputs; one that only divides never cancels."""

    op: str
    operands: tuple[Tree, ...] = ()

    def node(self, graph: Graph) -> int:
        """Return the node of its value."""
        if not self.operands:
            return graph.symbol(("scalar", self.op), "f64")
        return graph.apply(self.op, [operand.node(graph) for operand in self.operands], "f64")

    @property
    def size(self) -> int:
        """The number of its operations."""
        return bool(self.operands) + sum(operand.size for operand in self.operands)

    def parts(self) -> list[Tree]:
        """Return all expressions that it is made of, itself first."""
        return [self, *(part for operand in self.operands for part in operand.parts())]


_INPUTS = st.sampled_from("abc").map(Tree)
_DIVISORS = st.sampled_from("pq").map(Tree)


def _larger(inner: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    two = st.tuples(st.sampled_from(["add", "mul"]), st.tuples(inner, inner)).map(lambda made: Tree(*made))
    quotient = st.tuples(inner, _DIVISORS).map(lambda both: Tree("div", both))
    return two | quotient | inner.map(lambda argument: Tree("exp", (argument,)))


@given(st.recursive(_INPUTS, _larger, max_leaves=6))
def test_each_part_of_a_goal_is_as_near_as_the_operations_that_are_left(tree: Tree) -> None:
    graph = Graph()
    monomials = Monomials(graph, [tree.node(graph)])
    for part in tree.parts():
        distance = monomials.distance(monomials.of([part.node(graph)]))
        assert distance is not None, part
        assert distance <= tree.size - part.size, part


_C, _BETA, _ALPHA, _A, _B = map(Tree, ("C", "beta", "alpha", "A", "B"))
_GOAL = Tree("add", (Tree("mul", (_C, _BETA)), Tree("mul", (Tree("mul", (_ALPHA, _A)), _B))))


@pytest.mark.parametrize(
    ("part", "distance"),
    [
        (_GOAL, 0),
        (Tree("mul", (_A, _B)), 3),
        (Tree("mul", (_C, _BETA)), 3),
        (_A, 4),
        (Tree("mul", (_ALPHA, _ALPHA)), None),
        (Tree("add", (_C, _A)), None),
        (Tree("mul", (_C, _A)), None),
        (Tree("exp", (_A,)), None),
    ],
)
def test_a_value_has_a_distance_from_the_goal_unless_nothing_leads_there(part: Tree, distance: int | None) -> None:
    graph = Graph()
    monomials = Monomials(graph, [_GOAL.node(graph)])
    own = monomials.of([part.node(graph)])
    assert monomials.distance(own) == distance
    if part.operands:
        operands = [monomials.of([operand.node(graph)]) for operand in part.operands]
        assert monomials.made(part.op, operands) == (own if distance is not None else None)


def test_a_goal_of_very_many_monomials_tells_nothing() -> None:
    graph = Graph()
    total = Tree("x0")
    for k in range(1, 100):
        total = Tree("add", (total, Tree(f"x{k}")))
    with pytest.raises(TooMany):
        Monomials(graph, [total.node(graph)])
