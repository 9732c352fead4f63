"""Terms: the value of one array cell as an expression over cells, scalars and indices.

Terms are immutable and hash-consed: equal terms are the same object, so that a program of a thousand operations stays a
graph of a thousand nodes, identity decides equality of structure, and every traversal visits a shared node once.
"""

from __future__ import annotations

import weakref
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, TypeGuard

from tensorlift.ops.dtypes import DType, is_float, is_integer, rounded, wrap
from tensorlift.ops.scalar_ops import SCALAR_OPS

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from tensorlift.poly.affine import Affine
    from tensorlift.poly.domain import Domain

Reducer = Literal["sum", "prod", "max", "min", "fmax", "fmin", "any", "all"]

# The scalar operation that a reduction folds with.
COMBINER: dict[str, str] = {
    "sum": "add", "prod": "mul", "max": "max", "min": "min", "fmax": "fmax", "fmin": "fmin", "any": "or", "all": "and",
}  # fmt: skip


class Term:
    """A node of the term graph.

    ``dtype`` is the element type, ``free`` the index and size variables on which the value depends, ``reads`` the
    arrays that it reads.  Terms compare by identity; build them with the functions of this module only.
    """

    __slots__ = ("__weakref__", "dtype", "free", "has_domains", "reads")

    dtype: DType
    free: frozenset[str]
    reads: frozenset[str]
    has_domains: bool  # whether a reduction or a piecewise term occurs

    def __init__(self) -> None:
        self.has_domains = False

    @property
    def children(self) -> tuple[Term, ...]:
        """The operands."""
        return ()

    def __repr__(self) -> str:
        """Show the notation."""
        from tensorlift.comprehension.notation import show  # noqa: PLC0415 - the printer imports this module

        return show(self)


class Constant(Term):
    """An exact number; a truth value is 0 or 1."""

    __slots__ = ("value",)
    value: Fraction


class Scalar(Term):
    """A scalar parameter by its name."""

    __slots__ = ("name",)
    name: str


class Index(Term):
    """The value of an affine expression of indices and sizes, exact: its type holds it, a cast of it wraps."""

    __slots__ = ("affine",)
    affine: Affine


class Read(Term):
    """A cell of an array (a parameter or an earlier definition); no indices for a rank-0 array."""

    __slots__ = ("array", "indices")
    array: str
    indices: tuple[Affine, ...]


class Apply(Term):
    """A scalar function of `SCALAR_OPS` on operands."""

    __slots__ = ("args", "op")
    op: str
    args: tuple[Term, ...]

    @property
    def children(self) -> tuple[Term, ...]:
        """The operands."""
        return self.args


def applies(term: object, ops: str | Container[str]) -> TypeGuard[Apply]:
    """Tell whether a term applies a function, or one of several."""
    return isinstance(term, Apply) and (term.op == ops if isinstance(ops, str) else term.op in ops)


class Reduce(Term):
    """A fold of the body over the points of a domain, in the variables bound here; others are the context's."""

    __slots__ = ("body", "bound", "domain", "op")
    op: Reducer
    bound: tuple[str, ...]
    domain: Domain
    body: Term

    @property
    def children(self) -> tuple[Term, ...]:
        """The body."""
        return (self.body,)


class Piecewise(Term):
    """One term on each of several disjoint domains, which together cover every point where the value is used."""

    __slots__ = ("pieces",)
    pieces: tuple[tuple[Domain, Term], ...]

    @property
    def children(self) -> tuple[Term, ...]:
        """The terms of the pieces."""
        return tuple(term for _, term in self.pieces)


_NONE: frozenset[str] = frozenset()


class _Entry(weakref.ref[Any]):
    """A term in the table, under its key; a `WeakValueDictionary` does the same in twice the time."""

    __slots__ = ("key",)
    key: tuple[Any, ...]


_table: dict[tuple[Any, ...], _Entry] = {}


def _known(key: tuple[Any, ...]) -> Any:
    """Return the term that has a key, None where there is none."""
    entry = _table.get(key)
    return None if entry is None else entry()


def _remember(key: tuple[Any, ...], term: Term) -> None:
    entry = _table[key] = _Entry(term, _forget)
    entry.key = key


def _forget(entry: _Entry) -> None:
    """Take a term out that nobody holds any more, unless another one has its place already."""
    if _table.get(entry.key) is entry:
        del _table[entry.key]


def _free_of(children: Iterable[Term]) -> frozenset[str]:
    result = _NONE
    for child in children:
        if child.free and not child.free <= result:
            result = result | child.free if result else child.free
    return result


def _reads_of(children: Iterable[Term]) -> frozenset[str]:
    result = _NONE
    for child in children:
        if child.reads and not child.reads <= result:
            result = result | child.reads if result else child.reads
    return result


