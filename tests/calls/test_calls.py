"""Calls of lifted functions: what they take, and that what they do not take changes nothing."""

from __future__ import annotations

import copy
from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.calls import functions

from tensorlift import ArgumentTypeError, ArgumentValueError, LiftError, lift
from tensorlift.calls.kinds import Argument, fit, kind_of, parse_kind, refined
from tensorlift.calls.program import overlaps_itself, read_conditions, share_memory
from tensorlift.contract.interface import Precondition
from tensorlift.contract.notation import parse_condition

GEMM, FIRST, SCALE, SMOOTH = functions.gemm, functions.first, functions.scale_rows, functions.smooth
_BUFFER = np.zeros(40)
_SHARED = np.zeros((4, 4))
_ROW = [1.0, 2.0]


@cache
def _lifted(function: Any) -> Any:
    return lift(function)


def _read_only() -> Any:
    array = np.zeros((2, 4))
    array.flags.writeable = False
    return array


A, B = np.ones((2, 3)), np.ones((3, 4))

WRONG: dict[str, tuple[Any, tuple[Any, ...], type[LiftError], str]] = {
    "a float32 array": (GEMM, (A.astype("f4"), B, A), ArgumentTypeError, "`A` is a float32 array of 2 dimensions"),
    "one dimension": (GEMM, (A[0], B, A), ArgumentTypeError, "`A` is a float64 array of 1 dimension"),
    "a list": (GEMM, (A.tolist(), B, A), ArgumentTypeError, "`A` is a list"),
    "a subclass": (GEMM, (A.view(np.recarray), B, A), ArgumentTypeError, "a subclass of ndarray"),
    "a masked array": (GEMM, (np.ma.array(A), B, A), ArgumentTypeError, "a subclass of ndarray"),
    "another byte order": (GEMM, (A.astype(">f8"), B, A), ArgumentTypeError, "which no lifted function takes"),
    "an object": (GEMM, (None, B, A), ArgumentTypeError, "`A` is an object of type NoneType"),
    "a complex scalar": (GEMM, (A, B, np.zeros((2, 4)), 1j), ArgumentTypeError, "`alpha` is an object of type complex"),
    "a large scalar": (GEMM, (A, B, np.zeros((2, 4)), 2**60), ArgumentValueError, "which is no number of float64"),
    "rows that differ": (SCALE, ([[1.0], [1.0, 2.0]], [1.0]), ArgumentTypeError, "no rectangle of numbers"),
    "a list of text": (SCALE, ([["a"]], [1.0]), ArgumentTypeError, "no rectangle of numbers"),
    "lists of arrays": (SCALE, ([np.ones(2)], [1.0]), ArgumentTypeError, "no rectangle of numbers"),
    "an array for lists": (SCALE, (np.ones((2, 2)), [1.0, 2.0]), ArgumentTypeError, "lifted for list[list[float]]"),
    "integers beyond 2**53": (SCALE, ([[2**60]], [1.0]), ArgumentValueError, "no numbers of float64"),
    "extents that differ": (
        GEMM,
        (A, A, np.zeros((2, 4))),
        ArgumentValueError,
        "axis 0 of B has length 2, expected 3, which is A.shape[1]",
    ),
    "an empty array": (FIRST, (np.zeros(0),), ArgumentValueError, "x.shape[0] >= 1"),
    "an output that is an input": (GEMM, (_SHARED, _SHARED[:, :], _SHARED), ArgumentValueError, "C shares no memory"),
    "an output that overlaps": (
        SMOOTH,
        (_BUFFER[:20], _BUFFER[19:39]),
        ArgumentValueError,
        "y shares no memory with x",
    ),
    "an output that is read-only": (GEMM, (A, B, _read_only()), ArgumentValueError, "`C` is read-only"),
    "an output that overlaps itself": (
        GEMM,
        (A, B, np.lib.stride_tricks.as_strided(_BUFFER, (2, 4), (8, 8))),
        ArgumentValueError,
        "elements of `C` share memory",
    ),
    "a row that occurs twice": (SCALE, ([_ROW, _ROW], [1.0, 2.0]), ArgumentValueError, "elements of `A` share memory"),
    "a row that is the other list": (SCALE, ([_ROW, [3.0, 4.0]], _ROW), ArgumentValueError, "A shares no memory"),
}


@pytest.mark.parametrize("name", WRONG)
def test_is_refused_and_changes_nothing(name: str) -> None:
    function, arguments, error, message = WRONG[name]
    before = copy.deepcopy(arguments)
    with pytest.raises(error) as refused:
        _lifted(function)(*arguments)
    assert message in str(refused.value)
    assert "help: " in str(refused.value)
    for mine, theirs in zip(arguments, before, strict=True):
        np.testing.assert_equal(mine, theirs)


def test_errors_are_those_that_python_would_raise() -> None:
    assert issubclass(ArgumentTypeError, TypeError)
    assert issubclass(ArgumentValueError, ValueError)


def test_interleaved_views_share_nothing() -> None:
    buffer = np.arange(12.0)
    _lifted(SMOOTH)(buffer[::2], buffer[1::2])
    expected = np.arange(12.0)
    functions.smooth(expected[::2], expected[1::2])
    np.testing.assert_allclose(buffer, expected)


