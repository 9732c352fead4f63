"""Stores of views of their own memory: those that the checker lets NumPy do write what was there before."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tensorlift import lift
from tensorlift.comprehension import terms
from tensorlift.comprehension.tensor import SymbolicTensor
from tensorlift.poly.affine import Affine
from tensorlift.proofs.execute import Store, writes_old_cells
from tensorlift.proofs.failure import MEMORY
from tensorlift.proofs.values import Buffer, Held
from tensorlift.targets.target import Ellipsis_, NewAxis, Overlaps, Slice

if TYPE_CHECKING:
    from tests.proofs.conftest import Accept, Reject

    from tensorlift.targets.target import SubscriptItem

_EXTENT = 13
_CELLS = 4  # of a line: a slice along one axis, at places along the others


@st.composite
def _lines(draw: st.DrawFn, rank: int) -> str:
    """Draw the subscripts of a line, here and there with more in them."""
    step = draw(st.sampled_from([1, 1, 2, 3, 4, -1, -1, -2, -4]))
    reach = (_CELLS - 1) * abs(step)
    low = draw(st.integers(0, _EXTENT - 1 - reach))
    first, end = (low, low + reach + 1) if step > 0 else (low + reach, low - 1)
    items = [str(draw(st.integers(0, _EXTENT - 1))) for _ in range(rank - 1)]
    items.insert(draw(st.integers(0, rank - 1)), f"{first}:{'' if end < 0 else end}:{step}")
    ahead = draw(st.sampled_from([[], [], [], ["None"], ["..."]]))
    behind = draw(st.sampled_from([[], [], [], ["..."]])) if not ahead else []
    return ", ".join((*ahead, *items, *behind))


_COLUMN_TO_ROW = "void f(int n, double a[n][n]) { for (int k = 1; k < n - 2; k++) a[2][k] = a[k + 2][2]; }"
_SPREAD = "void f(int n, double a[2 * n]) { for (int i = n - 1; i >= 0; i--) a[2 * i + 1] = a[i]; }"
_SHIFT = "void f(int n, double a[n][n]) { for (int k = 0; k < n - 1; k++) a[2][k] = a[2][k + 1]; }"
_SHIFT_ROWS = """void f(int n, double a[n][n]) {
    for (int i = 0; i < n - 1; i++) for (int k = 0; k < n; k++) a[i][k] = a[i + 1][k]; }"""


@settings(max_examples=500)
@given(st.integers(1, 2).flatmap(lambda rank: st.tuples(st.just(rank), _lines(rank), _lines(rank))))
def test_what_the_checker_lets_numpy_store_is_stored_as_it_was(drawn: tuple[int, str, str]) -> None:
    rank, written, read = drawn
    array = np.arange(float(_EXTENT**rank)).reshape((_EXTENT,) * rank)
    names = {"array": array, "expected": array.copy()}
    exec(f"value = array[{read}]", names)
    buffer = Buffer()
    target = _subscript(written)
    value = _held(names["value"].ndim, buffer)
    store = Store(target, _subscript(read), _held(rank, buffer), _items(target), value)
    if writes_old_cells(store, Overlaps.STRIDED):
        exec(f"expected[{written}] = array[{read}]; array[{written}] = array[{read}]", names)
        assert np.array_equal(array, names["expected"])


@pytest.mark.parametrize(
    ("written", "read", "is_old"),
    [
        ("2, 1:5", "3:7, 2", False),
        ("0:6:2", "0:3", False),
        ("2, :-1", "3, ...", False),
        ("2", "3", True),
        ("2, :-1", "3, 1:", True),
        ("1:7", "5::-1", True),
        ("1:, :", ":-1, :", True),
        ("..., 2", "2", False),
        ("..., 1:5, 2", "2, 1:5", False),
    ],
)
def test_of_one_axis_only_parallel_views_are_stored_as_they_were(written: str, read: str, *, is_old: bool) -> None:
    buffer, rank = Buffer(), 1 if ":" in written and "," not in written else 2
    target, source = _subscript(written), _subscript(read)
    store = Store(target, source, _held(rank, buffer), _items(target), _held(1, buffer))
    assert writes_old_cells(store, Overlaps.STRIDED) == is_old
    assert not writes_old_cells(store, Overlaps.LOST)
    assert writes_old_cells(store._replace(value=_held(1, Buffer())), Overlaps.LOST)


@pytest.mark.parametrize(
    ("source", "store"),
    [
        (_COLUMN_TO_ROW, "a[2, 1:-2] = a[3:, 2].copy()"),
        (_SPREAD, "a[1::2] = a[:n].copy()"),
        (_SHIFT, "a[2, :-1] = a[2, 1:]"),
        (_SHIFT_ROWS, "a[:-1] = a[1:]"),
    ],
)
def test_a_view_is_copied_where_numpy_does_not(source: str, store: str, accept: Accept, reject: Reject) -> None:
    program = (lift(source).functions[0].program or "").partition("import numpy as np\n")[2]
    assert store in program
    accept(source, program)
    if store.endswith(".copy()"):
        assert reject(source, program.replace(store, store.removesuffix(".copy()"))) == MEMORY


def test_a_conversion_to_the_type_of_an_array_is_that_array(reject: Reject, accept: Accept) -> None:
    source = "void f(int n, double a[n]) { a[0] = 1.0; }"
    program = "def f(a):\n    b = {}(a)\n    b[0] = 1.0\n    return b\n"
    assert reject(source, program.format("np.float64")) == MEMORY
    accept(source, program.format("np.array"))


def _subscript(text: str) -> ast.Subscript:
    node = ast.parse(f"array[{text}]", mode="eval").body
    assert isinstance(node, ast.Subscript)
    return node


def _held(rank: int, buffer: Buffer) -> Held:
    return Held(SymbolicTensor((Affine(_EXTENT),) * rank, "f64", lambda _: terms.zero("f64")), buffer)


def _items(subscript: ast.Subscript) -> tuple[SubscriptItem, ...]:
    inside = subscript.slice
    return tuple(map(_item, inside.elts if isinstance(inside, ast.Tuple) else [inside]))


def _item(node: ast.expr) -> SubscriptItem:
    if isinstance(node, ast.Slice):
        return Slice()
    value = ast.literal_eval(node)
    if value is None or value is ...:
        return NewAxis() if value is None else Ellipsis_()
    return SymbolicTensor((), "i64", lambda _: terms.one("i64"))
