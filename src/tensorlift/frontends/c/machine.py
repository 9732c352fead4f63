"""The state of the symbolic execution of one function, and the basic steps on it.

The environment binds variables: steering integers to polynomials, pointers to addresses, everything else to slots
of memory. ``domain`` is the set of loops and affine conditions around the current place. With a quiet sink nothing
is emitted and no condition is recorded; such runs analyse loop bodies.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from tensorlift.frontends.c import nodes
from tensorlift.frontends.c.c_types import INT, CType, OtherType
from tensorlift.frontends.c.nest_orders import NestOrders
from tensorlift.frontends.c.refusals import refusal
from tensorlift.frontends.c.sink import Sink
from tensorlift.frontends.c.values import (
    Address,
    Array,
    Data,
    Domain,
    Environment,
    Index,
    Known,
    LoopRange,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorlift.comprehension.polynomial import Polynomial
    from tensorlift.diagnostics import Location
    from tensorlift.frontends.c.demand import Demand
    from tensorlift.frontends.c.preconditions import Preconditions
    from tensorlift.frontends.c.ranges import Ranges


_STEP_LIMIT = 4_000  # longer straight-line code takes more than seconds to prove; bodies of loops count twice


class Machine:
    """State and basic steps; the subclasses add places, expressions, calls, loops and statements."""

    def __init__(self, demand: Demand, ranges: Ranges, preconditions: Preconditions, sink: Sink) -> None:
        self.demand = demand
        self.ranges = ranges
        self.preconditions = preconditions
        self.sink = sink
        self.environment: Environment = {}
        self.domain = Domain()
        self.branches_around = 0  # in which nothing may be asked of the caller that holds without them
        self.arrays: list[Array] = []
        self.calling: list[nodes.Function] = []
        self.products: dict[Polynomial, tuple[Polynomial, Polynomial]] = {}  # with the factors that the source spells
        self.converted: list[tuple[Data, Polynomial, Domain]] = []  # unsigned values, which became floats
        self.orders = NestOrders()
        self._names: dict[str, int] = {}
        self._is_subscripted = False
        self.exact_from = INT.width
        self.reads_places = False
        self.keeps_data = False  # integers that steer may have data for their values, until paths or iterations join
        self._executed = 0

    def evaluate(self, expression: nodes.Expression) -> Value:
        """Evaluate an expression with its side effects."""
        raise NotImplementedError

    def execute(self, statement: nodes.Statement) -> None:
        """Execute a statement."""
        raise NotImplementedError

    def bind_parameter(self, parameter: nodes.Variable, value: Value) -> None:
        """Bind a parameter."""
        raise NotImplementedError

    def extents(self, variable: nodes.Variable) -> list[Polynomial | None]:
        """Evaluate the declared extents of an array."""
        raise NotImplementedError

    def declare_array(self, variable: nodes.Variable) -> None:
        """Make a local array, or a table of constants, with its initialiser stored element by element."""
        raise NotImplementedError

    def run_body(self, function: nodes.Function) -> Value:
        """Execute the body of a function and give its value."""
        raise NotImplementedError

    def count_step(self, location: Location) -> None:
        """Count a statement or a call, and refuse a function that takes too many."""
        self._executed += 1
        if self._executed > _STEP_LIMIT:
            raise refusal("step-limit", location, f"more than {_STEP_LIMIT} statements, counting those of calls")

    def end_scope(self, statement: nodes.Statement | None) -> None:
        """Forget the variables that a statement declares."""
        if isinstance(statement, nodes.Declare):
            self.environment.pop(statement.variable, None)
        elif isinstance(statement, nodes.Block) and not statement.is_scope:
            for child in statement.statements:
                self.end_scope(child)

    def fresh(self, name: str) -> str:
        """Give a variable name that no polynomial uses yet."""
        count = self._names.get(name, 0)
        self._names[name] = count + 1
        return name if count == 0 else self.fresh(f"{name}_{count}")

    @contextmanager
    def quiet(self, environment: Environment) -> Iterator[None]:
        """Run in another environment without emitting anything."""
        saved = self.sink, self.environment, self.domain
        self.sink, self.environment, self.domain = Sink(), environment, Domain()
        try:
            yield
        finally:
            self.sink, self.environment, self.domain = saved

    @contextmanager
    def inside(self, loops: tuple[LoopRange, ...] = (), guards: Known = ()) -> Iterator[None]:
        """Run with more loops or more conditions around."""
        saved = self.domain
        self.domain = saved.inside(loops, guards)
        try:
            yield
        finally:
            self.domain = saved

    def rely_on(self, value: Index | Address) -> None:
        """Prove or record the conditions that an exact value rests on."""
        if self.sink.emits and value.needs:
            for need in value.needs:
                self.preconditions.demand(need, self.domain)

    def ask_for_all(self, binding: object, location: Location) -> None:
        """Ask for the elements of an array of the caller behind the place where a loop of the source ends."""
        array = binding.base if isinstance(binding, Address) else None
        if not self.sink.emits or not isinstance(array, Array) or array.is_object or array.keeps_rank:
            return  # what knows its extents is asked for those
        if array.is_parameter and None in array.extents:
            text = f"{array.name} has all elements that a loop would read if it did not end early"
            self.preconditions.state("extent", text, location)

    def known(self, value: Value, location: Location) -> Value:
        """Refuse a value without a closed form."""
        if isinstance(value, Unknown) and self.sink.emits:
            raise refusal(value.reason, location, value.detail)
        return value

    def data(self, expression: nodes.Expression) -> Data:
        """Evaluate an expression as a value of the emitted program."""
        return self.as_data(self.evaluate(expression), expression)

    def as_data(self, value: Value, expression: nodes.Expression) -> Data:
        """Turn a value into one of the emitted program."""
        match self.known(value, expression.location):
            case Data() as data:
                return data
            case Index(polynomial, ctype, needs):
                self.rely_on(Index(polynomial, ctype, tuple(need for need in needs if not need.wraps)))
                rooms = [need.polynomial for need in needs if need.wraps] if self.sink.emits else []
                wraps = not all(self.ranges.is_certain(room, self.domain) for room in rooms)
                return self.sink.index_value(polynomial, ctype, expression.location, wraps=wraps)
            case Unknown():
                return Data(None, expression.ctype)
            case _:
                raise refusal("pointer", expression.location, "a pointer is used as a value")

    def kept(self, value: Value, location: Location) -> Index | Data | Unknown | None:
        """Give what an integer that steers may have for its value; None where it loses its closed form."""
        if isinstance(value, Data) and self.keeps_data and self.sink.emits:
            return self.value_of(value, location)
        return value if isinstance(value, Index | Unknown) else None

    def value_of(self, data: Data, location: Location) -> Data:
        """Turn a truth value into the ``int`` that C makes of it."""
        return self.sink.convert(data, INT, location) if data.truth else data


def check_type(ctype: CType, location: Location) -> None:
    """Refuse a type outside the subset."""
    if isinstance(ctype, OtherType):
        raise refusal(ctype.kind, location, f"`{ctype.spelling}`" if ctype.kind == "struct" else ctype.spelling)
