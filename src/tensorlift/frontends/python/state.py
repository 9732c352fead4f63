"""The state of finding the types of one Python function: what its names mean, and which extents must be equal."""

from __future__ import annotations

import ast
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from tensorlift.diagnostics import Location
from tensorlift.frontends.python.refusals import RefusedError, refusal
from tensorlift.frontends.python.scalars import (
    NOWHERE,
    QUOTIENT,
    Number,
    Scalar,
    fits,
    is_wide,
    name_of,
    polynomial,
    quotient,
    size_of,
)
from tensorlift.frontends.python.syntax import stacked_lists, stored_in, unsure_bindings, walrus_text
from tensorlift.frontends.python.values import Array, Memory, NoItems, Sizes
from tensorlift.ir import nodes
from tensorlift.ops.c_types import LONG, VOID, VoidType
from tensorlift.poly.index_arithmetic import counts_objects
from tensorlift.poly.polynomial import Polynomial, parse_polynomial

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from tensorlift.diagnostics import LiftError
    from tensorlift.frontends.python.annotations import ParameterKind
    from tensorlift.frontends.python.complex_numbers import Split
    from tensorlift.frontends.python.facts import Facts
    from tensorlift.frontends.python.shapes import Group
    from tensorlift.frontends.python.values import Extents, Operand


class Local:
    """A name of a local variable, whose type is among the facts."""


LOCAL = Local()
Binding: TypeAlias = Local | Scalar | Array | Sizes | NoItems
_CALL_DEPTH = 16
_DECORATORS = {"njit", "jit", "lift"}
_CHANGING = nodes.Unsupported(NOWHERE)  # an extent that is no sum of sizes
_NEGATIVE_EXTENT = "extents", "an extent is no sum of sizes, or may be negative"


@dataclass(frozen=True, slots=True)
class Equality:
    """Two extents that must be equal, because an operation takes them together."""

    left: Polynomial
    right: Polynomial
    location: Location


@dataclass(slots=True)
class Scope:
    """The function that is read: what it binds, how often, and where."""

    function: ast.FunctionDef
    stores: Counter[str]
    augmented: Counter[str]  # of these by `+=` and the like, which keep an array
    straight: set[str]  # names that it binds in no loop and under no condition
    environment: dict[str, Binding] = field(default_factory=dict)
    depth: int = 0  # how many blocks of the function are open
    outer: Mapping[str, Binding] = field(default_factory=dict)  # what names were where the innermost block began
    active: tuple[str, ...] = ()  # the loop variables
    length: nodes.Expression = _CHANGING  # of the innermost loop, ...
    before: set[str] = field(default_factory=set)  # ... and the integers that it does not change
    ever: set[str] = field(default_factory=set)  # what has been bound so far, in any block, ...
    arrays: set[str] = field(default_factory=set)  # ... and what of it to arrays
    growing: dict[str, Array | None] = field(default_factory=dict)  # lists to which the innermost loop appends
    stacked: set[str | ast.AST] = field(default_factory=set)  # lists that become arrays
    returned: list[Operand] | None = None  # by a function that is read in place of a call, and has several returns

    @staticmethod
    def of(module: Module, function: ast.FunctionDef) -> Scope:
        """Note what the body of a function binds."""
        augmented = [node.target for node in ast.walk(function) if isinstance(node, ast.AugAssign)]
        inner: list[ast.AST] = [node.target for node in function.body if isinstance(node, ast.For)]
        for node in function.body:
            inner += [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.stmt)]
        named = [part for part in ast.walk(function) if isinstance(part, ast.NamedExpr)]
        for part in unsure_bindings(function) if named else ():
            raise refusal("walrus", module.locate(part), walrus_text(part))
        inner += [part.target for part in named]
        stores = Counter(stored_in(function.body))
        return Scope(
            function,
            stores,
            Counter(target.id for target in augmented if isinstance(target, ast.Name)),
            stores.keys() - set(stored_in(inner)),
            stacked=stacked_lists(function),
        )


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
    complex: dict[str, Split] = field(default_factory=dict)  # functions of complex numbers, in parts
    is_live: bool = False  # its functions are objects, which decorators have not replaced
    tables: Mapping[str, ast.expr] = field(default_factory=dict)  # lists and arrays that functions do not change
    call: ast.AST | None = None  # in place of which a definition of a function of NumPy is read, ...
    path: str = ""  # ... which differs from those of other calls by this

    @property
    def meant(self) -> set[str]:
        """The names that mean something else than in Python itself."""
        return {*self.functions, *self.constants, *self.imports, *self.rebound}

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
        node = self.call or node
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        return Location(self.filename, line, column + 1)

    def key(self, function: ast.FunctionDef, name: str) -> str:
        """Give the name of a local variable among those of all functions."""
        return f"{self.filename}:{self.path}{function.lineno}:{function.name}.{name}"

    def within(self, node: ast.expr) -> Module:
        """Give the module in which to read the definition of a function of NumPy in place of its call."""
        path = f"{self.path}{node.lineno}.{node.col_offset}.{node.end_lineno}.{node.end_col_offset}:"
        identifiers, call = self.identifiers, self.call or node
        return Module(self.filename, {}, {}, {}, identifiers, is_live=True, call=call, path=path)

    def home_of(self, name: str) -> Module:
        """Give the module in which to read one of the functions."""
        return self.homes.get(name, self)