def constant(value: Fraction | float, dtype: DType) -> Constant:
    """Return a number; a float stands for its exact value, an integer wraps into its type."""
    exact = Fraction(value)
    if is_integer(dtype):
        exact = Fraction(wrap(int(exact), dtype))
    key = (Constant, exact, dtype)
    term: Constant | None = _known(key)
    if term is None:
        term = Constant()
        term.value, term.dtype, term.free, term.reads = exact, dtype, _NONE, _NONE
        _remember(key, term)
    return term


def scalar(name: str, dtype: DType) -> Scalar:
    """Return a scalar parameter."""
    key = (Scalar, name, dtype)
    term: Scalar | None = _known(key)
    if term is None:
        term = Scalar()
        term.name, term.dtype, term.free, term.reads = name, dtype, _NONE, _NONE
        _remember(key, term)
    return term


def index(value: Affine, dtype: DType) -> Term:
    """Return an affine expression as a value of the given type; a constant one is a `Constant`."""
    if value.is_constant:
        return constant(value.constant, dtype)
    key = (Index, value, dtype)
    term: Index | None = _known(key)
    if term is None:
        term = Index()
        term.affine, term.dtype, term.free, term.reads = value, dtype, frozenset(value.variables), _NONE
        _remember(key, term)
    return term


def read(array: str, indices: tuple[Affine, ...], dtype: DType) -> Read:
    """Return a cell of an array."""
    key = (Read, array, indices, dtype)
    term: Read | None = _known(key)
    if term is None:
        term = Read()
        term.array, term.indices, term.dtype = array, indices, dtype
        term.free = frozenset([v for i in indices for v, _ in i.terms])
        term.reads = frozenset((array,))
        _remember(key, term)
    return term


def apply(op: str, *args: Term, dtype: DType | None = None) -> Apply:
    """Apply a scalar function, without simplifying; the result type follows from the row unless given."""
    row = SCALAR_OPS[op]
    if len(args) != row.arity:
        raise ValueError(f"{op} takes {row.arity} operands, not {len(args)}")
    if dtype is None:  # resolved first, so that a type that is given and one that follows make the same object
        dtype = row.result(tuple(a.dtype for a in args))
    key = (Apply, op, args, dtype)
    term: Apply | None = _known(key)
    if term is None:
        term = Apply()
        term.op, term.args, term.dtype = op, args, dtype
        term.free, term.reads = _free_of(args), _reads_of(args)
        term.has_domains = any(a.has_domains for a in args)
        _remember(key, term)
    return term


def reduce(op: Reducer, bound: tuple[str, ...], domain: Domain, body: Term) -> Term:
    """Fold the body over the points of the domain in the bound variables; without bound variables it is the body."""
    if not bound:
        return body
    if body.dtype == "bool" and op != "any":  # ``add`` of truth values is "or", ``mul`` is "and"
        op = "any" if op in ("sum", "max", "fmax") else "all"
    key = (Reduce, op, bound, domain, body)
    term: Reduce | None = _known(key)
    if term is None:
        term = Reduce()
        term.has_domains = True
        term.op, term.bound, term.domain, term.body = op, bound, domain, body
        term.dtype, term.reads = body.dtype, body.reads
        term.free = (body.free | frozenset(domain.variables())) - frozenset(bound)
        _remember(key, term)
    return term


def single(variable: str, domain: Domain, body: Term) -> Term:
    """Return the body at the only value of the variable in the domain, which need not be an affine expression."""
    return reduce("sum", (variable,), domain, body)


def piecewise(pieces: Iterable[tuple[Domain, Term]]) -> Term:
    """Return one term per domain; a single piece is its term."""
    listed = tuple(pieces)
    if len(listed) == 1:
        return listed[0][1]
    key = (Piecewise, listed)
    term: Piecewise | None = _known(key)
    if term is None:
        term = Piecewise()
        term.has_domains = True
        term.pieces = listed
        terms = [t for _, t in listed]
        term.dtype, term.reads = terms[0].dtype, _reads_of(terms)
        term.free = _free_of(terms).union(*(domain.variables() for domain, _ in listed))
        _remember(key, term)
    return term


def zero(dtype: DType) -> Constant:
    """Return the neutral element of addition."""
    return constant(0, dtype)


def one(dtype: DType) -> Constant:
    """Return the neutral element of multiplication."""
    return constant(1, dtype)


def cast(term: Term, dtype: DType) -> Term:
    """Convert a value to another type; a constant is converted at once, and a value of the type is left as it is."""
    if term.dtype == dtype:
        return term
    if isinstance(term, Constant):
        value = term.value
        if dtype == "bool":
            return constant(value != 0, dtype)
        return constant(rounded(value, dtype) if is_float(dtype) else int(value), dtype)
    if is_float(dtype) and applies(term, "neg") and applies(term.args[0], "infinity"):
        return apply("neg", cast(term.args[0], dtype))  # as what changes no maximum is said
    return apply("cast", term, dtype=dtype)


def unconverted(term: Term) -> Term:
    """Return what conversions convert."""
    while applies(term, "cast"):
        (term,) = term.args
    return term
