"""Random terms, and rewritings of them: some keep the meaning, some change it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.rewrite import substitute
from tensorlift.comprehension.terms import Apply, Constant, Index, Piecewise, Read, Reduce, Reducer, Term
from tensorlift.ops.dtypes import DType, is_float, is_integer, width
from tensorlift.ops.scalar_ops import SCALAR_OPS
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import UNIVERSE, Constraint, Domain, at_least, less
from tensorlift.poly.names import fresh
from tensorlift.poly.variables import strided

if TYPE_CHECKING:
    from random import Random

FLOAT_OPS = [
    "add",
    "sub",
    "mul",
    "mul",
    "add",
    "max",
    "min",
    "div",
    "neg",
    "abs",
    "exp",
    "select",
    "fmax",
    "cast",
    "pow",
    "floor",
]
INTEGER_OPS = [
    "add", "sub", "mul", "add", "mul", "max", "min", "neg", "abs", "tdiv", "rem", "floordiv", "mod", "select", "cast",
    "cast", "shl", "shr", "bitnot", "bitxor",
]  # fmt: skip
TRUTH_OPS = ["lt", "le", "gt", "ge", "eq", "ne", "and", "or", "not", "select", "cast"]
DTYPES: list[DType] = ["f64", "f64", "i8", "i8", "i16", "u8", "bool"]


class Generator:
    """Random terms over ``i`` and ``j`` in boxes of sizes ``n`` and ``m``."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def affine(self, names: tuple[str, ...]) -> Affine:
        """Return a random subscript."""
        kind = self.random.randrange(8)
        if kind == 0:
            return Affine(self.random.randrange(3))
        value = Affine.var(self.random.choice(names))
        if kind == 1:
            value = value + self.random.choice([-1, 1])
        elif kind == 2:
            value = Affine.var("n") - 1 - value
        elif kind == 3:
            value = value + Affine.var(self.random.choice(names))
        return value

    def domain(self, names: tuple[str, ...]) -> Domain:
        """Return a random condition on the indices."""
        left, right = self.affine(names), self.affine(names)
        kind = self.random.randrange(4)
        if self.random.random() < 0.05:
            return strided(self.random.choice(names), Affine(self.random.randrange(2)), 2)
        if kind == 0:
            return Domain.of(Constraint(left - right, is_equality=True))
        return Domain.of(at_least(left, right) if kind > 1 else less(left, right))

    def term(self, dtype: DType, depth: int, names: tuple[str, ...]) -> Term:
        """Return a random term of a type."""
        if depth <= 0 or self.random.random() < 0.1:
            return self.leaf(dtype, names)
        kind = self.random.randrange(10)
        if kind == 0:
            return self.piecewise(dtype, depth, names)
        if kind <= 2:
            return self.fold(dtype, depth, names)
        return self.application(dtype, depth, names)

    def leaf(self, dtype: DType, names: tuple[str, ...]) -> Term:
        """Return a cell, scalar, constant or index."""
        kind = self.random.randrange(10)
        if dtype == "f64" and self.random.random() < 0.02:
            return terms.apply("infinity")
        if kind == 0:
            return terms.constant(self.random.choice([0, 1] if dtype == "bool" else [0, 1, 2, -1]), dtype)
        if kind == 1:
            return terms.scalar(f"s_{dtype}", dtype)
        if kind == 2 and dtype != "bool":
            return terms.cast(terms.index(self.affine(names), "i64"), dtype)
        if self.random.random() < 0.6:
            return terms.read(f"V_{dtype}", (self.affine(names),), dtype)
        return terms.read(f"M_{dtype}", (self.affine(names), self.affine(names)), dtype)

    def piecewise(self, dtype: DType, depth: int, names: tuple[str, ...]) -> Term:
        """Return a case distinction."""
        where = self.domain(names)
        chosen, other = (self.term(dtype, depth - 1, names) for _ in range(2))
        return terms.piecewise([(where, chosen), (where.complement(), other)])

    def fold(self, dtype: DType, depth: int, names: tuple[str, ...]) -> Term:
        """Return a reduction over a random interval."""
        name = fresh("k")
        low = self.random.choice([Affine(0), Affine(0), Affine(1), self.affine(names)])
        high = self.random.choice([Affine.var("n"), Affine.var("m"), self.affine(names), Affine(2)])
        where = Domain.of(at_least(name, 0), less(name, 6), at_least(name, low), less(name, high))
        if self.random.random() < 0.2:
            where = where & self.domain((*names, name))
        bound: tuple[str, ...] = (name,)
        if self.random.random() < 0.15:
            other = fresh("k")
            bound = (name, other)
            where = where & Domain.of(at_least(other, 0), less(other, self.random.choice([Affine.var("n"), Affine(2)])))
            if self.random.random() < 0.4:
                where = where & self.domain(bound)
        body = self.term(dtype, depth - 1, (*names, *bound, *bound))
        ops: list[Reducer] = ["any", "all"] if dtype == "bool" else ["sum", "sum", "sum", "max", "min", "prod"]
        return terms.reduce(self.random.choice(ops), bound, where, body)

    def application(self, dtype: DType, depth: int, names: tuple[str, ...]) -> Term:
        """Return a scalar function of random operands."""
        ops = TRUTH_OPS if dtype == "bool" else FLOAT_OPS if is_float(dtype) else INTEGER_OPS
        op = self.random.choice(ops)
        if op == "cast":
            source = self.random.choice(DTYPES)
            return terms.cast(self.term(source, depth - 1, names), dtype)
        if op in ("lt", "le", "gt", "ge", "eq", "ne"):
            compared = self.random.choice(DTYPES[:-1])
            args = [self.term(compared, depth - 1, names) for _ in range(2)]
            return terms.apply(op, *args)
        if op == "select":
            condition = self.term("bool", depth - 1, names)
            return terms.apply(op, condition, *(self.term(dtype, depth - 1, names) for _ in range(2)))
        if op in ("pow", "shl", "shr"):
            exponent = terms.constant(self.random.randrange(4), dtype)
            return terms.apply(op, self.term(dtype, depth - 1, names), exponent)
        arity = SCALAR_OPS[op].arity
        return terms.apply(op, *(self.term(dtype, depth - 1, names) for _ in range(arity)))


