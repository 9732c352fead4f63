"""The state of translating one Python function: names, the open block, what earlier passes found out.

Types of local variables and equal extents are only known at the end of a translation; so a function is translated
until nothing new is found.  ``Facts`` is what lasts from pass to pass: the types that a pass
uses are those that the pass before it found.
"""

from __future__ import annotations

import ast
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from tensorlift.diagnostics import LiftError, Location
from tensorlift.frontends.c import nodes
from tensorlift.frontends.python.refusals import refusal
from tensorlift.frontends.python.scalars import (
    Number,
    Scalar,
    binary,
    fits,
    integer,
    known_integers,
    name_of,
    polynomial,
    promoted,
    stored,
)
from tensorlift.frontends.python.syntax import loop_variables, stored_in
from tensorlift.frontends.python.values import ArrayVariable, Sizes, View
from tensorlift.ops.c_types import BOOL, LONG, CType, FloatType, IntegerType, VoidType
from tensorlift.poly.index_arithmetic import counts_objects
from tensorlift.poly.loops import Domain, LoopRange
from tensorlift.poly.ranges import Ranges

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tensorlift.frontends.python.signature import ParameterKind
    from tensorlift.poly.polynomial import Polynomial

Binding: TypeAlias = nodes.Variable | Scalar | ArrayVariable | View | Sizes
_CALL_DEPTH = 16
_DECORATORS = {"njit", "jit", "lift"}

_NEGATIVE_EXTENT = "shape", "an extent may be negative"


@dataclass(frozen=True, slots=True)
class Equality:
    """Two extents that must be equal, because an operation takes them together."""

    left: Polynomial
    right: Polynomial
    location: Location


@dataclass(slots=True)
class Facts:
    """What passes over a function found out: types of locals, names of extents, equal extents."""

    types: dict[str, tuple[Number, bool]] = field(default_factory=dict)
    found: dict[str, tuple[Number, bool]] = field(default_factory=dict)
    same: dict[str, str] = field(default_factory=dict)
    unified: list[tuple[str, str, Location]] = field(default_factory=list)
    display: dict[str, str] = field(default_factory=dict)
    mixed: set[str] = field(default_factory=set)  # those that data makes truth values of Python, of NumPy, or numbers
    loose: set[str] = field(default_factory=set)  # numbers of another type that data makes integers of Python
    integers: dict[str, frozenset[int] | None] = field(default_factory=dict)  # those of Python that locals hold
    data: set[str] = field(default_factory=set)  # locals that may be any integer of 64 bits, as numbers of arrays are
    misfits: list[LiftError] = field(default_factory=list)  # what types refuse, if they are the final ones
    changed: bool = False

    def representative(self, name: str) -> str:
        """Give the extent that stands for all that are equal to it."""
        while name in self.same:
            name = self.same[name]
        return name

    def unify(self, first: str, second: str, location: Location) -> None:
        """Make two extents equal."""
        a, b = self.representative(first), self.representative(second)
        if a != b:
            self.same[b] = a
            self.unified.append((first, second, location))
            self.changed = True

    def join(self, name: str, ctype: Number, *, weak: bool) -> Number:
        """Widen the type of a local variable or of the items of a list to hold one more value, and give it."""
        known = self.found.get(name)
        if known is None or known == (ctype, weak):
            self.found[name] = ctype, weak
        elif known[0] == ctype == BOOL:
            self.found[name] = BOOL, False
        else:
            self.found[name] = promoted(*_as_number(*known), *_as_number(ctype, weak))
        return self.type_of(name)[0]

    def note_kind(self, name: str, value: Scalar) -> None:
        """Note that a local variable holds a value, which may be a truth value of another kind than those before."""
        known, weak = self.found.get(name, (value.ctype, value.weak))
        kinds = {(known == BOOL, weak), (value.is_truth, value.weak)}
        if name not in self.mixed and (value.mixed or (len(kinds) > 1 and BOOL in (known, value.ctype))):
            self.mixed.add(name)
            self.changed = True
        is_float, was_float = (isinstance(ctype, FloatType) for ctype in (value.ctype, known))
        comes_and_goes = value.may_be_integer if was_float else is_float and weak
        if not (is_float or was_float) and BOOL not in (known, value.ctype):
            comes_and_goes = weak != value.weak
        if name not in self.loose and (value.loose or comes_and_goes):
            self.loose.add(name)
            self.changed = True
        before = self.integers.get(name, frozenset())
        more, is_written = known_integers([value]), isinstance(value.node, nodes.Integer)
        if before is None or more is None or not (is_written or more <= before):
            more = None  # such that are computed of those that it held before would be more with every pass
        else:
            more |= before
        if more != before:
            self.integers[name] = more
            self.changed = True

    def kinds_of(self, name: str) -> tuple[bool, bool]:
        """Tell whether a local variable is mixed, and whether it is loose (see ``Scalar``)."""
        return name in self.mixed, name in self.loose

    def mixes(self, name: str, ctype: Number, *, weak: bool) -> bool:
        """Whether a local variable would hold truth values of NumPy, whose arithmetic is their own, and numbers."""
        known, known_weak = self.found.get(name, (ctype, weak))
        return known != ctype and ((ctype == BOOL and not weak) or (known == BOOL and not known_weak))

    def type_of(self, name: str) -> tuple[Number, bool]:
        """Give the type of a local variable, as the last pass knows it."""
        return self.types.get(name) or self.found.get(name) or (LONG, True)

    def begin_pass(self) -> None:
        """Forget what the pass before found out about types, but use it."""
        self.found, self.changed = {}, False
        self.misfits.clear()

    def end_pass(self) -> None:
        """Note whether the types are still those that the pass used."""
        if self.found != self.types:
            self.types, self.changed = self.found, True


