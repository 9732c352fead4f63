"""Execution of statements, and of whole functions."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING

from tensorlift.comprehension.polynomial import ZERO, Polynomial
from tensorlift.frontends.c import nodes
from tensorlift.frontends.c.asked import demand, demand_equal, settle
from tensorlift.frontends.c.c_types import INT, ArrayType, NumberType, PointerType, VoidType
from tensorlift.frontends.c.choices import Choices, both_signs
from tensorlift.frontends.c.endings import ending_of
from tensorlift.frontends.c.machine import check_type
from tensorlift.frontends.c.places import holds_data
from tensorlift.frontends.c.refusals import refusal
from tensorlift.frontends.c.values import Address, Array, Data, Index, Known, Slot, Unknown, Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.diagnostics import Location
    from tensorlift.frontends.c.sink import Condition

_NO_VALUE = Unknown("no-return", "")
_INITIALISER_LIMIT = 256


class Statements(Choices):
    """Execution of every kind of statement."""

    def run(self, statement: nodes.Statement) -> None:
        """Execute a statement; a ``return`` is refused here, because only the end of a function may have one."""
        match statement:
            case nodes.Evaluate(expression=expression):
                self._effect(expression)
            case nodes.Block():
                self._block(statement)
            case nodes.Loop():
                self.loop(statement)
            case nodes.Declare(variable=variable):
                self._declare(variable, statement)
            case nodes.If():
                self._if(statement)
            case nodes.Settle() | nodes.Agree() | nodes.ReadOn():
                self._take(statement)
            case nodes.Return():
                raise refusal("return-in-loop", statement.location)
            case nodes.Unsupported(kind=kind, location=location, detail=detail):
                raise refusal(kind, location, detail)

    def _effect(self, expression: nodes.Expression) -> None:
        """Execute an expression statement; where nothing is emitted, only what steers and pointers count."""
        if self.sink.emits or self.demand.moves(expression):
            self.evaluate(expression)

    def _block(self, block: nodes.Block) -> None:
        """Execute a block; what it declares ends with it."""
        for child in block.statements:
            self.execute(child)
        if block.is_scope:
            for child in block.statements:
                self.end_scope(child)

    def run_body(self, function: nodes.Function) -> Value:
        """Execute the body of a function; the value of its last ``return`` is the function's value."""
        value = self._tail(function.body.statements)
        if value is None and not isinstance(function.result, VoidType):
            raise refusal("no-return", function.location)
        return _NO_VALUE if value is None else value

    def _tail(self, statements: Sequence[nodes.Statement]) -> Value | None:
        """Execute the statements up to the end of a function, where ``return`` may stand."""
        for position, statement in enumerate(statements):
            undecided = self.undecided(statement) if self.sink.emits and _returns(statement) else None
            if undecided is not None:
                arm = statements[position:]
                return self._branching_end(*both_signs(undecided), (arm, arm), statement.location)
            if isinstance(statement, nodes.Return):
                return self.evaluate(statement.value) if statement.value is not None else None
            if isinstance(statement, nodes.Block) and _returns(statement):
                return self._tail([*statement.statements, *statements[position + 1 :]])
            if isinstance(statement, nodes.If) and _returns(statement):
                return self._branching_tail(statement, statements[position + 1 :])
            self.execute(statement)
        return None

    def _branching_tail(self, statement: nodes.If, rest: Sequence[nodes.Statement]) -> Value | None:
        """Execute an ``if`` with a ``return`` inside: what follows belongs to the arms that go on."""
        goes_on = self._demanded(statement)
        if goes_on is not None:
            return self._tail([goes_on, *rest])
        condition = self.condition(statement.condition)
        arms = [[statement.then], [statement.otherwise] if statement.otherwise is not None else []]
        going_on = [not arm or not _always_returns(arm[0]) for arm in arms]
        if isinstance(condition, bool):
            chosen = 0 if condition else 1
            return self._tail([*arms[chosen], *(rest if going_on[chosen] else ())])
        ends = tuple([*arm, *(rest if goes_on else ())] for arm, goes_on in zip(arms, going_on, strict=True))
        known = self.guards(statement.condition)
        return self._branching_end(condition, known, (ends[0], ends[1]), statement.location)

    def _branching_end(
        self,
        condition: Condition,
        known: tuple[Known, Known],
        arms: tuple[Sequence[nodes.Statement], Sequence[nodes.Statement]],
        location: Location,
    ) -> Value | None:
        """Execute two ends of a function under a condition."""
        values: list[Value | None] = []
        regions: list[object] = []
        for arm, guards in zip(arms, known, strict=True):
            saved = dict(self.environment)
            self.sink.begin_branch()
            with self.inside(guards=guards):
                values.append(self._returned(self._tail(arm), location))
            regions.append(self.sink.end_branch())
            self.environment = saved
        return self._joined(condition, (regions[0], regions[1]), values, location)

    def _returned(self, value: Value | None, location: Location) -> Value | None:
        """Turn a returned value into data while its arm is open."""
        if value is None:
            return None
        place = nodes.Integer(0, value.ctype if isinstance(value, Index | Data) else VoidType(), location)
        return self.value_of(self.as_data(value, place), location)

    def _joined(
        self, condition: Condition, regions: tuple[object, object], values: list[Value | None], location: Location
    ) -> Value | None:
        """Join the two arms of a branching end."""
        first, second = values
        if isinstance(first, Data) and isinstance(second, Data):
            return self.sink.branch(condition, regions, (first, second), location)
        if first is not None or second is not None:
            raise refusal("no-return", location)
        self.sink.branch(condition, regions, None, location)
        return None

    def _if(self, statement: nodes.If) -> None:
        """Execute an ``if``; a decided one leaves only its arm, and so does one on whose other arm the program ends."""
        goes_on = self._demanded(statement)
        if goes_on is not None:
            self.execute(goes_on)
            return
        condition = self.condition(statement.condition)
        if isinstance(condition, bool):
            chosen = statement.then if condition else statement.otherwise
            if chosen is not None:
                self.execute(chosen)
            return
        known = self.guards(statement.condition)
        self.branches(condition, known, (statement.then, statement.otherwise), statement.location)

    def _demanded(self, statement: nodes.If) -> nodes.Statement | None:
        """Ask that the arm is not taken on which the program ends, and give the other one; None where it goes on."""
        arms = [statement.then, statement.otherwise or nodes.Block((), statement.location)]
        for position, arm in enumerate(arms):
            ending = ending_of(arm)
            if ending is not None:
                self._demand(statement.condition, ending, truth=position == 1)
                return arms[1 - position]
        return None

    def _demand(self, expression: nodes.Expression, name: str, *, truth: bool) -> None:
        """Ask that a condition holds, or does not hold, whenever it is tested."""
        if not self.sink.emits:
            return
        wanted = expression if truth else nodes.Unary("!", expression, INT, expression.location)
        demand(self, self.condition_without_effects(wanted), name, expression.location)

    def _declare(self, variable: nodes.Variable, statement: nodes.Declare) -> None:
        """Execute the declaration of a local variable."""
        check_type(variable.ctype, statement.location)
        constant = variable.is_const and variable.initialiser is not None
        if variable.is_static and not constant:
            raise refusal("static-local", statement.location, variable.name)
        if variable.is_global:
            raise refusal("global", statement.location, variable.name)
        if isinstance(variable.ctype, ArrayType):
            self.declare_array(variable)
        elif isinstance(variable.ctype, PointerType):
            value = self.evaluate(variable.initialiser) if variable.initialiser is not None else None
            self.environment[variable] = value if isinstance(value, Address) else Unknown("pointer-walk", variable.name)
        elif self.demand.steers(variable):
            self._declare_steering(variable)
        else:
            self._declare_data(variable)

    def _declare_steering(self, variable: nodes.Variable) -> None:
        value: Value = Unknown("uninitialised", variable.name)
        if variable.initialiser is not None:
            kept = self.kept(self.evaluate(variable.initialiser), variable.initialiser.location)
            value = holds_data(variable, variable.initialiser) if kept is None else kept
        self.environment[variable] = value

    def _declare_data(self, variable: nodes.Variable) -> None:
        initialiser = variable.initialiser
        if isinstance(initialiser, nodes.InitialiserList):
            raise refusal("initialiser", initialiser.location, "braces around a scalar")
        value = None
        if initialiser is not None and (self.sink.emits or self.demand.moves(initialiser)):
            value = self.value_of(self.as_data(self.evaluate(initialiser), initialiser), initialiser.location)
        slot = self.environment[variable] = self.declare_scalar(variable)
        if value is not None and slot.array is not None:
            self.sink.store(slot.array, (), value, self.domain, variable.location)

    def declare_uninitialised(self, variable: nodes.Variable) -> None:
        """Declare a variable that holds data."""
        self.environment[variable] = self.declare_scalar(variable)

    def declare_scalar(self, variable: nodes.Variable) -> Slot:
        """Make memory for a scalar variable."""
        check_type(variable.ctype, variable.location)
        if not self.sink.emits:
            return Slot(None)
        array = Array(variable.name, variable.ctype, [], variable.location, variable.ctype.spelling)
        self.sink.allocate(array, self.domain)
        return Slot(array)

    def _take(self, statement: nodes.Settle | nodes.Agree | nodes.ReadOn) -> None:
        """Take what a statement says of arrays as given."""
        match statement:
            case nodes.Settle():
                self._settle(statement)
            case nodes.Agree():
                self._agree(statement)
            case nodes.ReadOn():
                self._read_on(statement)

    def _settle(self, statement: nodes.Settle) -> None:
        """Fix the extents of an array where it is handed on; refuse two that differ."""
        found = [None if extent is None else self._extent(extent) for extent in statement.extents]
        binding = self.environment.get(statement.variable)
        if not self.sink.emits or not isinstance(binding, Address) or not isinstance(binding.base, Array):
            return
        settle(self, binding.base, found, statement.location)

    def _agree(self, statement: nodes.Agree) -> None:
        """Prove that two extents are equal, or ask for it."""
        left, right = self._extent(statement.left), self._extent(statement.right)
        if left is None or right is None or not self.sink.emits:
            return
        demand_equal(self, left, right, statement.location)

    def _read_on(self, statement: nodes.ReadOn) -> None:
        """Ask for the elements of arrays of the caller behind the place where a loop of the source ends."""
        for variable in statement.arrays:
            self.ask_for_all(self.environment.get(variable), statement.location)

    def _extent(self, expression: nodes.Expression) -> Polynomial | None:
        """Evaluate an extent; None where nothing is emitted and it is not known."""
        value = self.known(self.evaluate(expression), expression.location)
        if isinstance(value, Index):
            self.rely_on(value)
            return value.polynomial
        if self.sink.emits:
            raise refusal("subscript-data", expression.location, "data in an extent")
        return None

    def extents(self, variable: nodes.Variable) -> list[Polynomial | None]:
        """Evaluate the declared extents of an array."""
        found: list[Polynomial | None] = []
        for extent in variable.extents:
            if extent is None:
                found.append(None)
                continue
            value = self.known(self.evaluate(extent), extent.location)
            if isinstance(value, Index):
                self.rely_on(value)
                self._check_extent(value.polynomial, variable, extent.location)
                found.append(value.polynomial)
            elif self.sink.emits:
                raise refusal("subscript-data", extent.location, f"data in the extent of `{variable.name}`")
        return found

    def _check_extent(self, extent: Polynomial, variable: nodes.Variable, location: Location) -> None:
        """Refuse an extent that is no positive number, or that changes while the function runs."""
        constant = extent.constant_value
        if constant is not None and constant < 1:
            raise refusal("declaration", location, f"`{variable.name}` has no elements")
        if not self.ranges.leaves(extent) <= self.ranges.sizes.keys():
            raise refusal("extent", location, variable.name)

    def declare_array(self, variable: nodes.Variable) -> None:
        """Make a local array, or a table of constants, with its initialiser stored element by element."""
        element: object = variable.ctype
        while isinstance(element, ArrayType):
            element = element.element
        if not isinstance(element, NumberType):
            assert isinstance(element, PointerType) or hasattr(element, "spelling")
            check_type(element, variable.location)  # type: ignore[arg-type] # every element type is a CType
            raise refusal("row-pointers", variable.location, variable.name)
        base: Array | nodes.Variable = variable
        if self.sink.emits:
            extents = self.extents(variable)
            for extent in extents:
                if extent is not None and not self.ranges.leaves(extent) <= self.ranges.sizes.keys():
                    raise refusal("extent", variable.location, variable.name)
            base = Array(variable.name, element, extents, variable.location, variable.ctype.spelling)
            base.keeps_rank = variable.keeps_rank
            self.sink.allocate(base, self.domain)
            self.arrays.append(base)
        self.environment[variable] = Address(base, (ZERO,))
        if variable.initialiser is not None and isinstance(base, Array):
            self._initialise(base, variable, variable.initialiser)

    def _initialise(self, array: Array, variable: nodes.Variable, initialiser: nodes.Expression) -> None:
        """Store the elements of an initialiser list; elements that it leaves out are zero."""
        extents = [extent.constant_value if extent is not None else None for extent in array.extents]
        if not isinstance(initialiser, nodes.InitialiserList) or None in extents:
            raise refusal("initialiser", variable.location, f"`{variable.name}`")
        known = [extent for extent in extents if extent is not None]
        if prod(known) > _INITIALISER_LIMIT:
            raise refusal("initialiser", variable.location, f"more than {_INITIALISER_LIMIT} elements")
        for cell in product(*map(range, known)):
            item = _item(initialiser, cell)
            zero = self.sink.constant(0, array.element, variable.location)
            value = zero if item is None else self.value_of(self.data(item), item.location)
            subscripts = tuple(Polynomial.constant(position) for position in cell)
            self.sink.store(array, subscripts, value, self.domain, variable.location)


def _item(initialiser: nodes.Expression, cell: tuple[int, ...]) -> nodes.Expression | None:
    """Find the initialiser of one cell; None where the list ends before it."""
    for position in cell:
        if not isinstance(initialiser, nodes.InitialiserList):
            raise refusal("initialiser", initialiser.location, "rows without braces")
        if position >= len(initialiser.items):
            return None
        initialiser = initialiser.items[position]
    return initialiser


def _returns(statement: nodes.Statement) -> bool:
    """Whether a statement holds a ``return`` outside loops."""
    if isinstance(statement, nodes.Loop):
        return False
    return isinstance(statement, nodes.Return) or any(map(_returns, nodes.parts(statement, nodes.STATEMENTS)))


def _always_returns(statement: nodes.Statement) -> bool:
    """Whether a statement certainly ends the function."""
    match statement:
        case nodes.Return():
            return True
        case nodes.Block(statements=statements):
            return any(map(_always_returns, statements))
        case nodes.If(then=then, otherwise=otherwise):
            return otherwise is not None and _always_returns(then) and _always_returns(otherwise)
        case _:
            return False