Rewriting = Callable[[Generator, Term], Term | None]


def _commute(_: Generator, term: Term) -> Term | None:
    if isinstance(term, Apply) and SCALAR_OPS[term.op].commutative:
        return terms.apply(term.op, *term.args[::-1], dtype=term.dtype)
    return None


def _associate(_: Generator, term: Term) -> Term | None:
    if isinstance(term, Apply) and term.op in ("add", "mul", "max", "min", "and", "or"):
        left = term.args[0]
        if isinstance(left, Apply) and left.op == term.op:
            right = terms.apply(term.op, left.args[1], term.args[1])
            return terms.apply(term.op, left.args[0], right)
    return None


def _distribute(_: Generator, term: Term) -> Term | None:
    if isinstance(term, Apply) and term.op == "mul":
        a, b = term.args
        if isinstance(b, Apply) and b.op in ("add", "sub"):
            return terms.apply(b.op, *(terms.apply("mul", a, x) for x in b.args))
    return None


def _rename(_: Generator, term: Term) -> Term | None:
    if isinstance(term, Reduce):
        names = {v: fresh("k") for v in term.bound}
        body = substitute(term.body, {v: Affine.var(n) for v, n in names.items()})
        return terms.reduce(term.op, tuple(names.values()), term.domain.rename(names), body)
    return None


def _shift(generator: Generator, term: Term) -> Term | None:
    if isinstance(term, Reduce):
        name = fresh("k")
        sign, offset = generator.random.choice([1, -1]), generator.random.choice([-1, 0, 1])
        value = {term.bound[0]: Affine.var(name) * sign + (offset if sign == 1 else 5 + offset)}
        return terms.reduce(
            term.op, (name, *term.bound[1:]), term.domain.substitute(value), substitute(term.body, value)
        )
    return None


def _split(generator: Generator, term: Term) -> Term | None:
    if isinstance(term, Reduce) and term.op not in ("fmax", "fmin"):
        where = generator.domain(tuple(sorted(set(term.bound) | term.free)))
        parts = [terms.reduce(term.op, term.bound, d, term.body) for d in (term.domain & where, term.domain - where)]
        return terms.apply(terms.COMBINER[term.op], *parts)
    return None


def _linear(_: Generator, term: Term) -> Term | None:
    if isinstance(term, Reduce) and term.op == "sum" and isinstance(term.body, Apply):
        body = term.body
        if body.op in ("add", "sub"):
            return terms.apply(body.op, *(terms.reduce("sum", term.bound, term.domain, a) for a in body.args))
    return None


def _cases(generator: Generator, term: Term) -> Term | None:
    names = tuple(sorted(term.free))
    if not names:
        return None
    where = generator.domain(names)
    return terms.piecewise([(where, term), (where.complement(), term)])