@dataclass(slots=True)
class Module:
    """What the names around a function mean: other functions, numeric constants, imports.

    ``homes`` are the modules of functions whose own names mean something else: those of live functions.
    """

    filename: str
    functions: dict[str, ast.FunctionDef]
    constants: dict[str, int | float]
    imports: dict[str, str]
    identifiers: frozenset[str] = frozenset()
    rebound: frozenset[str] = frozenset()  # names that the file binds to neither functions nor imports
    homes: dict[str, Module] = field(default_factory=dict)
    is_live: bool = False  # its functions are objects, which decorators have not replaced

    def check_decorators(self, function: ast.FunctionDef) -> None:
        """Refuse all decorators but those that only compile."""
        if self.is_live:
            return
        for decorator in function.decorator_list:
            named = ast.unparse(decorator.func if isinstance(decorator, ast.Call) else decorator)
            if named.rsplit(".", 1)[-1] not in _DECORATORS:
                raise refusal("decorator", self.locate(decorator), named)

    def locate(self, node: ast.AST) -> Location:
        """Give the place of a piece of syntax."""
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        return Location(self.filename, line, column + 1)

    def key(self, function: ast.FunctionDef, name: str) -> str:
        """Give the name of a local variable among those of all functions."""
        return f"{self.filename}:{function.lineno}:{function.name}.{name}"

    def home_of(self, name: str) -> Module:
        """Give the module in which to read one of the functions."""
        return self.homes.get(name, self)


@dataclass(frozen=True, slots=True)
class Inferred:
    """What was found out about a function: its parameters, and the types of its locals by their keys.

    ``results`` are the arrays that it makes for its caller, with the types of their elements and their ranks;
    ``returns`` names what it gives back, the value of type ``result`` by nothing.  It ``grows`` where integers of
    Python are taken to fit into 64 bits.
    """

    module: Module
    function: ast.FunctionDef
    kinds: Mapping[str, ParameterKind]
    types: Mapping[str, tuple[Number, bool]]
    results: Mapping[str, tuple[Number, int]]
    returns: tuple[str, ...]
    result: Number | VoidType
    grows: bool


