"""Terms are hash-consed, typed, and know their free variables."""

from __future__ import annotations

import gc
import weakref
from fractions import Fraction

import pytest
from tests.comprehension.builders import add, box, idx, num, read, total

from tensorlift.comprehension import terms
from tensorlift.comprehension.terms import COMBINER, apply, cast, constant
from tensorlift.ops.dtypes import DType, integer_range, wrap
from tensorlift.ops.scalar_ops import SCALAR_OPS
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import UNIVERSE, Domain, at_least

V = Affine.var


def test_equal_terms_are_one_object() -> None:
    assert read("A", "i") is read("A", "i")
    assert add(read("A", "i"), num(1)) is add(read("A", "i"), num(1))
    assert read("A", "i") is not read("A", "j")
    assert read("A", "i") is not read("A", "i", dtype="f32")
    assert total("k", 0, "n", read("A", "k")) is total("k", 0, "n", read("A", "k"))


def test_a_type_that_follows_and_one_that_is_given_are_one_object() -> None:
    given = apply("infinity", dtype="f64")
    assert apply("infinity") is given
    assert apply("infinity", dtype="f32") is not given


def test_terms_are_forgotten_with_their_last_use() -> None:
    made = weakref.ref(read("only_here", "i"))
    gc.collect(1)  # it is young
    assert made() is None


def test_free_variables_are_those_that_nothing_binds() -> None:
    assert read("A", V("i") + V("j")).free == {"i", "j"}
    assert total("k", 0, "n", read("A", "i", "k")).free == {"i", "n"}
    assert terms.piecewise([(Domain.of(at_least("i", "m")), num(0)), (UNIVERSE, num(1))]).free == {"i", "m"}
    assert idx("i").free == {"i"}
    assert num(1).free == set()


def test_reads_are_the_arrays_that_occur() -> None:
    term = add(read("A", "i"), total("k", 0, "n", read("B", "k")))
    assert term.reads == {"A", "B"}
    assert idx("i").reads == set()


@pytest.mark.parametrize(
    ("op", "types", "result"),
    [
        ("add", ("i32", "i32"), "i32"),
        ("add", ("i32", "f32"), "f32"),
        ("add", ("f32", "i64"), "f32"),
        ("add", ("i32", "u32"), "u32"),
        ("mul", ("i8", "i64"), "i64"),
        ("lt", ("f64", "f64"), "bool"),
        ("select", ("bool", "f32", "f64"), "f64"),
        ("shl", ("i32", "i64"), "i32"),
        ("sqrt", ("f32",), "f32"),
    ],
)
def test_result_types(op: str, types: tuple[DType, ...], result: DType) -> None:
    assert apply(op, *(terms.scalar(f"s{n}", dtype) for n, dtype in enumerate(types))).dtype == result


def test_the_number_of_operands_is_checked() -> None:
    with pytest.raises(ValueError, match="add takes 2 operands, not 1"):
        apply("add", num(1))


def test_constants_are_exact_and_integers_wrap() -> None:
    assert constant(0.5, "f64").value == Fraction(1, 2)
    assert constant(200, "i8").value == -56
    assert constant(-1, "u8").value == 255
    assert terms.index(Affine(3), "i64") is constant(3, "i64")


@pytest.mark.parametrize(("value", "dtype", "result"), [(128, "i8", -128), (-129, "i8", 127), (256, "u8", 0)])
def test_wrapping(value: int, dtype: DType, result: int) -> None:
    assert wrap(value, dtype) == result
    low, high = integer_range(dtype)
    assert low <= result <= high


def test_casts_of_constants_are_done_at_once() -> None:
    assert cast(constant(300, "i32"), "i8") is constant(44, "i8")
    assert cast(constant(-2.5, "f64"), "i32") is constant(-2, "i32")
    assert cast(num(3), "bool") is constant(1, "bool")
    assert cast(read("A", "i"), "f64") is read("A", "i")
    assert cast(read("A", "i"), "f32").dtype == "f32"


def test_trivial_binders_and_pieces_vanish() -> None:
    assert terms.reduce("sum", (), UNIVERSE, num(1)) is num(1)
    assert terms.piecewise([(box(i="n"), num(1))]) is num(1)


def test_every_fold_has_an_operation() -> None:
    assert all(op in SCALAR_OPS and SCALAR_OPS[op].commutative for op in COMBINER.values())


def test_rows_are_named_by_their_keys() -> None:
    assert all(name == row.name for name, row in SCALAR_OPS.items())
    signs = [row.infix for row in SCALAR_OPS.values() if row.infix]
    assert len(signs) == len(set(signs))


def test_the_notation_is_the_representation() -> None:
    assert repr(add(read("A", "i"), num(1))) == "A(i) + 1"
