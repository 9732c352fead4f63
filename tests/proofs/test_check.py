"""The checker accepts right programs and rejects wrong ones, each for its reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tensorlift.ir.cut import Cut
from tensorlift.proofs.failure import DIVISOR, INTERFACE, LOOP, MEMORY, OBLIGATION, UNEQUAL, UNREADABLE

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.proofs import Certificate

SCALE = "void f(int n, double a[n], double b[n]) { for (int i = 0; i < n; i++) b[i] = 2.0 * a[i] + 1.0; }"
GEMM = """
void f(int m, int n, int k, double a[m][k], double b[k][n], double c[m][n]) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      c[i][j] = 0.0;
      for (int l = 0; l < k; l++) c[i][j] += a[i][l] * b[l][j];
    }
}"""
STENCIL = "void f(int n, double a[n], double b[n]) { for (int i = 1; i < n - 1; i++) b[i] = a[i - 1] + a[i + 1]; }"
LARGEST = (
    "double f(int n, double a[n]) { double m = a[0]; for (int i = 1; i < n; i++) if (a[i] > m) m = a[i]; return m; }"
)
TWICE = """void f(int n, double a[n], double *s, double *t) {
  double x = 0;
  for (int i = 0; i < n; i++) x += a[i];
  *s = x;
  *t = x;
}"""
TAIL = "void f(int n, double a[n], double b[n]) { for (int i = 3; i < n; i++) b[i] = a[i]; }"
DIVIDE = "void f(int n, int a[n], int b[n]) { for (int i = 0; i < n; i++) b[i] = a[i] / b[i]; }"
GUARDED = (
    "void f(int n, int a[n], int b[n], int c[n]) { for (int i = 0; i < n; i++) c[i] = b[i] == 0 ? 7 : a[i] / b[i]; }"
)
APART = (
    "void f(int n, short a[n], short b[n], short c[n], int d[n]) {"
    " for (int i = 0; i < n; i++) d[i] = b[i] != c[i] ? a[i] / (b[i] - c[i]) : 7; }"
)
APART_TEXT = """
def f(a, b, c):
    t = b.astype({type}) - c.astype({type})
    return np.where({guard}, tdiv(a.astype({type}), np.where({guard}, t, 1)), 7)