class State:
    """State and basic steps; the subclasses add expressions, arrays, calls and statements."""

    def __init__(self, module: Module, facts: Facts, function: ast.FunctionDef) -> None:
        self.module = module
        self.facts = facts
        self.function = function
        self.environment: dict[str, Binding] = {}
        self.out: list[nodes.Statement] = []
        self.extents: dict[str, str] = {}  # the names of the extents of array parameters: as shown, as their own
        self.equalities: list[Equality] = []
        self.least: list[tuple[Polynomial, Location]] = []  # what must be at least zero
        self.stable: set[nodes.Variable] = set()
        self.data: set[nodes.Variable] = set()  # those of ``facts.data``
        self.parts: set[nodes.Expression] = set()  # quotients and remainders by constants, which are not as large
        self.kept: set[nodes.Variable] = set()  # lists of the function whose items are not among these
        self.ranges = Ranges()
        self.loops: tuple[LoopRange, ...] = ()
        self.calling: list[str] = [function.name]
        self.stores: dict[str, int] = {}  # how often the function binds a name
        self.straight: set[str] = set()  # names that it binds in no loop and under no condition
        self.latest: dict[str, Scalar] = {}  # what they hold where their last binding was
        self.augmented: dict[str, int] = {}  # how often of these by `+=` and the like, which keep an array
        self.growth: Location | None = None  # where first an integer of Python is computed from data
        self.whole: ast.expr | None = None  # the expression that a statement evaluates before it does anything else
        self._count = 0
        self.enter_function(function)

    def enter_function(self, function: ast.FunctionDef) -> None:
        """Note what the body of a function binds."""
        self.function = function
        self.stores = Counter(stored_in(function.body))
        self.augmented = Counter(
            node.target.id
            for node in ast.walk(function)
            if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name)
        )
        self.loop_names = loop_variables(function)
        inner = [part for node in function.body for part in ast.iter_child_nodes(node) if isinstance(part, ast.stmt)]
        self.straight = self.stores.keys() - set(stored_in(inner)) - set(self.loop_names)
        for node in ast.walk(function):
            if isinstance(node, ast.NamedExpr):
                raise refusal("walrus", self.locate(node), ast.unparse(node))

    def locate(self, node: ast.AST) -> Location:
        """Give the place of a piece of syntax."""
        return self.module.locate(node)

    def emit(self, statement: nodes.Statement) -> None:
        """Append a statement to the open block."""
        self.out.append(statement)

    @contextmanager
    def block(self) -> Iterator[list[nodes.Statement]]:
        """Collect the statements of a block; names that it binds end with it."""
        outer, names = self.out, dict(self.environment)
        self.out = []
        try:
            yield self.out
        finally:
            self.out, self.environment = outer, names

    def joined(self, key: str, name: str, value: Scalar, location: Location) -> Number:
        """Widen the type under a key to hold a value, and give it; refuse where Python's own type would come and go."""
        if self.facts.mixes(key, value.ctype, weak=value.weak):
            detail = f"`{name}` is a truth value of NumPy in one place and a number in another"
            raise refusal("truths", location, detail)
        self.note(key, value)
        ctype = self.facts.join(key, value.ctype, weak=value.weak)
        if not fits(value, ctype):
            kind = "of Python" if value.weak else f"of type {name_of(value.ctype)}"
            detail = f"`{name}` holds a number {kind} in one place and one of type {name_of(ctype)} in another"
            self.facts.misfits.append(refusal("type", location, detail))
        return ctype

    def note(self, key: str, value: Scalar) -> None:
        """Note of what kind a value is that a local variable, or an item of a list, holds."""
        self.facts.note_kind(key, value)
        self.note_data(key, value.node)

    def note_data(self, key: str, node: nodes.Expression) -> None:
        """Note whether a local variable, or an item of a list, may be any integer."""
        if key not in self.facts.data and self.is_any(node):
            self.facts.data.add(key)
            self.facts.changed = True

    def keep(self, array: ArrayVariable) -> None:
        """Note that a list that the function makes holds nothing but sizes and counters, if that is so."""
        if array.key not in self.facts.data:
            self.kept.add(array.variable)

    def temporary(self, value: Scalar, location: Location, name: str = "t") -> Scalar:
        """Compute a value once, here, and give the variable that holds it."""
        value = stored(value, location)
        variable = nodes.Variable(self.fresh(name), value.ctype, location, initialiser=value.node)
        self.emit(nodes.Declare(variable, location))
        if self.is_any(value.node):
            self.data.add(variable)
        return replace(value, node=nodes.Name(variable, value.ctype, location))

    def note_growth(self, value: Scalar, location: Location) -> None:
        """Note an integer of Python that may leave the 64 bits of the program: not a sum of sizes and counters."""
        if value.weak and value.ctype == LONG and not self._counts(value.node):
            self.growth = self.growth or location

    def is_any(self, node: nodes.Expression) -> bool:
        """Whether an integer may be any of 64 bits, since it is made of data, not of sizes and counters."""
        if node in self.parts:
            return False
        match node:
            case nodes.Name(variable=variable):
                return variable in self.data
            case nodes.Subscript(base=base):
                while isinstance(base, nodes.Subscript):
                    base = base.base
                is_kept = isinstance(base, nodes.Name) and base.variable in self.kept
                return _is_wide(node.ctype) and not is_kept
            case nodes.Binary(operator="&", left=left, right=right):
                return self.is_any(left) and self.is_any(right)
            case nodes.Binary(left=left, right=right) | nodes.Conditional(then=left, otherwise=right):
                return _is_wide(node.ctype) and (self.is_any(left) or self.is_any(right))
            case nodes.Unary(operand=operand) | nodes.Cast(operand=operand):
                return _is_wide(node.ctype) and (isinstance(operand.ctype, FloatType) or self.is_any(operand))
            case nodes.Call():
                return _is_wide(node.ctype)
        return False

    def _counts(self, node: nodes.Expression) -> bool:
        """Tell whether an operator leaves sizes and counters about as large as they are."""
        value = polynomial(node)
        grows = isinstance(node, nodes.Binary) and node.operator in {"*", "<<"}
        return self.is_stable(node) and (not grows if value is None else counts_objects(value))

    def fresh(self, name: str) -> str:
        """Give a name that the source does not use."""
        self._count += 1
        found = f"{name}{self._count}"
        return found if found not in self.module.identifiers else self.fresh(name)

    def key(self, name: str) -> str:
        """Give the name of a local variable among those of all functions."""
        return self.module.key(self.function, name)

    def is_stable(self, node: nodes.Expression) -> bool:
        """Whether an integer expression has the same value wherever it stands."""
        match node:
            case nodes.Integer():
                return True
            case nodes.Name(variable=variable):
                return variable in self.stable
            case nodes.Binary(left=left, right=right):
                return self.is_stable(left) and self.is_stable(right)
            case nodes.Conditional(condition=condition, then=then, otherwise=otherwise):
                return self.is_stable(condition) and self.is_stable(then) and self.is_stable(otherwise)
            case nodes.Cast(operand=operand) | nodes.Unary(operator="-", operand=operand):
                return self.is_stable(operand)
            case _:
                return False

    def require_equal(self, left: nodes.Expression, right: nodes.Expression, location: Location) -> None:
        """Make two extents equal: prove it, identify two that are free, or record it as a precondition."""
        if (numerators := _numerators(left, right)) is not None:
            self.require_equal(*numerators, location)
            return
        a, b = polynomial(left), polynomial(right)
        if a is None or b is None or not self.is_stable(left) or not self.is_stable(right):
            raise refusal("shape", location, "an extent is no sum of sizes")
        if a == b:
            return
        difference = (a - b).constant_value
        if difference is not None:
            raise refusal("shape", location, f"{a} is not {b}")
        owners = [name for name in _two_equal(a - b) if name in self.extents]
        if len(owners) == 2:  # noqa: PLR2004 - both sides
            self.facts.unify(self.extents[owners[0]], self.extents[owners[1]], location)
            return
        if not a.is_affine or not b.is_affine or not (a - b).variables() <= self._size_names():
            raise refusal("shape", location, f"{a} and {b} cannot be compared")
        self.equalities.append(Equality(a, b, location))

    def _size_names(self) -> set[str]:
        return set(self.ranges.sizes)

    def add_size(self, variable: nodes.Variable) -> None:
        """Note a size: an integer that does not change."""
        self.stable.add(variable)
        self.ranges.add_size(variable.name, LONG)

    def greatest(self, node: nodes.Expression) -> nodes.Expression:
        """Give what an extent is at most in the loops around, as a sum of sizes; itself where that is not known."""
        value = polynomial(node)
        if value is None or value.variables() <= self._size_names():
            return node
        most = self.ranges.maximum(value, Domain(self.loops))
        sizes = {variable.name: variable for variable in self.stable}
        if most is None or not most.is_affine or not most.variables() <= self._size_names() & sizes.keys():
            return node
        location = node.location
        total = integer(most.terms.get((), 0), location)
        for monomial, factor in most.terms.items():
            if monomial:
                size = Scalar(nodes.Name(sizes[monomial[0]], LONG, location), LONG)
                total = binary("+", total, binary("*", integer(factor, location), size, location), location)
        return total.node

    def require_nonnegative(
        self, node: nodes.Expression, location: Location, otherwise: tuple[str, str] = _NEGATIVE_EXTENT
    ) -> None:
        """Record the sizes for which an integer is at least zero in the loops around, or refuse it ``otherwise``."""
        while isinstance(node, nodes.Binary) and node.operator == "//" and _is_positive(node.right):
            node = node.left
        value = polynomial(node)
        least = None if value is None else self.ranges.minimum(value, Domain(self.loops))
        if least is None or not least.is_affine or not least.variables() <= self._size_names():
            raise refusal(otherwise[0], location, otherwise[1])
        if (least.constant_value or 0) < 0 or not least.is_constant:
            self.least.append((least, location))

    @contextmanager
    def counting(
        self, variable: nodes.Variable, bounds: tuple[nodes.Expression, Sequence[nodes.Expression]]
    ) -> Iterator[None]:
        """Be inside a loop over ``lower <= variable < min(uppers)``, as far as the bounds are known."""
        saved = self.loops
        lower = polynomial(bounds[0])
        uppers = [upper for upper in map(polynomial, bounds[1]) if upper is not None]
        if lower is not None and uppers:
            self.loops = (*saved, LoopRange(variable.name, lower, tuple(uppers)))
        self.stable.add(variable)
        try:
            yield
        finally:
            self.loops = saved

    def count_call(self, name: str, location: Location) -> None:
        """Refuse recursion."""
        if name in self.calling or len(self.calling) > _CALL_DEPTH:
            raise refusal("call", location, f"{name}`, which calls itself, `{name}")


