"""Equalities that the normal form must show, and some that it must not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.comprehension.builders import AffineLike, add, box, idx, mul, num, read, sub, total

from tensorlift.comprehension import terms
from tensorlift.comprehension.normal import equal
from tensorlift.comprehension.terms import Term, apply, cast, constant, piecewise, scalar
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import EMPTY, UNIVERSE, Constraint, Domain, at_least, less
from tensorlift.poly.variables import strided
from tensorlift.session import SESSION

if TYPE_CHECKING:
    from tensorlift.ops.dtypes import DType

V = Affine.var
N = V("n")
ALPHA, BETA = scalar("alpha", "f64"), scalar("beta", "f64")
SIZES = Domain.of(at_least("n", 1), at_least("m", 1), at_least("p", 1))
IJ = box(i="n", j="m") & SIZES
I_ = box(i="n")
Row = tuple[Term, Term, Domain]


def inverse(term: Term) -> Term:
    return apply("div", num(1), term)


def a(*indices: AffineLike) -> Term:
    return read("A", *indices)


def b(*indices: AffineLike) -> Term:
    return read("B", *indices)


def c(*indices: AffineLike) -> Term:
    return read("C", *indices)


def x32(*indices: AffineLike) -> Term:
    return read("X", *indices, dtype="i32")


def y32(*indices: AffineLike) -> Term:
    return read("Y", *indices, dtype="i32")


def x8(*indices: AffineLike) -> Term:
    return read("W", *indices, dtype="i8")


def select(condition: Term, chosen: Term, other: Term) -> Term:
    return apply("select", condition, chosen, other)


def lower() -> Domain:
    return Domain.of(at_least("i", "j"))


def where(condition: Domain, chosen: Term, other: Term) -> Term:
    return piecewise([(condition, chosen), (condition.complement(), other)])


def symmetric(i: str, j: str) -> Term:
    return where(Domain.of(at_least(i, j)), a(i, j), a(j, i))


def gemm(k: str) -> Term:
    return add(mul(BETA, c("i", "j")), total(k, 0, "p", mul(ALPHA, a("i", k), b(k, "j"))))


def softmax(outer: str, first: str, second: str) -> Term:
    top = apply("exp", sub(a("i"), total(first, 0, "n", a(first), "max")))
    return apply("div", top, total(outer, 0, "n", apply("exp", sub(a(outer), total(second, 0, "n", a(second), "max")))))


def rank_update(k: str, inside: Term) -> Term:
    return add(mul(inside, total(k, 0, "p", mul(a("i", k), a("j", k)))), mul(BETA, c("i", "j")))


# Points of blocks of 16 that are cut off at n.
CUT = (at_least("k", V("b", 16)), less("k", V("b", 16) + 16), less("k", "n"))

BITS = cast(x32("i"), "u32")
SHOWN: dict[str, Row] = {
    "bits in types of two signs": (
        cast(apply("bitxor", x32("i"), apply("shl", x32("i"), num(25, "i32"))), "u32"),
        apply("bitxor", BITS, apply("shl", BITS, num(25, "u32"))), I_,
    ),
    "a sum over blocks": (
        total("b", 0, "m", total("k", 0, 16, a(V("b", 16) + V("k")))), total("k", 0, V("m", 16), a("k")),
        SIZES,
    ),
    "a sum over every other point and one over the others": (
        total("b", 0, "m", add(a(V("b", 2)), a(V("b", 2) + 1))), total("k", 0, V("m", 2), a("k")), SIZES,
    ),
    "a root of sums over every fourth point, with what is left": (
        apply("sqrt", add(total("b", 0, "m", add(*(mul(a(V("b", 4) + j), b(V("b", 4) + j)) for j in (2, 0, 1, 3)))),
                          total("k", V("m", 4), "n", mul(a("k"), b("k"))))),
        apply("sqrt", total("k", 0, "n", mul(b("k"), a("k")))),
        SIZES & Domain.of(at_least("n", V("m", 4)), less("n", V("m", 4) + 4)),
    ),
    "a sum backwards over every other row": (
        total("b", 0, "m", add(a(N - V("b", 2), "i"), a(N - 1 - V("b", 2), "i"))),
        total("k", N + 1 - V("m", 2), N + 1, a("k", "i")), SIZES,
    ),
    "a sum over cut blocks": (
        terms.reduce("sum", ("b", "k"), box(b="m") & Domain.of(*CUT), a("k")), total("k", 0, "n", a("k")),
        SIZES & Domain.of(at_least(V("m", 16), "n"), at_least(N + 15, V("m", 16))),
    ),
    "a scale factor moves out of a sum": (
        gemm("k"), add(mul(ALPHA, total("l", 0, "p", mul(b("l", "j"), a("i", "l")))), mul(c("i", "j"), BETA)), IJ,
    ),
    "a sum is split before and after a point": (
        total("k", 0, "n", a("k")), add(total("l", 0, "i", a("l")), a("i"), total("q", V("i") + 1, "n", a("q"))), I_,
    ),
    "a point extends a sum": (total("k", 0, N + 1, a("k")), add(total("l", 0, "n", a("l")), a("n")), SIZES),
    "a sum of equal terms is a multiple, the context tells which bound counts": (
        terms.reduce("sum", ("k",), box(k="n") & Domain.of(less("k", "m")), a("i")),
        mul(cast(idx("n"), "f64"), a("i")),
        I_ & Domain.of(at_least("m", "n")),
    ),
    "a sum of a known number of terms is written out": (total("k", 0, 3, a("k")), add(a(0), a(1), a(2)), UNIVERSE),
    "the bounds of a sum are shifted": (
        total("k", 0, "n", a("k")), total("l", 1, N + 1, a(V("l") - 1)), UNIVERSE,
    ),
    "a sum is reversed": (total("k", 0, "n", a("k")), total("l", 0, "n", a(N - 1 - V("l"))), UNIVERSE),
    "a sum with a weight is shifted": (
        total("k", 0, "n", mul(cast(idx("k"), "f64"), a("k"))),
        total("l", 1, N + 1, mul(cast(idx(V("l") - 1), "f64"), a(V("l") - 1))), UNIVERSE,
    ),
    "a sum of the same term is a multiple": (total("k", 0, "n", a("i")), mul(cast(idx("n"), "f64"), a("i")), I_),
    "sums are exchanged": (
        total("k", 0, "n", mul(a("i", "k"), total("l", 0, "m", mul(b("k", "l"), c("l", "j"))))),
        total("l", 0, "m", mul(total("k", 0, "n", mul(a("i", "k"), b("k", "l"))), c("l", "j"))), IJ,
    ),
    "a symmetric matrix is mirrored": (
        total("k", 0, "n", mul(symmetric("i", "k"), b("k", "j"))),
        add(total("l", 0, "i", mul(a("i", "l"), b("l", "j"))), mul(a("i", "i"), b("i", "j")),
            total("q", V("i") + 1, "n", mul(a("q", "i"), b("q", "j")))), IJ,
    ),
    "triangular pieces agree on the diagonal": (
        where(lower(), a("i", "j"), a("j", "i")),
        where(Domain.of(less("j", "i")), a("i", "j"), a("j", "i")), IJ,
    ),
    "a rank update of a triangle": (
        where(lower(), rank_update("k", ALPHA), c("i", "j")),
        where(lower(), add(mul(BETA, c("i", "j")), total("k", 0, "p", mul(ALPHA, a("i", "k"), a("j", "k")))),
              c("i", "j")), IJ,
    ),
    "pieces that cover the domain together": (
        a("i"), piecewise([(Domain.of(less("i", 1)), a(0)), (Domain.of(at_least("i", 1)), a("i"))]), I_,
    ),
    "a square is distributed": (
        mul(add(a("i"), b("i")), add(a("i"), b("i"))),
        add(mul(a("i"), a("i")), mul(num(2), a("i"), b("i")), mul(b("i"), b("i"))), I_,
    ),
    "a power is a product": (apply("pow", a("i"), num(3)), mul(a("i"), a("i"), a("i")), I_),
    "functions of equal operands": (apply("exp", add(a("i"), b("i"))), apply("exp", add(b("i"), a("i"))), I_),
    "softmax with other names": (softmax("k", "l", "q"), softmax("u", "v", "w"), I_),
    "a mean is divided term by term": (
        apply("div", total("k", 0, "n", a("k")), cast(idx("n"), "f64")),
        total("k", 0, "n", apply("div", a("k"), cast(idx("n"), "f64"))), SIZES,
    ),
    "a maximum is split": (
        total("k", 0, "n", a("k"), "max"), apply("max", a(0), total("l", 1, "n", a("l"), "max")), SIZES,
    ),
    "a maximum is extended by a point": (
        total("k", 0, N + 1, a("k"), "max"), apply("max", total("l", 0, "n", a("l"), "max"), a("n")), SIZES,
    ),
    "infinity is neutral for a minimum": (
        apply("min", apply("infinity"), total("l", 0, "n", a("l"), "min")), total("k", 0, "n", a("k"), "fmin"), I_,
    ),
    "the least integer is neutral for a maximum": (
        apply("max", num(-(1 << 31), "i32"), x32("i")), x32("i"), I_,
    ),
    "a choice of the greater is the maximum": (
        select(apply("gt", a("i"), b("i")), a("i"), b("i")), apply("max", b("i"), a("i")), I_,
    ),
    "a choice of the lesser integer is the minimum": (
        select(apply("ge", x32("i"), y32("i")), y32("i"), x32("i")), apply("min", x32("i"), y32("i")), I_,
    ),
    "the positive part of an integer": (
        select(apply("gt", x32("i"), num(0, "i32")), x32("i"), num(0, "i32")),
        apply("max", x32("i"), num(0, "i32")), I_,
    ),
    "a choice of the sign is the absolute value": (
        select(apply("lt", a("i"), num(0)), apply("neg", a("i")), a("i")), apply("abs", a("i")), I_,
    ),
    "so for integers": (
        select(apply("gt", x8("i"), num(0, "i8")), x8("i"), apply("neg", x8("i"))), apply("abs", x8("i")), I_,
    ),
    "whether all are zero, in a byte and then in a word": (
        cast(cast(total("k", 0, "n", apply("eq", x32("k"), num(0, "i32")), "all"), "u8"), "i32"),
        cast(total("l", 0, "n", apply("eq", x32("l"), num(0, "i32")), "all"), "i32"), SIZES,
    ),
    "a product is extended by a point": (
        total("k", 0, N + 1, a("k"), "prod"), mul(total("l", 0, "n", a("l"), "prod"), a("n")), SIZES,
    ),
    "so it is where the point is an inverse": (
        total("k", 0, N + 1, inverse(add(a("k"), num(1))), "prod"),
        apply("div", total("l", 0, "n", inverse(add(a("l"), num(1))), "prod"), add(num(1), a("n"))), SIZES,
    ),
    "a product over one point": (total("k", 0, 1, a("k"), "prod"), a(0), UNIVERSE),
    "some is extended by a point": (
        total("k", 0, N + 1, apply("lt", a("k"), num(0)), "any"),
        apply("or", total("l", 0, "n", apply("gt", num(0), a("l")), "any"), apply("lt", a("n"), num(0))), SIZES,
    ),
    "all is extended by a point": (
        total("k", 0, N + 1, apply("lt", a("k"), num(0)), "all"),
        apply("and", apply("lt", a("n"), num(0)), total("l", 0, "n", apply("gt", num(0), a("l")), "all")), SIZES,
    ),
    "not (p and q) is (not p or not q)": (
        apply("not", apply("and", apply("lt", a("i"), num(0)), apply("eq", b("i"), num(1)))),
        apply("or", apply("ge", a("i"), num(0)), apply("ne", num(1), b("i"))), I_,
    ),
    "a comparison of indices is a guard": (
        select(apply("lt", idx("i"), idx("j")), a("j", "i"), a("i", "j")), where(lower(), a("i", "j"), a("j", "i")), IJ,
    ),
    "x > 0 is x >= 1 for integers": (
        apply("gt", x32("i"), num(0, "i32")), apply("ge", x32("i"), num(1, "i32")), I_,
    ),
    "integers wrap: a sum of 256 times a byte is none": (mul(num(16, "i8"), num(16, "i8"), x8("i")), num(0, "i8"), I_),
    "an integer that a float type holds is truncated to itself": (cast(cast(x32("i"), "f64"), "i32"), x32("i"), I_),
    "summing in a wider type and cutting off": (
        cast(total("k", 0, "n", cast(mul(x32("k"), y32("k")), "i64")), "i32"),
        total("l", 0, "n", mul(x32("l"), y32("l"))), UNIVERSE,
    ),
    "widening and narrowing": (cast(cast(add(x8("i"), x8(0)), "i64"), "i8"), add(x8(0), x8("i")), I_),
    "a remainder is what a quotient leaves": (
        apply("rem", x32("i"), y32("i")), sub(x32("i"), mul(y32("i"), apply("tdiv", x32("i"), y32("i")))), I_,
    ),
    "rounding a quotient that leaves no remainder": (
        apply("floordiv", sub(x32("i"), apply("rem", x32("i"), y32("i"))), y32("i")),
        apply("tdiv", x32("i"), y32("i")), I_,
    ),
    "truncating a real quotient": (
        cast(apply("div", cast(x32("i"), "f64"), cast(y32("i"), "f64")), "i32"),
        apply("tdiv", x32("i"), y32("i")), I_,
    ),
    "an index that is a multiple is divided": (apply("tdiv", idx(V("i") * 4), num(4, "i64")), idx("i"), I_),
    "rounding an index that is not negative": (
        apply("tdiv", idx("i"), num(2, "i64")), apply("floordiv", idx("i"), num(2, "i64")), I_,
    ),
    "shifting is multiplying": (apply("shl", x32("i"), num(3, "i32")), mul(num(8, "i32"), x32("i")), I_),
    "every equality holds where there is no point": (a("i"), b("i"), EMPTY),
}  # fmt: skip

NOT_SHOWN: dict[str, Row] = {
    "bits that are moved down in types of two signs": (
        cast(apply("shr", x32("i"), num(25, "i32")), "u32"), apply("shr", BITS, num(25, "u32")), I_,
    ),
    "a sum over blocks that overlap": (
        total("b", 0, "m", total("k", 0, 17, a(V("b", 16) + V("k")))),
        total("k", 0, V("m", 16) + 1, a("k")), SIZES,
    ),
    "a sum over blocks with gaps": (
        total("b", 0, "m", total("k", 0, 15, a(V("b", 16) + V("k")))),
        total("k", 0, V("m", 16), a("k")), SIZES,
    ),
    "a sum over every other point alone": (
        total("b", 0, "m", a(V("b", 2))), total("k", 0, V("m", 2), a("k")), SIZES,
    ),
    "a sum over every other point twice": (
        total("b", 0, "m", add(a(V("b", 2)), a(V("b", 2)))), total("k", 0, V("m", 2), a("k")), SIZES,
    ),
    "a sum over every other point, of different arrays": (
        total("b", 0, "m", add(a(V("b", 2)), b(V("b", 2) + 1))), total("k", 0, V("m", 2), a("k")), SIZES,
    ),
    "a sum over every other point and its neighbours on both sides": (
        total("b", 1, "m", add(a(V("b", 2) - 1), a(V("b", 2) + 1))), total("k", 0, V("m", 2), a("k")), SIZES,
    ),
    "products of neighbours the wrong way round": (
        total("b", 0, "m", add(mul(a(V("b", 2)), b(V("b", 2) + 1)), mul(a(V("b", 2) + 1), b(V("b", 2))))),
        total("k", 0, V("m", 2), mul(a("k"), b("k"))), SIZES,
    ),
    "a transposed operand": (
        gemm("k"), add(mul(ALPHA, total("l", 0, "p", mul(a("i", "l"), b("j", "l")))), mul(BETA, c("i", "j"))), IJ,
    ),
    "a sum without one point": (
        total("k", 0, "n", a("k")), add(total("l", 0, "i", a("l")), total("q", V("i") + 1, "n", a("q"))), I_,
    ),
    "a bound that is off by one": (total("k", 0, "n", a("k")), total("k", 0, N - 1, a("k")), SIZES),
    "a sum extended by a point that may not be there": (
        total("k", 0, "n", a("k")), add(total("k", 0, N - 1, a("k")), a(N - 1)), Domain.of(at_least("n", 0)),
    ),
    "a diagonal that differs": (
        where(lower(), a("i", "j"), b("j", "i")),
        where(Domain.of(less("j", "i")), a("i", "j"), b("j", "i")), IJ,
    ),
    "a wrapped sum that is widened": (
        cast(add(x32("i"), y32("i")), "i64"), add(cast(x32("i"), "i64"), cast(y32("i"), "i64")), I_,
    ),
    "a wrapped product that is divided": (
        apply("floordiv", mul(x32("i"), num(2, "i32")), num(2, "i32")), x32("i"), I_,
    ),
    "rounding towards zero and rounding down": (
        apply("tdiv", x32("i"), num(2, "i32")), apply("floordiv", x32("i"), num(2, "i32")), I_,
    ),
    "a sign change across a comparison of integers": (
        apply("lt", x32("i"), y32("i")), apply("lt", apply("neg", y32("i")), apply("neg", x32("i"))), I_,
    ),
    "a comparison of a difference of integers with zero": (
        apply("lt", x32("i"), y32("i")), apply("lt", sub(x32("i"), y32("i")), num(0, "i32")), I_,
    ),
    "a real that may not fit and an integer that wraps": (
        cast(total("k", 0, "n", mul(cast(x32("k"), "f64"), cast(y32("k"), "f64"))), "i32"),
        total("k", 0, "n", mul(x32("k"), y32("k"))), SIZES,
    ),
    "an integer that single precision does not hold": (cast(cast(x32("i"), "f32"), "i32"), x32("i"), I_),
    "an integer on a detour through single precision": (
        cast(cast(cast(x32("i"), "f32"), "f64"), "i32"), x32("i"), I_,
    ),
    "a cancelled division": (apply("div", mul(a("i"), b("i")), b("i")), a("i"), I_),
    "a cancelled factor of a product": (
        total("k", 0, "n", mul(b("k"), apply("div", a("k"), a("k"))), "prod"), total("k", 0, "n", b("k"), "prod"),
        SIZES,
    ),
    "a product whose next point is cancelled": (
        apply("div", total("k", 0, N + 1, a("k"), "prod"), a("n")), total("k", 0, "n", a("k"), "prod"), SIZES,
    ),
    "a root of a square": (apply("sqrt", mul(a("i"), a("i"))), a("i"), I_),
    "signed and unsigned": (cast(cast(x32("i"), "u32"), "i64"), cast(x32("i"), "i64"), I_),
    "the maximum and the minimum": (total("k", 0, "n", a("k"), "max"), total("k", 0, "n", a("k"), "min"), I_),
    "a maximum without its first item": (
        total("k", 0, "n", a("k"), "max"), total("k", 1, "n", a("k"), "max"), Domain.of(at_least("n", 2)),
    ),
    "a maximum over no points": (total("k", 0, "n", a("k"), "max"), a(0), Domain.of(at_least("n", 0))),
    "infinity less infinity": (sub(add(a("i"), apply("infinity")), apply("infinity")), a("i"), I_),
    "a product with a repeated point": (
        mul(total("k", 0, N + 1, a("k"), "prod"), a("n")), total("k", 0, N + 1, a("k"), "prod"), SIZES,
    ),
    "a difference that wraps in a byte": (
        cast(sub(cast(apply("gt", x32("i"), num(0, "i32")), "u8"), num(1, "u8")), "i32"),
        sub(cast(apply("gt", x32("i"), num(0, "i32")), "i32"), num(1, "i32")), I_,
    ),
    "an index that wraps in a byte": (cast(cast(idx("i"), "u8"), "i64"), idx("i"), I_),
}  # fmt: skip


@pytest.mark.parametrize("name", SHOWN)
def test_shows(name: str) -> None:
    SESSION.forget()
    left, right, domain = SHOWN[name]
    assert equal(left, right, domain)
    assert equal(right, left, domain)


@pytest.mark.parametrize("name", NOT_SHOWN)
def test_does_not_show(name: str) -> None:
    SESSION.forget()
    left, right, domain = NOT_SHOWN[name]
    assert not equal(left, right, domain)
    assert not equal(right, left, domain)


def test_a_domain_that_decides_more_shows_more() -> None:
    left, right = a("i"), a("j")
    assert not equal(left, right, IJ)
    assert equal(left, right, IJ & Domain.of(Constraint(V("i") - V("j"), is_equality=True)))


def test_integers_of_different_types_are_compared_as_numbers() -> None:
    assert equal(cast(x8("i"), "i32"), x8("i"), I_)
    assert not equal(cast(x8("i"), "u8"), x8("i"), I_)


def nested(depth: int, *, swapped: bool) -> Term:
    value = b("i")
    for _ in range(depth):
        inner = add(value, a("i")) if swapped else add(a("i"), value)
        value = mul(value, inner)
    return value


def chain(length: int, op: str) -> Term:
    value = a("i")
    for step in range(length):
        value = apply(op, add(mul(value, b(V("i") + step)), a("i")))
    return value


def test_nested_polynomials_end() -> None:
    SESSION.forget()
    assert equal(nested(5, swapped=False), nested(5, swapped=True), I_)
    assert not equal(nested(12, swapped=False), nested(11, swapped=True), I_)


def test_terms_of_a_thousand_nodes_end() -> None:
    SESSION.forget()
    assert equal(chain(350, "exp"), chain(350, "exp"), I_)
    assert not equal(chain(350, "exp"), chain(350, "sin"), I_)


def flat_sum(length: int, *, backwards: bool) -> Term:
    value: Term = a("i")
    for step in range(length):
        summand = a(V("i") + step)
        value = add(summand, value) if backwards else add(value, summand)
    return value


def test_flat_sums_are_equal_in_any_order_and_end_where_they_differ() -> None:
    SESSION.forget()
    assert equal(flat_sum(60, backwards=False), flat_sum(60, backwards=True), I_)
    assert not equal(flat_sum(1000, backwards=False), flat_sum(999, backwards=True), I_)


def test_constants_fold() -> None:
    folded = {
        "tdiv": -3, "floordiv": -4, "rem": -1, "mod": 1,
    }  # fmt: skip
    for op, value in folded.items():
        assert equal(apply(op, constant(-7, "i32"), constant(2, "i32")), constant(value, "i32"), UNIVERSE)


def test_a_name_bound_twice_is_no_clash() -> None:
    inner = total("k", 0, "n", mul(a("k"), b("k")))
    assert equal(total("k", 0, "n", mul(a("k"), inner)), mul(total("u", 0, "n", a("u")), inner), UNIVERSE)
    assert equal(terms.reduce("sum", ("k",), box(k="n"), a("k")), total("z", 0, "n", a("z")), box(k="m"))


def test_a_free_variable_is_not_taken_for_a_bound_one() -> None:
    assert not equal(total("k", 0, "n", a("k")), total("l", 0, "n", a("k")), UNIVERSE)
    assert not equal(total("k", 0, "n", a("k", "j")), total("j", 0, "n", a("j", "k")), UNIVERSE)
    assert not equal(total("k", 0, "n", total("k", 0, "m", a("k"))), total("l", 0, "n", total("q", 0, "m", a("l"))), IJ)


def test_steps_are_counted_where_the_domain_has_every_other_value() -> None:
    """There ``i`` is one less than ``j``, and one half of ``j`` is the position among the cells."""
    even = strided("j", Affine(0), 2) & Domain.of(at_least("j", 0), less("j", "n"))
    moved = even & Domain.of(Constraint(V("i") - V("j") + 1, is_equality=True))
    position = Domain.of(Constraint(V("j") - V("t") * 2, is_equality=True))
    chosen = terms.single("t", position, a("t"))
    assert equal(cast(idx(V("i")), "f64"), cast(idx(V("j") - 1), "f64"), moved)
    assert not equal(cast(idx(V("i")), "f64"), cast(idx(V("j")), "f64"), moved)
    assert equal(terms.single("t", position, a(V("t") * 2)), a("j"), even)
    assert not equal(chosen, a("j"), even)
    assert not equal(terms.single("t", position, a(V("t") * 2)), a("j"), Domain.of(at_least("j", 0), less("j", "n")))


def test_infinity_stays_inside_of_a_sum_that_may_be_of_nothing() -> None:
    infinity = apply("infinity")
    domain = box(k="n")
    inside = terms.reduce("sum", ("k",), domain, mul(a("k"), infinity))
    outside = mul(infinity, terms.reduce("sum", ("k",), domain, a("k")))
    assert not equal(inside, outside, Domain.of(at_least("n", 0)))
    assert equal(inside, terms.reduce("sum", ("k",), domain, mul(infinity, a("k"))), Domain.of(at_least("n", 0)))


@pytest.mark.parametrize("dtype", ["f64", "f32"])
def test_an_extreme_ignores_a_nan_beside_a_number_but_not_beside_what_may_be_of_nothing(dtype: DType) -> None:
    nan = cast(apply("nan"), dtype) if dtype == "f32" else apply("nan")
    number = read("A", "i", dtype=dtype)
    assert equal(apply("fmax", nan, number), number, I_)
    best = terms.reduce("fmax", ("k",), box(k="n"), read("A", "k", dtype=dtype))
    assert not equal(apply("fmax", nan, best), best, Domain.of(at_least("n", 0)))


@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize("negated", [True, False])
def test_the_least_of_chosen_indices_may_be_counted_backwards(is_first: bool, negated: bool) -> None:  # noqa: FBT001 - parameters
    def least(index: Affine) -> Term:
        test = apply("lt", terms.read("x", (index,), "f64"), constant(3, "f64"))
        arms = terms.index(index, "i64"), constant(7, "i64")
        chosen = apply("select", apply("not", test) if negated else test, *(arms if is_first else arms[::-1]))
        return terms.reduce("min", ("k",), box(k="n"), chosen)

    forwards, backwards = Affine.var("k"), Affine.var("n") - Affine.var("k") - 1
    assert equal(least(forwards), least(backwards), Domain.of(at_least("n", 1)))
    assert not equal(least(forwards), least(backwards - 1), Domain.of(at_least("n", 1)))


@pytest.mark.parametrize("op", ["eq", "le", "ge"])
def test_a_float_that_is_compared_with_itself_asks_for_a_nan(op: str) -> None:
    """Whoever writes that means it, although all else is over the reals."""
    own, other = read("x", "i"), read("y", "i")
    asked = apply(op, own, own)
    assert equal(asked, apply("eq", own, own), UNIVERSE)
    assert equal(apply("ne", own, own), apply("not", asked), UNIVERSE)
    assert not equal(asked, constant(1, "bool"), UNIVERSE)
    assert not equal(apply("select", asked, other, own), other, UNIVERSE)
    assert equal(apply("lt", own, own), constant(0, "bool"), UNIVERSE)
    index = cast(idx("i"), "f64")
    assert equal(apply(op, index, index), constant(1, "bool"), UNIVERSE)
    whole = read("k", "i", dtype="i32")
    assert op != "eq" or equal(apply(op, whole, whole), constant(1, "bool"), UNIVERSE)
