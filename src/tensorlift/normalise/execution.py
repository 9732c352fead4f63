"""Symbolic execution of structured literal IR, which emits the loop IR: one rule for each operation.

An integer that is exact is a polynomial (`exact`), memory is an array, a truth value a test, and everything else a
value of the emitted program, computed by the same operation.  Places, shapes and preconditions are found as they are of
what the front ends read, by the same code; `signature` says what the arguments are.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from xdsl.ir import Block, Operation, SSAValue

from tensorlift.diagnostics import LiftError, Location, Note, called_from
from tensorlift.ir import nodes
from tensorlift.ir.location import calls_around, location_of
from tensorlift.normalise.cases import decided, emitted
from tensorlift.normalise.conditions import AffineCondition
from tensorlift.normalise.exact import DIVISIONS, NUMBERS
from tensorlift.normalise.nest_orders import NestOrders
from tensorlift.normalise.values import Address, Array, Choice, Data, Environment, Unknown, Value
from tensorlift.ops.c_types import INT, LONG, FloatType, IntegerType, PointerType
from tensorlift.poly.domain import UNIVERSE
from tensorlift.poly.index_arithmetic import Index, Need, Setting, binary
from tensorlift.poly.loops import Domain, Known, LoopRange
from tensorlift.poly.names import name_of_quotient
from tensorlift.poly.polynomial import ONE, ZERO, Polynomial
from tensorlift.refusals import refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from xdsl.dialects.func import FuncOp
    from xdsl.dialects.scf import WhileOp

    from tensorlift.ir.prototype import Dimension
    from tensorlift.normalise.cells import Cells
    from tensorlift.normalise.ir_sink import IRSink
    from tensorlift.normalise.preconditions import Preconditions
    from tensorlift.normalise.steering import Steering
    from tensorlift.poly.ranges import Ranges

    Rule = Callable[["Execution", Operation], None]


_STEP_LIMIT = 4_000  # longer straight-line code takes more than seconds to prove; bodies of loops count twice


@dataclass(frozen=True, slots=True)
class Test:
    """A truth value: a condition, and what is known of integers where it holds and where it does not.

    ``contrary`` is the value of the emitted program that it is the contrary of, if it was made so.
    """

    condition: AffineCondition | Data | bool
    known: tuple[Known, Known] = ((), ())
    contrary: Data | None = None


@dataclass(frozen=True, slots=True)
class Rules:
    """What operations do, by their names or those of their dialects, and how tables of constants are declared.

    ``run`` follows a rule, by cases where that must be.
    """

    operations: Mapping[str, Rule]
    run: Callable[[Execution, Operation, Rule], None]
    declare_tables: Callable[[Execution], None]


@dataclass(frozen=True, slots=True)
class Language:
    """What differs between literal IR of languages.

    Signed integers of less than ``exact_from`` bits wrap where nothing says that they do not.  Where a language
    ``cuts_off`` what lies outside of an array, counts it from the end, or raises, it is asked of arguments that it does
    nothing of it.  Where it ``keeps_values``, loops keep what they read at places that they keep, although no claim is
    proved of that.  Where it ``divides_sizes``, quotients of sizes are sizes, else data.  ``names`` are what literal IR
    calls parameters, where it does not as C reaches them, and ``returned`` the sizes of what is returned; ``arguments``
    gives what its arguments are.
    """

    arguments: Callable[[Execution, nodes.Function], Iterable[Value | Test]]
    exact_from: int = INT.width
    cuts_off: bool = False
    names: Mapping[str, str] = field(default_factory=dict)
    returned: Mapping[str, Dimension] = field(default_factory=dict)
    keeps_values: bool = False
    divides_sizes: bool = True


class Execution:
    """The state of executing one function."""

    def __init__(  # noqa: PLR0913, PLR0917 - the parts of a machine, and what it runs
        self,
        function: FuncOp,
        steering: Steering,
        signature: nodes.Function,
        language: Language,
        rules: Rules,
        ranges: Ranges,
        preconditions: Preconditions,
        sink: IRSink,
    ) -> None:
        self.steering = steering
        self.ranges, self.preconditions, self.sink = ranges, preconditions, sink
        self.environment: Environment = {}
        self.domain = Domain()
        self.branches_around = 0  # in which nothing may be asked of the caller that holds without them
        self.arrays: list[Array] = []
        self.products: dict[Polynomial, tuple[Polynomial, Polynomial]] = {}  # with the factors that the source spells
        self.converted: list[tuple[Data, Polynomial, Domain]] = []  # unsigned values, which became floats
        self.orders = NestOrders()
        self._names: dict[str, int] = {}
        self._executed = 0
        self.function = function
        self.rules = rules
        self.values: dict[SSAValue, Value | Choice | Test] = {}
        self.numbers: dict[SSAValue, Data] = {}  # places that depend on data
        self.executed: set[Operation] = set()
        self.least: dict[SSAValue, tuple[Index, ...]] = {}  # of which integers a value is the least
        self.cells: Cells
        self.uncounted: list[WhileOp] = []  # loops of which it was found that they do not count
        self.language, self.exact_from = language, language.exact_from
        self.rows: dict[Array, int] = {}  # of how many dimensions it is not told how far rows are apart
        self.signature = signature
        self.tables: dict[str, Address] = {}  # tables of constants by their symbols
        self.given: dict[Array, SSAValue] = {}  # arguments that stand for memory that is made and returned
        self.segments: dict[Array, Polynomial] = {}  # extents of arrays to which bounds that are data lead
        self.new_size: Callable[[Array, int], Polynomial]
        self.place = Location("", 1, 1)  # in the source, of what is executed
        self.divisions = [op for op in function.walk() if op.name in DIVISIONS]
        self.returned: Value | None = None
        self.sizes = UNIVERSE  # those for which the program does not end

    # -- what the lowering of a function asks of a machine

    def bind_parameter(self, parameter: nodes.Variable, value: Value) -> None:
        """Bind a parameter."""
        self.environment[parameter] = value

    def extents(self, variable: nodes.Variable) -> list[Any]:
        """Evaluate the declared extents of a parameter."""
        found = [None if extent is None else extent_of(self, extent) for extent in variable.extents]
        for extent in found:
            if extent is not None:
                self.rely_on(extent)
        return [None if extent is None else extent.polynomial for extent in found]

    def run_body(self, function: nodes.Function) -> Value:
        """Execute the body; gives what is returned."""
        (block,) = self.function.body.blocks
        self.place = function.location
        self.rules.declare_tables(self)
        self.values.update(zip(block.args, self.language.arguments(self, self.signature), strict=True))
        self.execute_block(block)
        return self.returned if self.returned is not None else Unknown("no-return", function.name)

    def count_step(self, location: Location) -> None:
        """Count a statement or a call, and refuse a function that takes too many."""
        self._executed += 1
        if self._executed > _STEP_LIMIT:
            raise refusal("step-limit", location, f"more than {_STEP_LIMIT} statements, counting those of calls")

    def fresh(self, name: str) -> str:
        """Give a variable name that no polynomial uses yet."""
        count = self._names.get(name, 0)
        self._names[name] = count + 1
        return name if count == 0 else self.fresh(f"{name}_{count}")

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
        if value.needs:
            for need in value.needs:
                self.preconditions.demand(need, self.domain)

    def ask_for_all(self, binding: object, location: Location) -> None:
        """Ask for the elements of an array of the caller behind the place where a loop of the source ends."""
        array = binding.base if isinstance(binding, Address) else None
        if not isinstance(array, Array) or array.is_object or array.keeps_rank:
            return  # what knows its extents is asked for those
        if array.is_parameter and None in array.extents:
            text = f"{array.name} has all elements that a loop would read if it did not end early"
            self.preconditions.state("extent", text, location)

    # -- operations

    def execute_block(self, block: Block) -> None:
        """Execute the operations of a block, its end excluded where that is a yield."""
        for op in list(block.ops):  # a loop may become another one
            self.place = self.at(op)
            if op.regions or op.name == "memref.store" or any(result.name_hint for result in op.results):
                self.count_step(self.place)  # a statement
            self.run(op)

    def run(self, op: Operation) -> None:
        """Execute an operation."""
        rules = self.rules.operations
        rule = rules.get(op.name) or rules.get(op.name.partition(".")[0])
        if rule is None:
            raise refusal("expression", self.place, f"`{op.name}`")
        self.executed.add(op)
        for result in op.results if self.least else ():
            self.least.pop(result, None)  # what holds in another case
        try:
            self.rules.run(self, op, rule)
        except LiftError as error:
            raise _with_calls(error, op) from None
        for result in op.results:
            found = self.values.get(result)
            if isinstance(found, Data) and found.literal is None and result.name_hint and not op.regions:
                self.cells.define(result)

    def at(self, op: Operation) -> Location:
        """Give the place of an operation in the source."""
        found = location_of(op)
        return found if found is not None else self.place

    @property
    def setting(self) -> Setting:
        """Where integers are computed."""
        return Setting(self.ranges, self.domain, self.place, self.exact_from)

    # -- values

    def index(self, value: SSAValue) -> Index | None:
        """Give an integer that is exact; one of data that steers gets a variable of its own."""
        found = decided(self, self.values[value])
        return found if isinstance(found, Index) else None

    def as_index(self, value: SSAValue) -> Index:
        """Give an integer as an exact one; data becomes a variable of its own."""
        found = decided(self, self.values[value])
        if isinstance(found, Index):
            return found
        data = self.number(value)
        ctype = data.ctype if isinstance(data.ctype, IntegerType) and data.ctype.signed else LONG
        return Index(self.sink.data_place(data, self.place), ctype)

    def array(self, memory: SSAValue) -> Array:
        """Give the array that memory is."""
        found = decided(self, self.values[memory])
        if isinstance(found, Address) and isinstance(found.base, Array):
            return found.base
        place = self.place if isinstance(memory.owner, Block) else self.at(memory.owner)
        if isinstance(found, Unknown):
            raise refusal(found.reason, place if found.reason == "pointer-choice" else self.place, found.detail)
        raise refusal("pointer-choice", place, "a pointer into one of several arrays is used")

    def number(self, value: SSAValue) -> Data:
        """Give a value of the emitted program."""
        if value in self.numbers:
            return self.numbers[value]
        found = self.values[value]
        if isinstance(found, Data):
            return self.cells.current(value) or found
        return self.number_of(found)

    def number_of(self, value: Value | Choice | Test) -> Data:
        """Turn a value into one of the emitted program."""
        match decided(self, value):
            case Data() as data:
                return data
            case Index(polynomial, ctype, needs):
                self.rely_on(Index(polynomial, ctype, tuple(need for need in needs if not need.wraps)))
                rooms = [need.polynomial for need in needs if need.wraps]
                wraps = not all(self.ranges.is_certain(room, self.domain) for room in rooms)
                return self.sink.index_value(polynomial, ctype, self.place, wraps=wraps)
            case Test(condition):
                return self.truth(condition)
            case Choice() as choice:
                return emitted(self, choice)
            case Unknown(reason, detail):
                raise refusal(reason, self.place, detail)
        raise refusal("pointer-value", self.place, "a pointer is used as a value")

    def truth(self, condition: AffineCondition | Data | bool) -> Data:  # noqa: FBT001 - one of three kinds
        """Give a condition as a truth value of the emitted program."""
        if isinstance(condition, bool):
            return self.sink.truth(int(condition), self.place)
        return condition if isinstance(condition, Data) else self.sink.truth_of(condition, self.place)

    def given_out(self, memory: SSAValue) -> Array | None:
        """Give the argument that stands for memory that is made and returned; it stands for one alone."""
        if isinstance(self.signature.result, PointerType):  # of C++
            return None
        if _is_returned(memory):
            for variable, bound in self.environment.items():
                called = variable.access or variable.name
                if called == memory.name_hint and isinstance(bound, Address) and isinstance(bound.base, Array):
                    is_own = self.given.setdefault(bound.base, memory) is memory
                    return bound.base if is_own else None
        return None

    def test(self, value: SSAValue) -> Test:
        """Give a truth value as a test."""
        found = decided(self, self.values[value])
        if isinstance(found, Test):
            return found
        data = self.number(value)
        return Test(data if data.literal is None else bool(data.literal))


def _is_returned(value: SSAValue) -> bool:
    """Whether a function returns a value, or what a branch makes of it."""
    for use in value.uses:
        around = use.operation.parent_op()
        is_left = use.operation.name == "scf.yield" and around is not None and around.name == "scf.if"
        if use.operation.name == "func.return" or (is_left and around and _is_returned(around.results[use.index])):
            return True
    return False


def require_returned(ex: Execution, *values: object) -> None:
    """Refuse a way on which the function ends without a value, beside one on which it has one."""
    missing = [isinstance(value, Unknown) and value.reason == "no-return" for value in values]
    if any(missing) and not all(missing):
        raise refusal("no-return", ex.place)


def calls_to(op: Operation) -> tuple[Note, ...]:
    """Note through which calls an operation is reached, the inmost one first."""
    return tuple(called_from(name, place) for name, place in calls_around(op))


def _with_calls(error: LiftError, op: Operation) -> LiftError:
    """Note through which calls an operation is reached."""
    notes = calls_to(op)
    if not notes or any(diagnostic.notes for diagnostic in error.diagnostics):
        return error
    return LiftError(*(replace(diagnostic, notes=notes) for diagnostic in error.diagnostics))


def ctype_of(value: SSAValue) -> FloatType | IntegerType:
    """Give the type of C of a number, integers with a sign."""
    return NUMBERS[value.type]


def note_least(ex: Execution, value: SSAValue, test: Test, arms: Sequence[object]) -> None:
    """Note that a value that is chosen between two integers is the least of them, if it is."""
    first, second = arms
    if isinstance(first, Index) and isinstance(second, Index) and _is_least(test, first, second):
        ex.least[value] = first, second


def join_least(ex: Execution, value: SSAValue, test: Test, cases: Sequence[Sequence[Index]]) -> None:
    """Note of which integers a value is the least that is that of others in each of two cases.

    That is where the cases ask of which of two it is: ``min(a, b)`` where ``b <= c``, else ``min(a, c)``.
    """
    ex.least.pop(value, None)
    first, second = cases
    rest = [[one for one in some if one not in others] for some, others in ((first, second), (second, first))]
    if [*map(len, rest)] == [1, 1] and _is_least(test, *rest[0], *rest[1]):
        ex.least[value] = *first, *rest[1]


def _is_least(test: Test, first: Index, second: Index) -> bool:
    """Tell whether the first of two integers is not greater where a condition holds, and the second one elsewhere."""
    condition = test.condition
    if not isinstance(condition, AffineCondition) or condition.inverted or len(condition.constraints) > 1:
        return False
    ((told, is_equality),) = condition.constraints
    return not is_equality and second.polynomial - first.polynomial - told in {ZERO, ONE}


def extent_of(ex: Execution, expression: nodes.Expression) -> Index:
    """Evaluate an expression of sizes."""
    match expression:
        case nodes.Integer(value=value, ctype=IntegerType() as ctype):
            return Index(Polynomial.constant(value), ctype)
        case nodes.Name(variable=variable):
            bound = ex.environment.get(variable)
            if isinstance(bound, Index):
                return bound
        case nodes.Cast(operand=operand):
            return extent_of(ex, operand)
        case nodes.Binary(operator=operator, left=left, right=right, ctype=IntegerType() as ctype):
            setting = Setting(ex.ranges, ex.domain, expression.location, ex.exact_from)
            found = binary(operator, extent_of(ex, left), extent_of(ex, right), ctype, setting)
            if found is None and operator in {"/", "//"}:
                found = derived_size(ex, extent_of(ex, left), extent_of(ex, right), ctype)
            if found is not None:
                return found
    raise refusal("extent", expression.location, "a parameter")


def derived_size(ex: Execution, dividend: Index, divisor: Index, ctype: IntegerType) -> Index | None:
    """Divide sizes, ``C / NH``, where rounding down and to zero agree: the quotient is a size of its own."""
    parts = dividend.polynomial, divisor.polynomial
    above, below = (part.as_affine() for part in parts)
    is_of_sizes = parts[0].variables() | parts[1].variables() <= ex.ranges.sizes.keys()
    if not ex.language.divides_sizes or not is_of_sizes or above is None or below is None or below.is_constant:
        return None
    name = next((name for name, known in ex.ranges.derived.items() if known == parts), None)
    if name is None:
        name = name_of_quotient(above, below)
        if name in {v.name for v in ex.signature.declared} or ex.fresh(name) != name:
            return None
        ex.ranges.derive_size(name, *parts)
    needs = (replace(need, wraps=False) for need in (*dividend.needs, *divisor.needs))
    rooms = Need("quotient", parts[0], ex.place), Need("quotient", parts[1] - ONE, ex.place)
    return Index(Polynomial.variable(name), ctype, tuple(dict.fromkeys((*needs, *rooms))))


def nothing(_ex: Execution, _op: Operation) -> None:
    """Pass over what is read with the operation around it, or says nothing."""