"""
LOWER = """
void f(int n, double a[n][n], double b[n]) {
  for (int i = 0; i < n; i++) { b[i] = 0.0; for (int j = 0; j <= i; j++) b[i] += a[i][j]; }
}"""
FLOATS = "void f(int n, double s, float a[n]) { for (int i = 0; i < n; i++) a[i] = (float)(s * a[i]); }"
TDIV = "def tdiv(a, b):\n    return (a - np.fmod(a, b)) // b\n"


class TestAccepted:
    def test_elementwise(self, accept: Callable[..., object]) -> None:
        accept(SCALE, "def f(a):\n    return a * 2.0 + 1.0\n")

    @pytest.mark.parametrize(
        "product",
        ["a @ b", "np.einsum('il,lj->ij', a, b)", "(b.T @ a.T).T", "(a[:, :, None] * b).sum(axis=1)", "np.dot(a, b)"],
    )
    def test_any_spelling_of_a_product(self, accept: Callable[..., object], product: str) -> None:
        accept(GEMM, f"def f(a, b):\n    return {product}\n")

    def test_slices_inside_an_array(self, accept: Callable[..., object]) -> None:
        accept(STENCIL, "def f(a, b):\n    b = b.copy()\n    b[1:-1] = a[:-2] + a[2:]\n    return b\n")

    def test_slices_that_are_clipped_for_small_sizes(self, accept: Callable[..., Certificate]) -> None:
        program = "def f(a, b):\n    b = b.copy()\n    b[4:] = a[4:]\n    b[3:4] = a[3:4]\n    return b\n"
        assert accept(TAIL, program).cases > 1

    def test_a_largest_element_of_an_array_that_has_some(self, accept: Callable[..., object]) -> None:
        accept(LARGEST, "def f(a):\n    return a.max()\n")

    def test_a_division_that_the_source_does_everywhere(self, accept: Callable[..., object]) -> None:
        accept(DIVIDE, TDIV + "def f(a, b):\n    return tdiv(a, b)\n")

    def test_a_division_whose_divisor_is_guarded(self, accept: Callable[..., object]) -> None:
        accept(GUARDED, TDIV + "def f(a, b):\n    return np.where(b == 0, 7, tdiv(a, np.where(b == 0, 1, b)))\n")

    def test_a_divisor_in_a_wider_type_than_the_guard_compares(self, accept: Callable[..., object]) -> None:
        accept(APART, TDIV + APART_TEXT.format(guard="b != c", type="np.int32"))

    def test_triangles_and_masks(self, accept: Callable[..., object]) -> None:
        for body in ("np.tril(a).sum(axis=1)", "np.einsum('ij,ij->i', a, np.tri(n))"):
            accept(LOWER, f"def f(a):\n    n = a.shape[0]\n    return {body}\n")
        where = "np.where(np.arange(n)[:, None] >= np.arange(n), a, 0.0).sum(axis=1)"
        accept(LOWER, f"def f(a):\n    n = a.shape[0]\n    return {where}\n")

    def test_a_scalar_that_is_given_either_way(self, accept: Callable[..., object]) -> None:
        accept(FLOATS, "def f(s, a):\n    return (s * a.astype(np.float64)).astype(np.float32)\n")

    def test_a_cut_that_does_not_hold_is_ignored(self, accept: Callable[..., object]) -> None:
        accept(SCALE, "def f(a):\n    t = a * 2.0\n    return t + 1.0\n", [Cut(3, "t", "b_1"), Cut(3, "no", "such")])

    def test_a_number_that_is_returned_twice(self, accept: Callable[..., object]) -> None:
        for value in ("a.sum()", "np.sum(a)", "a @ np.ones(a.shape[0])", "a.sum() + 0.0", "np.einsum('i->', a)"):
            accept(TWICE, f"def f(a):\n    s = {value}\n    return s, s\n")
        accept(TWICE, "def f(a):\n    s = np.where(a.shape[0] > 0, a.sum(), 0.0)\n    return s, s.copy()\n")


class TestRejected:
    @pytest.mark.parametrize("value", ["np.full((), a.sum())", "np.where(a.shape[0] > 0, a.sum(), 0.0)"])
    def test_an_array_of_rank_0_that_is_returned_twice(self, reject: Callable[..., str], value: str) -> None:
        assert reject(TWICE, f"def f(a):\n    s = {value}\n    return s, s\n") == MEMORY

    @pytest.mark.parametrize(
        "body",
        [
            "a * 2.0 - 1.0",
            "a[::-1] * 2.0 + 1.0",
            "np.broadcast_to(a[:1] * 2.0 + 1.0, a.shape).copy()",
            "np.where(np.arange(a.shape[0]) < 1, a * 2.0 + 1.0, 0.0)",
        ],
    )
    def test_other_values(self, reject: Callable[..., str], body: str) -> None:
        assert reject(SCALE, f"def f(a):\n    return {body}\n") == UNEQUAL

    @pytest.mark.parametrize(
        ("body", "code"),
        [
            ("(a * 2.0 + 1.0)[:-1]", INTERFACE),
            ("(a * 2.0 + 1.0)[None]", INTERFACE),
            ("(a * 2.0 + 1.0).astype(np.float32)", INTERFACE),
            ("(a * 2.0 + 1.0,)", INTERFACE),
            ("None", INTERFACE),
            ("a * 2.0 + a[1:]", OBLIGATION),
            ("a[5] * a", OBLIGATION),
            ("np.sqrt(a, a)", UNREADABLE),
            ("a.nothing()", UNREADABLE),
            ("eval('a')", UNREADABLE),
            ("[x for x in a]", UNREADABLE),
            ("(lambda x: x)(a)", UNREADABLE),
            ("a if a is None else a", UNREADABLE),
            ("np.add(a, a, out=a)", UNREADABLE),
            ("b * 2.0", UNREADABLE),
        ],
    )
    def test_other_forms(self, reject: Callable[..., str], body: str, code: str) -> None:
        assert reject(SCALE, f"def f(a):\n    return {body}\n") == code

    @pytest.mark.parametrize(
        "program",
        [
            "from os import system\ndef f(a):\n    return a * 2.0 + 1.0\n",
            "import numpy\ndef f(a):\n    return a * 2.0 + 1.0\n",
            "np = 1\ndef f(a):\n    return a * 2.0 + 1.0\n",
            "@np.vectorize\ndef f(a):\n    return a * 2.0 + 1.0\n",
            "def f(a, b=1):\n    return a * 2.0 + 1.0\n",
            "def f(a):\n    global b\n    return a * 2.0 + 1.0\n",
            "def f(a):\n    while True:\n        return a * 2.0 + 1.0\n",
            "def f(a):\n    np = a\n    return np * 2.0 + 1.0\n",
            "def range(a):\n    return a\ndef f(a):\n    return range(a) * 2.0 + 1.0\n",
            "def f(a):\n    return a * 2.0 + 1.0\ndef f(a):\n    return a\n",
            "def f(a) return a",
        ],
    )
    def test_statements_outside_the_sublanguage(self, reject: Callable[..., str], program: str) -> None:
        assert reject(SCALE, program) == UNREADABLE

    @pytest.mark.parametrize("header", ["def g(a):", "def f(c):", "def f(b, a):", "def f(a, i):"])
    def test_other_parameters(self, reject: Callable[..., str], header: str) -> None:
        assert reject(SCALE, f"{header}\n    return 2.0\n") == INTERFACE

    def test_a_largest_element_of_an_array_that_may_be_empty(self, reject: Callable[..., str]) -> None:
        assert reject(LARGEST, "def f(a):\n    return np.maximum(a[0], a[1:].max())\n") == OBLIGATION

    def test_a_division_that_the_source_does_not_do(self, reject: Callable[..., str]) -> None:
        program = TDIV + "def f(a, b):\n    return np.where(b == 0, 7, tdiv(a, b))\n"
        assert reject(GUARDED, program) == DIVISOR

    @pytest.mark.parametrize("guard", ["b >= c", "b != a", "b != -c"])
    def test_a_guard_in_another_type_that_does_not_tell_the_divisor(
        self, reject: Callable[..., str], guard: str
    ) -> None:
        assert reject(APART, TDIV + APART_TEXT.format(guard=guard, type="np.int32")) == DIVISOR

    def test_a_guard_that_guards_something_else(self, reject: Callable[..., str]) -> None:
        program = TDIV + "def f(a, b):\n    return np.where(b == 0, 7, tdiv(a, np.where(b == 1, 1, b)))\n"
        assert reject(GUARDED, program) == DIVISOR

    def test_floor_division_for_a_truncating_one(self, reject: Callable[..., str]) -> None:
        assert reject(DIVIDE, "def f(a, b):\n    return a // b\n") == UNEQUAL

    def test_a_type_that_depends_on_how_a_scalar_is_given(self, reject: Callable[..., str]) -> None:
        assert reject(FLOATS, "def f(s, a):\n    return (s * a).astype(np.float32)\n") == UNREADABLE

    def test_cells_without_values(self, reject: Callable[..., str]) -> None:
        program = "def f(a):\n    b = np.empty(a.shape[0])\n    b[1:] = 2.0 * a[1:] + 1.0\n    return b\n"
        assert reject(SCALE, program) == INTERFACE
        used = "def f(a):\n    b = np.empty(a.shape[0])\n    return a * 2.0 + 1.0 + b * 0.0\n"
        assert reject(SCALE, used) == UNREADABLE

    def test_a_kept_loop_that_the_source_does_not_need(self, reject: Callable[..., str]) -> None:
        program = "def f(a):\n    for i in range(a.shape[0]):\n        b = a * 2.0 + 1.0\n    return b\n"
        assert reject(SCALE, program) == LOOP


TWO = """
void f(int n, double a[n], double b[n], double c[n]) {
  for (int i = 0; i < n; i++) { b[i] = a[i]; c[i] = a[i]; }
}"""


class TestMemory:
    @pytest.mark.parametrize(
        "body",
        [
            "return a.copy(), a",
            "return a.copy(), a[:]",
            "b = a.copy()\n    return b, b",
            "b = a.copy()\n    return b, b[:]",
            "b = a.copy()\n    return np.broadcast_to(b, a.shape), a.copy()",
            "return np.einsum('i->i', a), a.copy()",
            "a[0] = a[0]\n    return a.copy(), a.copy()",
            "a += 0.0\n    return a.copy(), a.copy()",
            "b = a[:]\n    b[:] = a\n    return a.copy(), a.copy()",
            "b = np.broadcast_to(a, a.shape)\n    b[:] = a\n    return a.copy(), a.copy()",
        ],
    )
    def test_outputs_and_stores_need_memory_of_their_own(self, reject: Callable[..., str], body: str) -> None:
        assert reject(TWO, f"def f(a):\n    {body}\n") == MEMORY

    def test_a_name_whose_memory_was_written_has_no_value(self, reject: Callable[..., str]) -> None:
        body = "b = a.copy()\n    c = b[:]\n    b[0] = a[0]\n    return b, c + 0.0"
        assert reject(TWO, f"def f(a):\n    {body}\n") == UNREADABLE

    def test_a_helper_may_not_write_its_argument(self, reject: Callable[..., str]) -> None:
        program = "def g(x):\n    x[0] = x[0]\n    return x\ndef f(a):\n    b = a.copy()\n    return g(b), a.copy()\n"
        assert reject(TWO, program) == MEMORY

    def test_views_of_fresh_memory_may_be_returned(self, accept: Callable[..., object]) -> None:
        accept(TWO, "def f(a):\n    b = (a + 0.0)[:]\n    b[1:] = a[1:]\n    return b, np.stack((a, a))[0]\n")
