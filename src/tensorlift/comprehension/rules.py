"""Rewriting rules on machine terms: one row each, which is all that may put one term in the place of another.

Code that simplifies finds what a rule applies to, and names the rule: `rewritten` builds the left side of the row from
what was found, demands that it is the very term, and gives the right side.  So a row is what a rule means, and
``tests/comprehension/test_rules.py`` decides each: for all operands of 4 and 8 bits, and by an SMT solver for wider
integers and for floats.

The sides are in Python's notation: ``T(x)`` is x converted to the type T, ``T(0)`` a number of it, and all else an
operation by its name.  Types have one letter; operands have the type that ``x: T`` gives them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from tensorlift.comprehension import terms
from tensorlift.comprehension.terms import Term
from tensorlift.ops.conversions import is_exact
from tensorlift.ops.dtypes import DType, is_float, is_integer, width

Types = Mapping[str, DType]
Build = Callable[[str, tuple[Term, ...]], Term]  # applies an operation, simplified or not

TRUE, FALSE = terms.constant(1, "bool"), terms.constant(0, "bool")


def _plain(op: str, args: tuple[Term, ...]) -> Term:
    return terms.apply(op, *args)


_TRUTHS = {"true": TRUE, "false": FALSE}


@dataclass(frozen=True)
class Row:
    """A rule: where ``when`` holds of the types, both sides have one value wherever the left side has one."""

    name: str
    operands: str
    left: str
    right: str
    when: Callable[[Types], bool] = lambda _: True

    @cached_property
    def variables(self) -> dict[str, str]:
        """The operands, each with its type: a letter, or ``bool``."""
        pairs = (part.split(": ") for part in self.operands.split(", ") if part)
        return {name: of for name, of in pairs}  # noqa: C416 - a list of two is no pair

    @cached_property
    def types(self) -> tuple[str, ...]:
        """The letters of the types, of operands first."""
        named = [node.func.id for side in self._sides for node in ast.walk(side) if _is_type(node)]  # type: ignore[attr-defined]  # a call's
        return tuple(dict.fromkeys(name for name in (*self.variables.values(), *named) if name != "bool"))

    @cached_property
    def _sides(self) -> tuple[ast.expr, ast.expr]:
        return ast.parse(self.left, mode="eval").body, ast.parse(self.right, mode="eval").body

    def sides(self, operands: Mapping[str, Term], types: Types) -> tuple[Term, Term]:
        """Build both sides as they are."""
        left, right = (_built(side, operands, types, _plain) for side in self._sides)
        return left, right

    def applied(self, term: Term, operands: Mapping[str, Term], types: Types, build: Build) -> Term | None:
        """Build the right side for a term; None where that is not the left side, or the condition does not hold."""
        known = dict(types)
        for name, of in self.variables.items():
            if known.setdefault(of, operands[name].dtype) != operands[name].dtype:
                return None
        known.setdefault("bool", "bool")
        if known["bool"] != "bool" or not self.when(known):
            return None
        left, right = self._sides
        if _built(left, operands, known, _plain) is not term:
            return None
        return _built(right, operands, known, build)


def _is_type(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id.isupper()


def _built(node: ast.expr, operands: Mapping[str, Term], types: Types, build: Build) -> Term:
    if isinstance(node, ast.Name):
        return _TRUTHS[node.id] if node.id in _TRUTHS else operands[node.id]
    assert isinstance(node, ast.Call)
    assert isinstance(node.func, ast.Name)
    if not _is_type(node):
        return build(node.func.id.rstrip("_"), tuple([_built(a, operands, types, build) for a in node.args]))
    (of,) = node.args
    if isinstance(of, ast.Constant):
        return terms.constant(of.value, types[node.func.id])  # type: ignore[arg-type]  # rows have numbers alone
    return terms.cast(_built(of, operands, types, build), types[node.func.id])


def rewritten(
    rule: str, term: Term, build: Build | None = None, types: Types | None = None, **operands: Term
) -> Term | None:
    """Return the right side of a rule for a term; None where it is not the left side, or a condition does not hold."""
    return ROWS[rule].applied(term, operands, types or {}, build or _plain)


def _whole(*names: str) -> Callable[[Types], bool]:
    return lambda types: all(is_integer(types[name]) for name in names)


def _exact(source: str, target: str) -> Callable[[Types], bool]:
    return lambda types: is_exact(types[source], types[target])


def _wraps_twice(types: Types) -> bool:
    return all(is_integer(types[name]) for name in "SMT") and width(types["T"]) <= width(types["M"])


def _exact_twice(types: Types) -> bool:
    return types["M"] != types["T"] and all(is_exact(types["A"], types[to]) for to in "MT")


def _keeps_signs(types: Types) -> bool:
    return is_integer(types["A"]) and (is_float(types["M"]) or is_exact(types["A"], types["M"]))


def _is_number(types: Types) -> bool:
    return types["T"] != "bool"


def _not_wider(types: Types) -> bool:
    return _whole("I", "W")(types) and width(types["I"]) <= width(types["W"])


_CONVERSIONS = [
    Row("conversion through a type that holds all", "x: S", "T(M(x))", "T(x)", _exact("S", "M")),
    Row("conversion through integers as wide", "x: S", "T(M(x))", "T(x)", _wraps_twice),
    Row("converted select", "p: bool, a: A, b: A", "T(select(p, M(a), M(b)))", "select(p, T(a), T(b))", _exact_twice),
    *(
        Row(f"converted {op}", "a: A, b: A", f"T({op}(M(a), M(b)))", f"{op}(T(a), T(b))", _exact_twice)
        for op in ("max", "min", "fmax", "fmin")
    ),
    *(
        Row(f"{op} of converted", "a: A, b: A", f"{op}(M(a), M(b))", f"{op}(a, b)", _exact("A", "M"))
        for op in ("eq", "ne", "lt", "le", "gt", "ge")
    ),
    *(
        Row(
            f"{op} of a converted integer and zero", "a: A", f"{op}(M(a), M(0))", f"{op}(a, A(0))", _keeps_signs,
        )
        for op in ("eq", "ne", "lt", "le", "gt", "ge")
    ),
]  # fmt: skip

_NEUTRAL = [
    Row("add zero", "x: T", "add(x, T(0))", "x", _is_number),
    Row("zero add", "x: T", "add(T(0), x)", "x", _is_number),
    Row("sub zero", "x: T", "sub(x, T(0))", "x", _is_number),
    Row("mul one", "x: T", "mul(x, T(1))", "x", _is_number),
    Row("one mul", "x: T", "mul(T(1), x)", "x", _is_number),
    Row("div one", "x: T", "div(x, T(1))", "x", lambda types: is_float(types["T"])),
    Row("tdiv one", "x: T", "tdiv(x, T(1))", "x", _whole("T")),
]

_CHOICES = [
    Row("same condition in the chosen arm", "p: bool, a: T, b: T, c: T", "select(p, select(p, a, b), c)",
        "select(p, a, c)"),
    Row("same condition in the other arm", "p: bool, a: T, b: T, c: T", "select(p, a, select(p, b, c))",
        "select(p, a, c)"),
    Row("choice of one value", "p: bool, a: T", "select(p, a, a)", "a"),
    Row("choice by true", "a: T, b: T", "select(true, a, b)", "a"),
    Row("choice by false", "a: T, b: T", "select(false, a, b)", "b"),
    Row("choice of true or false", "p: bool", "select(p, true, false)", "p"),
    Row("choice of false or true", "p: bool", "select(p, false, true)", "not_(p)"),
    Row("choice of true or another", "p: bool, q: bool", "select(p, true, q)", "or_(p, q)"),
    Row("choice of another or false", "p: bool, q: bool", "select(p, q, false)", "and_(p, q)"),
    Row("choice that is not zero", "p: bool, a: I, b: I", "ne(select(p, a, b), I(0))",
        "select(p, ne(a, I(0)), ne(b, I(0)))", _whole("I")),
]  # fmt: skip

_FLAGS = [
    Row("flag that is not zero", "p: bool", "ne(I(p), I(0))", "p", _whole("I")),
    Row("lowest bit of a flag", "p: bool", "ne(bitand(I(p), I(1)), I(0))", "p", _whole("I")),
    Row("equal to zero", "x: I", "eq(x, I(0))", "not_(ne(x, I(0)))", _whole("I")),
    Row("bitor with a flag is not zero", "x: I, p: bool", "ne(bitor(x, I(p)), I(0))", "or_(ne(x, I(0)), p)",
        _whole("I")),
    Row("bitand with a flag is not zero", "x: I, p: bool", "ne(bitand(x, I(p)), I(0))",
        "and_(ne(bitand(x, I(1)), I(0)), p)", _whole("I")),
    Row("bitor with zero", "x: I", "bitor(x, I(0))", "x", _whole("I")),
    Row("bitand with zero", "x: I", "bitand(x, I(0))", "I(0)", _whole("I")),
    Row("bitand of flags", "p: bool, q: bool", "bitand(I(p), I(q))", "I(and_(p, q))", _whole("I")),
    Row("bitor of flags", "p: bool, q: bool", "bitor(I(p), I(q))", "I(or_(p, q))", _whole("I")),
    Row("bitand of flags in a chain", "x: I, p: bool, q: bool", "bitand(bitand(x, I(p)), I(q))",
        "bitand(x, I(and_(p, q)))", _whole("I")),
    Row("bitor of flags in a chain", "x: I, p: bool, q: bool", "bitor(bitor(x, I(p)), I(q))",
        "bitor(x, I(or_(p, q)))", _whole("I")),
    *(
        Row(f"narrowed {op} with a flag", "x: I, p: bool", f"I({op}(W(x), W(p)))", f"{op}(x, I(p))", _not_wider)
        for op in ("bitand", "bitor")
    ),
    *(Row(f"{op} turned", "x: I, y: I", f"{op}(x, y)", f"{op}(y, x)", _whole("I")) for op in ("bitand", "bitor")),
]  # fmt: skip

_CONNECTIVES = [
    Row("not of not", "p: bool", "not_(not_(p))", "p"),
    Row("different from true", "p: bool", "ne(p, true)", "not_(p)"),
    Row("not of true", "", "not_(true)", "false"),
    Row("not of false", "", "not_(false)", "true"),
    Row("and with false", "p: bool", "and_(p, false)", "false"),
    Row("false and", "p: bool", "and_(false, p)", "false"),
    Row("and with true", "p: bool", "and_(p, true)", "p"),
    Row("true and", "p: bool", "and_(true, p)", "p"),
    Row("and of one value", "p: bool", "and_(p, p)", "p"),
    Row("or with true", "p: bool", "or_(p, true)", "true"),
    Row("true or", "p: bool", "or_(true, p)", "true"),
    Row("or with false", "p: bool", "or_(p, false)", "p"),
    Row("false or", "p: bool", "or_(false, p)", "p"),
    Row("or of one value", "p: bool", "or_(p, p)", "p"),
]

ROWS: dict[str, Row] = {row.name: row for row in (*_CONVERSIONS, *_NEUTRAL, *_CHOICES, *_FLAGS, *_CONNECTIVES)}