def _numerators(left: nodes.Expression, right: nodes.Expression) -> tuple[nodes.Expression, nodes.Expression] | None:
    """Give the numerators of two quotients by one constant: where they are equal, so are the quotients."""
    match left, right:
        case (
            nodes.Binary(operator="//", left=a, right=nodes.Integer(value=m)),
            nodes.Binary(operator="//", left=b, right=nodes.Integer(value=n)),
        ) if m == n:
            return a, b
    return None


def _two_equal(difference: Polynomial) -> tuple[str, ...]:
    """Give the two variables that are equal where a difference is zero, none where it says anything else."""
    by_factor = {factor: monomial for monomial, factor in difference.terms.items()}
    if len(difference.terms) != 2 or by_factor.keys() != {1, -1}:  # noqa: PLR2004 - both sides
        return ()
    return (*by_factor[1], *by_factor[-1]) if all(len(monomial) == 1 for monomial in by_factor.values()) else ()


def _as_number(ctype: Number, weak: bool) -> tuple[Number, bool]:  # noqa: FBT001 - a type with its mark
    """Give the type that a truth value of Python has among numbers."""
    return (LONG if ctype == BOOL and weak else ctype), weak


def _is_positive(node: nodes.Expression) -> bool:
    return isinstance(node, nodes.Integer) and node.value > 0


def _is_wide(ctype: CType) -> bool:
    return isinstance(ctype, IntegerType) and ctype.width == LONG.width
