"""Each rewriting rule on machine terms is decided: both sides have one value wherever the left side has one.

Integers of 4 and 8 bits are tried, all of them; an SMT solver decides 16, 32 and 64 bits, and single and double
precision.  Floats are equal as numbers, or both are NaN: to the rules the sign of a zero is nothing.  A conversion of a
float to an integer that does not hold it has no value, and neither has a division by zero.
"""

from __future__ import annotations

import ast
import itertools
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bitwuzla
import numpy as np
import pytest
from bitwuzla import Kind, Result, RoundingMode
from tests.comprehension.test_machine_terms import _pool as machine_terms
from tests.shared import has_turn, in_pairs

from tensorlift.comprehension import flags, rewrite, rules, terms
from tensorlift.comprehension.normal import normalise
from tensorlift.comprehension.rules import ROWS, Row, rewritten
from tensorlift.comprehension.terms import Apply, Constant, Scalar, Term
from tensorlift.ir import scalar_terms
from tensorlift.ops.dtypes import DType, is_float, width

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

NARROW: tuple[DType, ...] = ("bool", "i8", "u8", "i16", "u16")  # stand for integers of half as many bits
WIDE: tuple[DType, ...] = ("i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64")
SOLVED: tuple[DType, ...] = ("bool", "i8", "u8", *WIDE)
CELLS = 1 << 22  # operands that are tried at once, at most
LIMIT = 60  # seconds for one row


def _typed(row: Row, among: tuple[DType, ...]) -> Iterator[dict[str, DType]]:
    for chosen in itertools.product(among, repeat=len(row.types)):
        types = dict(zip(row.types, chosen, strict=True))
        if row.when(types | {"bool": "bool"}):
            yield types


def _instance(row: Row, types: Mapping[str, DType]) -> tuple[Term, Term]:
    operands = {n: terms.scalar(n, "bool" if of == "bool" else types[of]) for n, of in row.variables.items()}
    return row.sides(operands, {**types, "bool": "bool"})


# -- all operands of a few bits


def _bits(dtype: DType) -> int:
    return 1 if dtype == "bool" else width(dtype) // 2


def _wrapped(values: Any, dtype: DType) -> Any:
    bits = _bits(dtype)
    values = values & ((1 << bits) - 1)
    return np.where(values >> (bits - 1) > 0, values - (1 << bits), values) if dtype[0] == "i" else values


def _numbers(term: Term, operands: Mapping[str, Any]) -> Any:
    """Compute a term for all operands."""
    if isinstance(term, Constant):
        return _wrapped(np.int64(term.value), term.dtype)
    if isinstance(term, Scalar):
        return operands[term.name]
    assert isinstance(term, Apply)
    values = [_numbers(a, operands) for a in term.args]
    if term.op == "cast":
        return values[0] != 0 if term.dtype == "bool" else _wrapped(values[0] * 1, term.dtype)
    if term.op == "select":
        return np.where(values[0], values[1], values[2])
    found = _OPERATIONS[term.op](*values)
    return found if term.dtype == "bool" else _wrapped(found * 1, term.dtype)


_OPERATIONS: dict[str, Any] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "max": np.maximum, "min": np.minimum, "fmax": np.maximum,
    "fmin": np.minimum, "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater,
    "ge": np.greater_equal, "and": np.logical_and, "or": np.logical_or, "not": np.logical_not, "bitand": np.bitwise_and,
    "bitor": np.bitwise_or, "tdiv": lambda a, b: np.sign(a) * np.sign(b) * (np.abs(a) // np.abs(b)),
}  # fmt: skip


def _all_of(dtype: DType) -> Any:
    return np.array([False, True]) if dtype == "bool" else _wrapped(np.arange(1 << _bits(dtype)), dtype)


def _counterexample(left: Term, right: Term, operands: Mapping[str, DType]) -> object:
    """Return operands of a few bits for which two terms differ; None where there are none, or too many to try."""
    axes = [_all_of(of) for of in operands.values()]
    if np.prod([len(axis) for axis in axes], dtype=object) > CELLS:
        return None
    grid = dict(zip(operands, np.meshgrid(*axes, indexing="ij") if axes else [], strict=True))
    wrong = np.argwhere(np.atleast_1d(_numbers(left, grid) != _numbers(right, grid)))
    return None if not len(wrong) else {name: axis[k] for name, axis, k in zip(operands, axes, wrong[0], strict=True)}