def _flip(_: Generator, term: Term) -> Term | None:
    if not isinstance(term, Apply):
        return None
    swapped = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}
    denied = {"lt": "ge", "ge": "lt", "le": "gt", "gt": "le", "eq": "ne", "ne": "eq"}
    if term.op in swapped:
        return terms.apply(swapped[term.op], *term.args[::-1])
    if term.op == "not" and isinstance(term.args[0], Apply) and term.args[0].op in denied:
        return terms.apply(denied[term.args[0].op], *term.args[0].args)
    if term.op in ("max", "min") and term.dtype != "bool":
        compared = terms.apply("gt" if term.op == "max" else "lt", *term.args)
        return terms.apply("select", compared, *term.args)
    if term.op == "select":
        return terms.apply("select", terms.apply("not", term.args[0]), term.args[2], term.args[1], dtype=term.dtype)
    return None


def _widen(_: Generator, term: Term) -> Term | None:
    if is_integer(term.dtype) and isinstance(term, Apply) and term.op in ("add", "sub", "mul", "neg"):
        wide: DType = "i32"
        return terms.cast(terms.apply(term.op, *(terms.cast(a, wide) for a in term.args)), term.dtype)
    return None


def _cancel(generator: Generator, term: Term) -> Term | None:
    if term.dtype == "bool":
        return None
    other = generator.term(term.dtype, 1, tuple(sorted(term.free)) or ("n",))
    return terms.apply("sub", terms.apply("add", term, other), other)


def _wrong_leaf(generator: Generator, term: Term) -> Term | None:
    if isinstance(term, Read | Constant | Index):
        return generator.leaf(term.dtype, tuple(sorted(term.free)) or ("n",))
    return None


def _wrong_op(generator: Generator, term: Term) -> Term | None:
    if not isinstance(term, Apply):
        return None
    for group in (["add", "sub", "mul", "max", "min"], ["lt", "le", "gt", "ge", "eq", "ne"], ["and", "or"],
                  ["tdiv", "floordiv", "rem", "mod"]):  # fmt: skip
        if term.op in group:
            return terms.apply(generator.random.choice(group), *term.args)
    return None


def _wrong_range(generator: Generator, term: Term) -> Term | None:
    if isinstance(term, Reduce):
        domain = term.domain - generator.domain(term.bound)
        return terms.reduce(term.op, term.bound, domain, term.body)
    if isinstance(term, Piecewise):
        return terms.piecewise([(d, t) for (d, _), (_, t) in zip(term.pieces, term.pieces[::-1], strict=True)])
    return None


def _wrong_width(_: Generator, term: Term) -> Term | None:
    if is_integer(term.dtype) and isinstance(term, Apply) and term.op != "cast":
        narrow: DType = "i8" if width(term.dtype) == 8 else "u8"
        return terms.cast(terms.cast(term, narrow), term.dtype)
    return None


KEEPING: list[Rewriting] = [
    _commute, _associate, _distribute, _rename, _shift, _split, _linear, _cases, _flip, _widen, _cancel,
]  # fmt: skip
CHANGING: list[Rewriting] = [_wrong_leaf, _wrong_op, _wrong_range, _wrong_width]


def rewritten(generator: Generator, term: Term, rules: list[Rewriting]) -> Term:
    """Rewrite one random node by one of the rules."""
    nodes = [term]
    path: list[Term] = []
    while nodes:
        node = generator.random.choice(nodes)
        path.append(node)
        nodes = list(node.children) if generator.random.random() < 0.7 else []
    new = None
    for rule in generator.random.sample(rules, len(rules)):
        new = rule(generator, path[-1])
        if new is not None:
            break
    if new is None:
        return term
    for parent, child in zip(path[-2::-1], path[:0:-1], strict=True):
        new = _replaced(parent, child, new)
    return new


def _replaced(parent: Term, child: Term, new: Term) -> Term:
    """Rebuild a node with one operand replaced where it first occurs."""
    if isinstance(parent, Apply):
        args = list(parent.args)
        args[args.index(child)] = new
        return terms.apply(parent.op, *args, dtype=parent.dtype)
    if isinstance(parent, Reduce):
        return terms.reduce(parent.op, parent.bound, parent.domain, new)
    assert isinstance(parent, Piecewise)
    pieces = list(parent.pieces)
    position = next(p for p, (_, t) in enumerate(pieces) if t is child)
    pieces[position] = (pieces[position][0], new)
    return terms.piecewise(pieces)


__all__ = ["CHANGING", "DTYPES", "KEEPING", "UNIVERSE", "Generator", "rewritten"]