@dataclass(frozen=True, slots=True)
class Inferred:
    """What was found out about a function: its parameters, and the types of its locals by their keys.

    ``results`` are the arrays that it makes for its caller, with the types of their elements;
    ``returns`` names what it gives back, the value of type ``result`` by nothing.  It ``grows`` where integers of
    Python are taken to fit into 64 bits.  ``callees`` says what each call calls, ``shapes`` what calls of ``reshape``
    make of axes.  Where a target is ``refilled``,
    binding its name again is storing into its array.
    """

    module: Module
    function: ast.FunctionDef
    kinds: Mapping[str, ParameterKind]
    types: Mapping[str, tuple[Number, bool]]
    results: Mapping[str, Number]
    returns: tuple[str, ...]
    result: Number | VoidType
    grows: bool
    callees: Mapping[ast.expr, tuple[str, str]]
    refilled: Collection[ast.expr]
    shapes: Mapping[ast.expr, tuple[Group, ...]] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Inference:
    """What is known while a function is read; the outermost function has parameters and results."""

    module: Module
    facts: Facts
    kinds: Mapping[str, ParameterKind]
    scope: Scope
    extents: set[str] = field(default_factory=set)  # of parameters
    numbers: set[str] = field(default_factory=set)  # parameters that are integers, and do not change
    counters: set[str] = field(default_factory=set)  # what loops count
    display: dict[str, str] = field(default_factory=dict)  # what the function calls extents
    names: set[str] = field(default_factory=set)  # of all integers that do not change where they are
    mentioned: set[str] = field(default_factory=set)
    equalities: list[Equality] = field(default_factory=list)
    calling: list[str] = field(default_factory=list)
    latest: dict[str, Scalar] = field(default_factory=dict)  # what names hold where their last binding was
    growth: Location | None = None  # where first an integer of Python is computed from data
    following: Sequence[ast.stmt] = ()  # the statements after this one in its block
    refilled: set[ast.expr] = field(default_factory=set)  # targets of which binding again is storing into their arrays
    whole: ast.expr | None = None  # the expression that a statement evaluates before it does anything else
    memories: list[Memory] = field(default_factory=list)  # those that are made, one after the other
    source: ast.expr | None = None  # what a name is assigned
    written: list[Memory | None] = field(default_factory=list)  # those that are stored into; none where the run may end
    depth: int = 0  # how many loops and conditions are open
    at: Location = NOWHERE
    callees: dict[ast.expr, tuple[str, str]] = field(default_factory=dict)  # what each call calls
    shapes: dict[ast.expr, tuple[Group, ...]] = field(default_factory=dict)  # what calls of `reshape` make of axes
    results: dict[str, Array] = field(default_factory=dict)  # arrays that the caller gets
    returns: dict[str, str] = field(default_factory=dict)
    result: Number | VoidType = VOID
    returned_names: tuple[str, ...] = ()  # what the last statement returns
    taken: set[str] = field(default_factory=set)  # names of arguments
    viewed: list[Memory] = field(default_factory=list)  # arrays of which views in other shapes have names
    count: int = 0

    @property
    def location(self) -> Location:
        """Where the function begins."""
        return self.module.locate(self.scope.function)

    @property
    def sizes(self) -> set[str]:
        """The integers that do not change."""
        return self.extents | self.numbers

    def inferred(self) -> Inferred:
        """Give what was found out, for the reader."""
        results = {name: array.element for name, array in self.results.items()}
        known = self.module, self.scope.function, self.kinds, self.facts.types
        given = tuple(self.returns), self.result, self.growth is not None
        return Inferred(*known, results, *given, self.callees, self.refilled, self.shapes)

    # -- places and names

    def refusal(self, reason: str, detail: str = "", node: ast.AST | None = None) -> LiftError:
        """Build a refusal, at a piece of syntax where one is given, to be raised by the caller."""
        return refusal(reason, self.at if node is None else self.module.locate(node), detail)

    @contextmanager
    def placed(self, node: ast.AST) -> Iterator[None]:
        """Give what is refused the place of a piece of syntax, where it has none."""
        outer, self.at = self.at, self.module.locate(node)
        try:
            yield
        except RefusedError as error:
            raise self.refusal(error.reason, error.detail) from None
        finally:
            self.at = outer

    @contextmanager
    def block(self) -> Iterator[None]:
        """Be in a block; names that it binds end with it."""
        names, outer = dict(self.scope.environment), self.scope.outer
        self.scope.outer = names
        self.scope.depth += 1
        self.depth += 1
        try:
            yield
        finally:
            self.scope.environment, self.scope.outer = names, outer
            self.scope.depth -= 1
            self.depth -= 1

    def fresh(self, name: str) -> str:
        """Give a name that the source does not use."""
        self.count += 1
        found = f"{name}{self.count}"
        return found if found not in self.module.identifiers else self.fresh(name)

    def key(self, name: str) -> str:
        """Give the name of a local variable among those of all functions."""
        return self.module.key(self.scope.function, name)

    def count_call(self, name: str) -> None:
        """Refuse recursion."""
        if name in self.calling or len(self.calling) > _CALL_DEPTH:
            raise RefusedError("recursion", name)

    # -- numbers

    def joined(self, key: str, name: str, value: Scalar) -> Number:
        """Widen the type under a key to hold a value, and give it; refuse where Python's own type would come and go."""
        if self.facts.mixes(key, value.ctype, weak=value.weak):
            raise RefusedError("truths", f"`{name}` is a truth value of NumPy in one place and a number in another")
        self.facts.note_kind(key, value)
        ctype = self.facts.join(key, value.ctype, weak=value.weak)
        if not fits(value, ctype):
            kind = "of Python" if value.weak else f"of type {name_of(value.ctype)}"
            detail = f"`{name}` holds a number {kind} in one place and one of type {name_of(ctype)} in another"
            self.facts.misfits.append(self.refusal("type", detail))
        return ctype

    def note_growth(self, value: Scalar) -> None:
        """Note an integer of Python that may leave the 64 bits of the program: not a sum of sizes and counters."""
        if value.weak and value.ctype == LONG and not self._counts(value.node):
            self.growth = self.growth or self.at

    def _counts(self, node: nodes.Expression | None) -> bool:
        """Tell whether an operator leaves sizes and counters about as large as they are."""
        if node is None:
            return False
        value = self.polynomial(node)
        grows = isinstance(node, nodes.Binary) and node.operator in {"*", "<<"}
        return not grows if value is None else counts_objects(value)

    # -- extents

    def size(self, name: str) -> nodes.Expression:
        """Name an integer that does not change."""
        self.names.add(name)
        return nodes.Name(nodes.Variable(name, LONG, NOWHERE), LONG, NOWHERE)

    def polynomial(self, node: nodes.Expression) -> Polynomial | None:
        """Read an extent as a polynomial over sizes and counters; None where it is none."""
        found = polynomial(node)
        return found if found is None or not self.facts.same else self._by_representatives(found)

    def _by_representatives(self, value: Polynomial) -> Polynomial:
        """Give a polynomial over the sizes that stand for all that are equal to them."""
        chosen: dict[str, Polynomial] = {}
        for name in value.variables():
            whole, _, divisor = name.rpartition(QUOTIENT)
            if whole:
                chosen[name] = quotient(self._by_representatives(parse_polynomial(whole)), int(divisor))
            else:
                chosen[name] = Polynomial.variable(self.facts.representative(name))
        return value.substitute(chosen)

    def shown(self, name: str) -> str:
        """Give the name by which the source calls a size."""
        name = self.facts.representative(name)
        return next((shown for own, shown in self.display.items() if self.facts.representative(own) == name), name)

    def mention(self, *extents: nodes.Expression) -> None:
        """Note that the function depends on extents, so that accesses are not asked for them."""
        self.mentioned |= {variable.name for extent in extents for variable in nodes.names_in(extent)}

    def extent(self, value: Scalar) -> nodes.Expression:
        """Give an integer as an extent."""
        return value.node if value.node is not None else _CHANGING

    def require_equal(self, left: nodes.Expression, right: nodes.Expression) -> None:
        """Make two extents equal: prove it, identify two that are free, or record it as a precondition."""
        if left == right:
            return
        if (wholes := numerators(left, right)) is not None and self._may_be_equal(*wholes):
            self.require_equal(*wholes)
            return
        a, b = self.polynomial(left), self.polynomial(right)
        if a is None or b is None:
            raise RefusedError("extents", "an extent is no sum of sizes")
        if a == b:
            return
        spelled = [side.spell(self.shown) for side in (a, b)]
        if (a - b).is_constant:
            raise RefusedError("shape", f"{spelled[0]} is not {spelled[1]}")
        owners = [name for name in _two_equal(polynomial(left), polynomial(right)) if name in self.extents]
        if len(owners) == 2:  # noqa: PLR2004 - both sides
            self.facts.unify(owners[0], owners[1], self.at)
            return
        if not a.is_affine or not b.is_affine or not (a - b).variables() <= self.sizes:
            raise RefusedError("shape", f"{spelled[0]} and {spelled[1]} cannot be compared")
        self.equalities.append(Equality(a, b, self.at))

    def _may_be_equal(self, left: nodes.Expression, right: nodes.Expression) -> bool:
        """Whether two extents do not differ by a number."""
        a, b = self.polynomial(left), self.polynomial(right)
        return a is None or b is None or (a - b).constant_value in {None, 0}

    def require_nonnegative(self, node: nodes.Expression, otherwise: tuple[str, str] = _NEGATIVE_EXTENT) -> None:
        """Refuse ``otherwise`` what cannot be asked to be at least zero."""
        if not self.may_require_nonnegative(node):
            raise RefusedError(*otherwise)

    def may_require_nonnegative(self, node: nodes.Expression) -> bool:
        """Whether an integer can be asked to be at least zero, or is."""
        while (inner := self._at_least_with(node)) is not None:
            node = inner
        value = self.polynomial(node)
        value = None if value is None else self._without_quotients(value)
        is_asked = value is not None and value.is_affine and value.variables() <= self.sizes | self.counters
        if value is None or not (is_asked or self._is_never_negative(value)):
            return False
        self.mention(node)
        return True

    def _without_quotients(self, value: Polynomial) -> Polynomial:
        """Give what is at least zero only where a polynomial is, without the quotients that it subtracts."""
        for name in sorted(value.variables()):
            factor = value.coefficient(name).constant_value
            if QUOTIENT in name and factor is not None and factor < 0:
                whole, _, divisor = name.rpartition(QUOTIENT)
                rest = value.without([name]).scale(int(divisor))
                value = rest + parse_polynomial(whole).scale(factor)  # a quotient is no more than the exact one
        return value

    def _is_never_negative(self, value: Polynomial) -> bool:
        """Whether a polynomial has extents, and quotients of them, with positive factors alone."""
        quotients = {name for name in value.variables() if QUOTIENT in name}
        wholes = [parse_polynomial(name.rpartition(QUOTIENT)[0]) for name in sorted(quotients)]
        is_plain = value.variables() - quotients <= self.extents and min(value.terms.values(), default=0) >= 0
        return is_plain and all(map(self._is_never_negative, wholes))

    def _at_least_with(self, node: nodes.Expression) -> nodes.Expression | None:
        """Give what an extent is at least zero with: the numerator of a quotient, or what a number is added to."""
        match node:
            case nodes.Binary(operator="//", left=left, right=right):
                divisor = self.polynomial(right)
                if divisor is None or not divisor.is_affine or not divisor.variables() <= self.sizes:
                    return None
                return left if divisor.constant_value is None or _is_positive(right) else None
            case nodes.Binary(operator="-", left=left, right=nodes.Binary(operator="//", left=whole, right=right)):
                return left if left == whole and _is_positive(right) else None
            case nodes.Binary(operator="+", left=nodes.Binary(operator="//") as quotient, right=more):
                return quotient if _is_positive(more) else None
            case nodes.Binary(operator="+", left=more, right=nodes.Binary(operator="//") as quotient):
                return quotient if _is_positive(more) else None
        return None

    # -- arrays

    def made(self, name: str, element: Number, extents: Extents) -> Array:
        """Give an array of the function's own."""
        if _CHANGING in extents:
            raise RefusedError("extents", f"the extents of `{name}` change, or are no sums of sizes")
        self.mention(*extents)
        for extent in extents:
            self.require_nonnegative(extent)
        return Array(extents, Scalar(element, is_any=is_wide(element)), self.memory(name), is_new=True)

    def memory(self, name: str) -> Memory:
        """Make memory of the function's own."""
        self.memories.append(Memory(name))
        return self.memories[-1]

    def listed(self, made: Array, name: str, item: Scalar) -> Array:
        """Give a new array as a list, whose items are of a type that holds all that are ever stored."""
        assert made.memory is not None
        key = made.memory.key = self.key(f"{name}[]")
        self.facts.join(key, item.ctype, weak=item.weak)
        self.facts.note_any(key, item)
        return replace(made, item=replace(self.facts.scalar_of(key), known=None), is_list=True)


def shape_of(array: Array) -> Sizes:
    """Give the shape of an array."""
    return Sizes(tuple(map(size_of, array.extents)))


def numerators(left: nodes.Expression, right: nodes.Expression) -> tuple[nodes.Expression, nodes.Expression] | None:
    """Give the numerators of two quotients by one divisor: where they are equal, so are the quotients."""
    match left, right:
        case nodes.Binary(operator="//", left=a, right=m), nodes.Binary(operator="//", left=b, right=n):
            by = polynomial(m)
            return (a, b) if by is not None and by == polynomial(n) else None
    return None


def _two_equal(left: Polynomial | None, right: Polynomial | None) -> tuple[str, ...]:
    """Give the two variables that are equal where two sides are, none where that says anything else."""
    if left is None or right is None:
        return ()
    difference = left - right
    by_factor = {factor: monomial for monomial, factor in difference.terms.items()}
    if len(difference.terms) != 2 or by_factor.keys() != {1, -1}:  # noqa: PLR2004 - both sides
        return ()
    return (*by_factor[1], *by_factor[-1]) if all(len(monomial) == 1 for monomial in by_factor.values()) else ()


def _is_positive(node: nodes.Expression) -> bool:
    return isinstance(node, nodes.Integer) and node.value > 0