@pytest.mark.parametrize("name", ROWS)
def test_a_rule_holds_for_all_operands_of_4_and_8_bits(name: str) -> None:
    row = ROWS[name]
    tried = 0
    for types in _typed(row, NARROW):
        left, right = _instance(row, types)
        assert left.dtype == right.dtype
        operands = {n: types.get(of, "bool") for n, of in row.variables.items()}
        assert _counterexample(left, right, operands) is None, types
        tried += 1
    assert tried or row.name == "div one", "no integers or truth values"


# -- wider operands, by a solver


class _Solver:
    """Translates terms to bit vectors and floats; what a term asks of its operands is gathered in ``defined``."""

    def __init__(self) -> None:
        self.make = bitwuzla.TermManager()
        self.defined: list[Any] = []
        self._operands: dict[str, Any] = {}
        self._nearest = self.make.mk_rm_value(RoundingMode.RNE)
        self._to_zero = self.make.mk_rm_value(RoundingMode.RTZ)

    def _sort(self, dtype: DType) -> Any:
        if dtype == "bool":
            return self.make.mk_bool_sort()
        return self.make.mk_fp_sort(*_FORMATS[dtype]) if is_float(dtype) else self.make.mk_bv_sort(width(dtype))

    def of(self, term: Term) -> Any:
        """Translate a term."""
        if isinstance(term, Scalar):
            if term.name not in self._operands:
                self._operands[term.name] = self.make.mk_const(self._sort(term.dtype), term.name)
            return self._operands[term.name]
        if isinstance(term, Constant):
            return self._number(int(term.value), term.dtype)
        assert isinstance(term, Apply)
        values = [self.of(a) for a in term.args]
        if term.op == "cast":
            return self._cast(values[0], term.args[0].dtype, term.dtype)
        if term.op == "select":
            return self.make.mk_term(Kind.ITE, values)
        return self._operation(term.op, values, term.args[0].dtype)

    def _number(self, value: int, dtype: DType) -> Any:
        if dtype == "bool":
            return self.make.mk_true() if value else self.make.mk_false()
        if is_float(dtype):
            return self.make.mk_fp_value(self._sort(dtype), self._nearest, str(value))
        return self.make.mk_bv_value(self._sort(dtype), value % (1 << width(dtype)))

    def _cast(self, value: Any, source: DType, target: DType) -> Any:
        make = self.make.mk_term
        if source == target:
            return value
        if target == "bool":
            return make(Kind.NOT, [self._operation("eq", [value, self._number(0, source)], source)])
        if source == "bool":
            return make(Kind.ITE, [value, self._number(1, target), self._number(0, target)])
        if is_float(target):
            kinds = {"f": Kind.FP_TO_FP_FROM_FP, "i": Kind.FP_TO_FP_FROM_SBV, "u": Kind.FP_TO_FP_FROM_UBV}
            return make(kinds[source[0]], [self._nearest, value], list(_FORMATS[target]))
        if is_float(source):
            return self._truncated(value, source, target)
        more = width(target) - width(source)
        if more < 0:
            return make(Kind.BV_EXTRACT, [value], [width(target) - 1, 0])
        return (
            make(Kind.BV_SIGN_EXTEND if source[0] == "i" else Kind.BV_ZERO_EXTEND, [value], [more]) if more else value
        )

    def _truncated(self, value: Any, source: DType, target: DType) -> Any:
        """Convert a float to an integer, of which the range is a condition: two powers of two, which floats hold."""
        make = self.make.mk_term
        bits = width(target) - (target[0] == "i")
        cut = make(Kind.FP_RTI, [self._to_zero, value])
        end = self.make.mk_fp_value(self._sort(source), self._nearest, str(1 << bits))
        low = make(Kind.FP_NEG, [end]) if target[0] == "i" else self._number(0, source)
        self.defined += [make(Kind.FP_LEQ, [low, cut]), make(Kind.FP_LT, [cut, end])]
        kind = Kind.FP_TO_SBV if target[0] == "i" else Kind.FP_TO_UBV
        return make(kind, [self._to_zero, value], [width(target)])

    def _operation(self, op: str, values: list[Any], dtype: DType) -> Any:
        make = self.make.mk_term
        if op in {"and", "or", "not"}:
            return make({"and": Kind.AND, "or": Kind.OR, "not": Kind.NOT}[op], values)
        if op == "ne":
            return make(Kind.NOT, [self._operation("eq", values, dtype)])
        if op in {"gt", "ge"}:
            return self._operation({"gt": "lt", "ge": "le"}[op], values[::-1], dtype)
        if dtype == "bool":
            return self._on_truths(op, values)
        if is_float(dtype):
            return self._on_floats(op, values)
        if op in {"max", "min", "fmax", "fmin"}:
            less = self._operation("lt", values, dtype)
            return make(Kind.ITE, [less, *(values[::-1] if op.endswith("max") else values)])
        signed = dtype[0] == "i"
        kinds = {
            "add": Kind.BV_ADD, "sub": Kind.BV_SUB, "mul": Kind.BV_MUL, "bitand": Kind.BV_AND, "bitor": Kind.BV_OR,
            "eq": Kind.EQUAL,
            "lt": Kind.BV_SLT if signed else Kind.BV_ULT,
            "le": Kind.BV_SLE if signed else Kind.BV_ULE,
            "tdiv": Kind.BV_SDIV if signed else Kind.BV_UDIV,
        }  # fmt: skip
        return make(kinds[op], values)

    def _on_truths(self, op: str, values: list[Any]) -> Any:
        """Compare truth values, of which the true one is the greater."""
        make, (left, right) = self.make.mk_term, values
        if op == "eq":
            return make(Kind.EQUAL, values)
        if op.endswith(("max", "min")):
            return make(Kind.OR if op.endswith("max") else Kind.AND, values)
        lesser = make(Kind.NOT, [left])
        return make(Kind.AND if op == "lt" else Kind.OR, [lesser, right])

    def _on_floats(self, op: str, values: list[Any]) -> Any:
        make = self.make.mk_term
        if op in {"max", "min", "fmax", "fmin"}:
            nans = [make(Kind.FP_IS_NAN, [value]) for value in values]
            less = make(Kind.FP_LT, values)
            found = make(Kind.ITE, [less, *(values[::-1] if op.endswith("max") else values)])
            kept = values if op in {"max", "min"} else values[::-1]  # of NaN and a number
            return make(Kind.ITE, [nans[0], kept[0], make(Kind.ITE, [nans[1], kept[1], found])])
        kinds = {"add": Kind.FP_ADD, "sub": Kind.FP_SUB, "mul": Kind.FP_MUL, "div": Kind.FP_DIV}
        if op in kinds:
            return make(kinds[op], [self._nearest, *values])
        return make({"eq": Kind.FP_EQUAL, "lt": Kind.FP_LT, "le": Kind.FP_LEQ}[op], values)

    def decided(self, left: Term, right: Term) -> Result:
        """Ask for operands for which two terms differ where the first has a value."""
        make = self.make.mk_term
        one = self.of(left)
        conditions = list(self.defined)
        other = self.of(right)
        same = make(Kind.EQUAL, [one, other])
        if is_float(left.dtype):  # as numbers
            nan = make(Kind.AND, [make(Kind.FP_IS_NAN, [one]), make(Kind.FP_IS_NAN, [other])])
            same = make(Kind.OR, [make(Kind.FP_EQUAL, [one, other]), nan])
        if len(self.defined) > len(conditions):  # the right side must have a value as well
            same = make(Kind.AND, [same, *self.defined[len(conditions) :]])
        options = bitwuzla.Options()
        options.set(bitwuzla.Option.TIME_LIMIT_PER, LIMIT * 1000)
        solver = bitwuzla.Bitwuzla(self.make, options)
        for condition in (*conditions, make(Kind.NOT, [same])):
            solver.assert_formula(condition)
        return solver.check_sat()


