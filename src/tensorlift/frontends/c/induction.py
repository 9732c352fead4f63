"""Closed forms of loops: how each steering variable moves in one iteration, and how often the loop runs.

The body is run once, quietly, with a symbol for the value of every variable at the start of an iteration. A
variable that ends as its own symbol plus something invariant moves by a constant step: it has the closed form
``start + step * t``. One that ends with another exact value, as ``previous = i`` does, starts an iteration with what
the one before left. Anything else has no closed form. The condition is then a polynomial that is linear in the
iteration number ``t``, which gives the trip count.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from tensorlift.comprehension.polynomial import ONE, ZERO, Polynomial
from tensorlift.frontends.c.values import Address, Binding, Environment, Index, LoopRange, Value

if TYPE_CHECKING:
    from tensorlift.diagnostics import Location
    from tensorlift.frontends.c import nodes
    from tensorlift.frontends.c.machine import Machine
    from tensorlift.frontends.c.ranges import Ranges

Steps: TypeAlias = "dict[nodes.Variable, Polynomial]"  # how far an iteration moves each variable


@dataclass(frozen=True, slots=True)
class LoopTest:
    """One comparison that keeps a loop going; a loop may need several to hold."""

    operator: str
    left: Value
    right: Value
    location: Location


@dataclass(slots=True)
class LoopSummary:
    """The effect of one iteration of a loop, in terms of the symbols of its start; ``variables`` are theirs.

    Of the ``lost`` variables, ``last`` has those that an iteration leaves with an exact value.
    """

    symbols: dict[nodes.Variable, str]
    variables: dict[str, nodes.Variable] = field(init=False)
    steps: Steps = field(default_factory=dict)
    lost: list[nodes.Variable] = field(default_factory=list)
    last: Steps = field(default_factory=dict)
    tests: list[LoopTest] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Invert the symbols."""
        self.variables = {symbol: variable for variable, symbol in self.symbols.items()}


@dataclass(frozen=True, slots=True)
class TripCount:
    """``ceil(distance / stride)`` iterations; ``must_reach`` if the loop ends only when the distance is met exactly."""

    distance: Polynomial
    stride: int
    must_reach: bool = False


def step_of(symbol: str, start: Value | None, end: Binding | None) -> Polynomial | None:
    """Give by how much a variable moved in an iteration, if it kept its base."""
    here = Polynomial.variable(symbol)
    if isinstance(start, Index) and isinstance(end, Index):
        return end.polynomial - here
    if isinstance(start, Address) and isinstance(end, Address):
        same = start.base is end.base and start.subscripts[:-1] == end.subscripts[:-1]
        return end.subscripts[-1] - here if same else None
    return None


def classify(
    summary: LoopSummary,
    starts: dict[nodes.Variable, Value],
    ends: Environment,
    modified: set[nodes.Variable],
    ranges: Ranges,
) -> None:
    """Sort the modified variables into those with a step and those without closed form.

    A step with a quotient of what moves, as that of ``j = (j + 1) % 8``, is no constant one.
    """
    moving = {summary.symbols[variable] for variable in modified if variable in summary.symbols}
    for variable in summary.symbols:
        if variable not in modified:
            continue
        step = step_of(summary.symbols[variable], starts[variable], ends.get(variable))
        if step is not None and moving.isdisjoint(ranges.leaves(step)):
            summary.steps[variable] = step
        else:
            summary.lost.append(variable)
            end = ends.get(variable)
            if isinstance(end, Index) and not end.needs:
                summary.last[variable] = end.polynomial


def trip_count(operator: str, start: Polynomial, slope: int) -> TripCount | str:
    """Solve ``start + slope * t  operator  0`` for the first ``t`` that fails, or say why that cannot be done."""
    if operator == "==":
        return "is an equality"
    if slope == 0:
        return "does not change"
    if operator == "!=":
        distance = -start if slope > 0 else start
        if abs(slope) != 1:
            return "may step over the bound that `!=` waits for"
        return TripCount(distance, 1, must_reach=True)
    if operator in {">", ">="}:
        start, slope = -start, -slope
        operator = {">": "<", ">=": "<="}[operator]
    if slope < 0:
        return "moves away from its bound"
    return TripCount(-start + (ONE if operator == "<=" else ZERO), slope)


def trips_of(distance: Polynomial, stride: int, ranges: Ranges) -> Polynomial:
    """Give ``ceil(distance / stride)``."""
    return distance if stride == 1 else ranges.quotient(distance + Polynomial.constant(stride - 1), stride)


def nested_loops(lengths: list[Polynomial], hint: str, machine: Machine) -> tuple[tuple[LoopRange, ...], Polynomial]:
    """Give the nested loops that one loop is split into, outermost first, and its iteration number in mixed radix."""
    loops = tuple(LoopRange(machine.fresh(hint), ZERO, (length,)) for length in lengths)
    machine.orders.note(lengths, [over.variable for over in loops])
    iteration = ZERO
    for over in loops:
        iteration = iteration * over.uppers[0] + Polynomial.variable(over.variable)
    return loops, iteration