@pytest.mark.parametrize("view", [np.s_[::2, ::-1], np.s_[:2, 1:5], np.s_[1::2, ::2]])
def test_strided_outputs_are_written_in_place(view: Any) -> None:
    mine, theirs = np.zeros((6, 8)), np.zeros((6, 8))
    (n, m) = mine[view].shape
    left, right = np.random.default_rng(1).random((n, 3)), np.random.default_rng(2).random((3, m))
    _lifted(GEMM)(left, right, mine[view])
    functions.gemm(left, right, theirs[view])
    np.testing.assert_allclose(mine, theirs)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (np.ones((2, 2), np.float32), "float32[:, :]"),
        (np.ones(2, bool), "bool_[:]"),
        ([[1, 2], [3, 4]], "list[list[int]]"),
        ([1, 2.5], "list[float]"),
        (True, "bool"),
        (3, "int"),
        (0.5, "float"),
        (np.float32(1), "float32"),
        (np.int8(1), "int8"),
    ],
)
def test_kinds_are_spelled_as_annotations(value: Any, kind: str) -> None:
    assert kind_of(value, "x") == kind
    assert parse_kind(kind).text == kind
    fit(value, parse_kind(kind), "x")


@pytest.mark.parametrize("kind", ["list[int]", "list[float]", "list[bool]"])
def test_an_empty_list_holds_items_of_any_type(kind: str) -> None:
    assert fit([], parse_kind(kind), "x").held.dtype == parse_kind(kind).dtype


@pytest.mark.parametrize(
    ("value", "annotated", "kind"),
    [
        (True, "int", "bool"),
        (True, "float", "bool"),
        (np.True_, "int", "bool_"),
        (1, "bool", "int"),
        (1, "float", "float"),
        (np.uint8(1), "float", "uint8"),
        (np.int64(1), "float64", "int64"),
        (np.float32(1), "float", "float32"),
        (0.5, "int", "int"),
        (np.int8(1), "int", "int8"),
    ],
)
def test_a_number_has_the_kind_that_python_computes_with(value: Any, annotated: str, kind: str) -> None:
    assert refined(value, parse_kind(annotated)).text == kind


@pytest.mark.parametrize(
    "value", [np.longdouble(1), np.ones(()), np.ones(1, complex), "a", (1, 2), {}, [None], [[1], 2]]
)
def test_what_no_function_takes_has_no_kind(value: Any) -> None:
    with pytest.raises(ArgumentTypeError):
        kind_of(value, "x")


@pytest.mark.parametrize(
    ("value", "kind", "error"),
    [
        (0.5, "int", ArgumentTypeError),
        (2**63, "int", ArgumentValueError),
        (300, "uint8", ArgumentValueError),
        (-1, "uint8", ArgumentValueError),
        (1, "bool", ArgumentTypeError),
        ([2**53 + 1, 0.5], "list[float]", ArgumentValueError),
        ([2**53 + 1, 1], "list[float]", ArgumentValueError),
        ([2**63, -1], "list[int]", ArgumentValueError),
        ([True, 2], "list[bool]", ArgumentTypeError),
        ([0.5], "list[int]", ArgumentTypeError),
        ([1.0], "list[list[float]]", ArgumentTypeError),
        (np.ones(2), "float64[:, :]", ArgumentTypeError),
    ],
)
def test_what_does_not_fit_is_refused(value: Any, kind: str, error: type[LiftError]) -> None:
    with pytest.raises(error):
        fit(value, parse_kind(kind), "x")


@pytest.mark.parametrize("text", ["[n] -> { : n > 0 }", "k >= 1", "n.real >= 1", "f(n)", "'n' == n", "B.shape[0] == n"])
def test_what_no_call_can_check_is_refused(text: str) -> None:
    with pytest.raises(LiftError, match="TL524"):
        read_conditions([Precondition(text, "a reason", condition=parse_condition(text))], {"n"}, {"A"})


def test_conditions_on_sizes_and_on_memory_are_told_apart() -> None:
    texts = ["n >= 2", "A.shape[1] == n", "A shares no memory with B, C", "C shares no memory with D", "n is one int64"]
    listed = [Precondition(text, "a reason", condition=parse_condition(text)) for text in texts]
    on_sizes, separations = read_conditions(listed, {"n"}, {"A", "B"})
    assert [p.text for p in on_sizes] == texts[:2]
    assert [(s.name, s.others) for s in separations] == [("A", ("B",))]


def test_memory_is_shared_where_it_overlaps() -> None:
    def of(value: Any) -> Argument:
        return Argument(value, np.asarray(value))

    def apart(one: Any, other: Any, *, unless_same: bool = False) -> bool:
        return not share_memory(of(one), of(other), unless_same=unless_same)

    x, row = np.zeros((4, 4)), [1.0, 2.0]
    assert not apart(x, x[2:])
    assert not apart(x, x)
    assert not apart(x, x.T, unless_same=True)
    assert apart(x, x, unless_same=True)
    assert apart(x[:, ::2], x[:, 1::2])
    assert not apart([row, [3.0, 4.0]], [[1.0, 2.0], row])
    assert not apart(row, row)
    assert apart(row, row, unless_same=True)
    assert apart([[1.0]], [[1.0]])
    assert not overlaps_itself(of(x[::-1, ::2].T))
    assert overlaps_itself(of(np.lib.stride_tricks.sliding_window_view(x[0], 2)))