_FORMATS = {"f32": (8, 24), "f64": (11, 53)}


@cache
def _solved(left: Term, right: Term) -> Result:
    return Result.UNSAT if left is right else _Solver().decided(left, right)


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("name", ROWS)
def test_a_solver_proves_a_rule_for_wider_integers_and_floats(name: str) -> None:
    row = ROWS[name]
    first, *others = in_pairs(tuple(types.items()) for types in _typed(row, SOLVED))
    for types in map(dict, [first, *(other for other in others if has_turn((name, other), 0, 2))]):
        left, right = _instance(row, types)
        assert left.dtype == right.dtype
        assert _solved(left, right) is Result.UNSAT, types


@pytest.mark.parametrize(
    ("row", "among"),
    [
        (Row("rounded", "x: S", "T(M(x))", "T(x)"), ("i32", "f32")),
        (Row("cut off", "x: S", "T(M(x))", "T(x)"), ("f64", "i64", "i32")),
        (Row("narrowed quotient", "x: S, y: S", "T(tdiv(x, y))", "tdiv(T(x), T(y))"), ("i32", "i16")),
    ],
)
def test_a_wrong_rule_is_found(row: Row, among: tuple[DType, ...]) -> None:
    assert any(_solved(*_instance(row, types)) is Result.SAT for types in _typed(row, among))


def test_a_wrong_rule_is_found_among_few_bits() -> None:
    row = Row("a sum, halved", "x: T, y: T", "tdiv(add(x, y), T(1))", "add(x, tdiv(y, T(2)))")
    left, right = _instance(row, {"T": "i8"})
    assert _counterexample(left, right, {"x": "i8", "y": "i8"}) is not None


# -- that nothing else rewrites


def test_a_rule_gives_nothing_for_another_term_or_where_its_condition_does_not_hold() -> None:
    x, p = terms.scalar("x", "i32"), terms.scalar("p", "bool")
    flagged = terms.apply("ne", terms.cast(p, "i32"), terms.zero("i32"))
    assert rewritten("flag that is not zero", flagged, types={"I": "i32"}, p=p) is p
    assert rewritten("flag that is not zero", terms.apply("eq", *flagged.args), types={"I": "i32"}, p=p) is None
    through = terms.apply("cast", terms.cast(x, "f32"), dtype="f64")
    rule = "conversion through a type that holds all"
    assert rewritten(rule, through, types={"M": "f32", "T": "f64"}, x=x) is None


def test_a_name_without_a_row_is_an_error() -> None:
    with pytest.raises(KeyError):
        rewritten("no such rule", rules.TRUE)


def test_every_row_is_named_by_code() -> None:
    """A name stands in code as it is, or as a pattern in which operations and truth values are put."""
    named: list[str] = []
    for module in (flags, scalar_terms, rewrite, normalise):
        for node in ast.walk(ast.parse(Path(module.__file__ or "").read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                named.append(re.escape(node.value))
            elif isinstance(node, ast.JoinedStr):
                parts = (re.escape(str(v.value)) if isinstance(v, ast.Constant) else "[a-z]+" for v in node.values)
                named.append("".join(parts))
    assert [name for name in ROWS if not any(re.fullmatch(pattern, name) for pattern in named)] == []


def test_what_simplifies_flags_returns_terms_that_rows_gave() -> None:
    """In `flags`, what is returned comes from a row, or computes with numbers."""
    tree = ast.parse(Path(flags.__file__).read_text())
    builders = {"_compared", "_nonzero", "_bits", "_narrowed", "connected", "negated"}
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef) and function.name in builders:
            for node in ast.walk(function):
                if isinstance(node, ast.Return) and isinstance(node.value, ast.Call):
                    assert ast.unparse(node.value.func) in {"rewritten", "fused", "_compared", "_nonzero", "connected"}


def test_without_rows_nothing_is_rewritten(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = [term for term in machine_terms(3, 1500) if isinstance(term, Apply)]
    pool = [term for term in pool if not all(isinstance(a, Constant) for a in term.args)]  # those are computed
    assert any(rewrite.simplified(term.op, term.args, term) is not term for term in pool)
    assert any(scalar_terms.convert(term, "i16") is not terms.cast(term, "i16") for term in pool)
    monkeypatch.setattr(Row, "applied", lambda *_: None)
    for term in pool:
        assert rewrite.simplified(term.op, term.args, term) is term
        assert flags.simplified_flag(term.op, term.args, term.dtype) is None
        assert scalar_terms.convert(term, "i16") is terms.cast(term, "i16")
        if term.op == "select":
            assert scalar_terms.choose(*term.args) is term
