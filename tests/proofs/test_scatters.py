"""Stores at places that depend on data: right programs are proved, those that write elsewhere or in no order not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tensorlift.proofs.failure import DIVISOR, LOOP, MEMORY, OBLIGATION, UNEQUAL, UNREADABLE

if TYPE_CHECKING:
    from tests.proofs.conftest import Accept, Reject

COUNT = "void f(int n, int m, const int *k, int h[m]) { for (int i = 0; i < n; i++) h[k[i]]++; }"
SUM = (
    "void f(int n, int m, const int *k, const double *v, double h[m]) { for (int i = 0; i < n; i++) h[k[i]] += v[i]; }"
)
MAX = """void f(int n, int m, const int *k, const double *v, double h[m]) {
  for (int i = 0; i < n; i++) if (h[k[i]] < v[i]) h[k[i]] = v[i]; }"""
PRODUCT = SUM.replace("+=", "*=")
PRODUCT_OF_ROWS = """void f(int n, int m, const int k[n][n], const double *v, double h[m]) {
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) h[k[i][j]] *= v[j]; }"""
PAIRS = """void f(int n, int m, const int *r, const int *c, double h[m][m]) {
  for (int i = 0; i < n; i++) h[r[i]][c[i]] += 2; }"""
ROWS = """void f(int n, int m, int d, const int *k, const double v[n][d], double h[m][d]) {
  for (int i = 0; i < n; i++) for (int j = 0; j < d; j++) h[k[i]][j] += v[i][j]; }"""
SOME = """void f(int n, int m, const int *k, const double *v, double h[m]) {
  for (int i = 0; i < n; i++) if (v[i] > 0) h[k[i]] += v[i]; }"""
LAST = (
    "void f(int n, int m, const int *k, const double *v, double h[m]) { for (int i = 0; i < n; i++) h[k[i]] = v[i]; }"
)
FIRST = """void f(int n, int m, const int *k, const double *v, double h[m]) {
  for (int i = n - 1; i >= 0; i--) h[k[i]] = v[i]; }"""
MARK = "void f(int n, int m, const int *k, double h[m]) { for (int i = 0; i < n; i++) h[k[i]] = 1; }"
ONE_HOT = """void f(int n, int m, const int *k, double h[n][m]) {
  for (int i = 0; i < n; i++) h[i][k[i]] = 1; }"""
LAST_OF_PAIRS = """void f(int n, int m, const int *r, const int *c, const double *v, double h[m][m]) {
  for (int i = 0; i < n; i++) h[r[i]][c[i]] = v[i]; }"""
THROUGH = """void f(int n, int m, int s, const int *k, const int *g, const double *v, const double x[s], double h[m]) {
  for (int i = 0; i < n; i++) h[k[i]] = v[i] - x[g[i]]; }"""
THROUGH_SOME = THROUGH.replace("h[k[i]] =", "if (v[i] > 0) h[k[i]] =")
DIVIDED = """void f(int n, int m, const int *k, const int *e, const int *v, int h[m]) {
  for (int i = 0; i < n; i++) h[k[i]] = v[i] % e[i]; }"""
DIVIDED_SOME = DIVIDED.replace("h[k[i]] =", "if (v[i] > 0) h[k[i]] =")
IN_RANGE = """void f(int n, int m, const int *k, int h[m]) {
  for (int i = 0; i < n; i++) if (k[i] >= 0 && k[i] < m) h[k[i]]++; }"""
UP_TO = """void f(int n, int m, const int *k, int h[m]) {
  for (int i = 0; i < n; i++) if (h[k[i]] < 9) h[k[i]] += 2; }"""
COUNTED = "np.where(k < h.shape[0], np.where(k >= 0, np.int32(1), 0), 0)"
STORED = "for i in range(k.shape[0]):\n        h[{}] = {}"
LATEST = """last = np.full(h.shape[0], -1, dtype=np.int64)
    np.maximum.at(last, {}, {})
    at = np.where(last >= 0, np.maximum(last, 0), 0)
    h = np.where(last >= 0, {}, h)"""
OF_SOME = "np.where(v > 0, k, 0)", "np.where(v > 0, np.arange(v.shape[0]), -9223372036854775808)"
CHOSEN = "np.where(h[k[i]] < 9, k[i], 0)"

RIGHT = [
    (IN_RANGE, "k, h", f"np.add.at(h, np.where(k < h.shape[0], np.where(k >= 0, k, 0), 0), {COUNTED})"),
    (IN_RANGE, "k, h", f"np.add.at(h, np.where((k < h.shape[0]) & (k >= 0), k, 0), {COUNTED})"),
    (UP_TO, "k, h", STORED.format(CHOSEN, f"np.where(h[k[i]] < 9, h[k[i]] + 2, h[{CHOSEN}])")),
    (UP_TO, "k, h", STORED.format("k[i]", "np.where(h[k[i]] < 9, h[k[i]] + 2, h[k[i]])")),
    (COUNT, "k, h", "np.add.at(h, k, 1)"),
    (COUNT, "k, h", "np.add.at(h, k[::-1], np.int32(1))"),
    (SUM, "k, v, h", "np.add.at(h, k, v)"),
    (SUM, "k, v, h", "np.add.at(h, k, v + v)\n    np.add.at(h, k, -v)"),
    (MAX, "k, v, h", "np.maximum.at(h, k, v)"),
    (PRODUCT, "k, v, h", "np.multiply.at(h, k, v)"),
    (PRODUCT, "k, v, h", "np.multiply.at(h, k[::-1], v[::-1])"),
    (PRODUCT_OF_ROWS, "k, v, h", "np.multiply.at(h, k, v[None])"),
    (PAIRS, "r, c, h", "np.add.at(h, (r, c), 2.0)"),
    (ROWS, "k, v, h", "np.add.at(h, k, v)"),
    (ROWS, "k, v, h", "np.add.at(h, (k[:, None], np.arange(v.shape[1])), v)"),
    (SOME, "k, v, h", "np.add.at(h, np.where(v > 0, k, 0), np.where(v > 0, v, 0.0))"),
    (LAST, "k, v, h", "h[k] = v"),
    (FIRST, "k, v, h", "h[k[::-1]] = v[::-1]"),
    (THROUGH, "k, g, v, x, h", "h[k] = v - x[g]"),
    (DIVIDED, "k, e, v, h", "h[k] = np.fmod(v, e)"),
    (MARK, "k, h", "h[k] = 1"),
    (MARK, "k, h", "h[k[::-1]] = 1"),
    (ONE_HOT, "k, h", "h[np.arange(k.shape[0]), k] = 1"),
]
WRONG = [
    (IN_RANGE, "k, h", f"np.add.at(h, np.where(k < h.shape[0], np.where(k > 0, k, 0), 0), {COUNTED})", OBLIGATION),
    (IN_RANGE, "k, h", f"np.add.at(h, np.where(k < h.shape[0], k, 0), {COUNTED})", OBLIGATION),
    (IN_RANGE, "k, h", f"np.add.at(h, np.where(k >= 0, k, 0), {COUNTED})", OBLIGATION),
    (IN_RANGE, "k, h", "np.add.at(h, np.where((k < h.shape[0]) & (k >= 0), k, 0), np.int32(1))", UNEQUAL),
    (UP_TO, "k, h", STORED.format("k[i]", "np.where(h[k[i]] <= 9, h[k[i]] + 2, h[k[i]])"), LOOP),
    (UP_TO, "k, h", STORED.format("k[i]", "np.where(h[k[i]] < 9, h[0] + 2, h[k[i]])"), LOOP),
    (UP_TO, "k, h", STORED.format("k[i]", "np.where(h[k[0]] < 9, h[k[i]] + 2, h[k[i]])"), OBLIGATION),
    (UP_TO, "k, h", STORED.format(CHOSEN, "np.where(h[k[i]] < 9, h[k[i]] + 2, h[k[i]])"), LOOP),
    (COUNT, "k, h", "np.add.at(h, k, 2)", UNEQUAL),
    (COUNT, "k, h", "h[k] += 1", UNEQUAL),
    (COUNT, "k, h", "np.add.at(h, k + 1, 1)", OBLIGATION),
    (COUNT, "k, h", "np.add.at(h, -k, 1)", OBLIGATION),
    (COUNT, "k, h", "np.add.at(h, k[1:], 1)", UNEQUAL),
    (COUNT, "k, h", "np.maximum.at(h, k, 1)", UNEQUAL),
    (COUNT, "k, h", "np.add.at(h[:], k, 1)", UNREADABLE),
    (COUNT, "k, h", "np.add.at(k, k, 1)", OBLIGATION),
    (SUM, "k, v, h", "np.add.at(h, k, v[::-1])", UNEQUAL),
    (SUM, "k, v, h", "np.add.at(h, k[::-1], v)", UNEQUAL),
    (SUM, "k, v, h", "h[k] += v", UNEQUAL),
    (SUM, "k, v, h", "np.add.at(h, k, v)\n    np.add.at(h, k, v)", UNEQUAL),
    (SUM, "k, v, h", "np.add.at(h, k, h[k])", UNEQUAL),
    (MAX, "k, v, h", "np.minimum.at(h, k, v)", UNEQUAL),
    (MAX, "k, v, h", "h[k] = np.maximum(h[k], v)", UNEQUAL),
    (PRODUCT, "k, v, h", "np.multiply.at(h, k, v[::-1])", UNEQUAL),
    (PRODUCT, "k, v, h", "np.multiply.at(h, k, v)\n    np.multiply.at(h, k, v)", UNEQUAL),
    (PRODUCT, "k, v, h", "h[k] *= v", UNEQUAL),
    (PRODUCT, "k, v, h", "np.add.at(h, k, v)", UNEQUAL),
    (PRODUCT_OF_ROWS, "k, v, h", "np.multiply.at(h, k, v[:, None])", UNEQUAL),
    (PRODUCT_OF_ROWS, "k, v, h", "np.multiply.at(h, k[1:], v[None])", UNEQUAL),
    (PRODUCT_OF_ROWS, "k, v, h", "np.multiply.at(h, k.T, v[None])", UNEQUAL),
    (PRODUCT_OF_ROWS, "k, v, h", "np.multiply.at(h, k, v)", UNREADABLE),
    (PAIRS, "r, c, h", "np.add.at(h, (c, r), 2.0)", UNEQUAL),
    (PAIRS, "r, c, h", "np.add.at(h, r, 2.0)", UNEQUAL),
    (ROWS, "k, v, h", "np.add.at(h, (slice(None), k), v)", OBLIGATION),
    (SOME, "k, v, h", "np.add.at(h, k, np.where(v > 0, v, 0.0))", OBLIGATION),
    (SOME, "k, v, h", "np.add.at(h, np.where(v >= 0, k, 0), np.where(v > 0, v, 0.0))", OBLIGATION),
    (SOME, "k, v, h", "np.add.at(h, np.where(v > 0, k, 0), v)", UNEQUAL),
    (LAST, "k, v, h", "h[k[::-1]] = v[::-1]", UNEQUAL),
    (LAST, "k, v, h", "np.add.at(h, k, v)", UNEQUAL),
    (FIRST, "k, v, h", "h[k] = v", UNEQUAL),
    (THROUGH, "k, g, v, x, h", "h[k] = v - x[g[::-1]]", UNEQUAL),
    (THROUGH, "k, g, v, x, h", "h[k] = v - x[k]", OBLIGATION),
    (THROUGH, "k, g, v, x, h", "h[g] = v - x[g]", OBLIGATION),
    (THROUGH, "k, g, v, x, h", "h[k[::-1]] = (v - x[g])[::-1]", UNEQUAL),
    (DIVIDED, "k, e, v, h", "h[k] = np.fmod(e, v)", DIVISOR),
    (DIVIDED_SOME, "k, e, v, h", LATEST.format(*OF_SOME, "np.fmod(v, e)[at]"), DIVISOR),
    (THROUGH_SOME, "k, g, v, x, h", "h[k] = v - x[g]", OBLIGATION),
    (THROUGH_SOME, "k, g, v, x, h", LATEST.format(*OF_SOME, "(v - x[g])[at]"), OBLIGATION),
    (MARK, "k, h", "h[k] = 2", UNEQUAL),
    (MARK, "k, h", "h[0] = 1", UNEQUAL),
    (ONE_HOT, "k, h", "h[k, np.arange(k.shape[0])] = 1", OBLIGATION),
    (ONE_HOT, "k, h", "h[:, k] = 1", UNEQUAL),
    (LAST_OF_PAIRS, "r, c, v, h", "h[r, c] = v", UNREADABLE),  # NumPy may run backwards through several index arrays
]

IN_TORCH = [
    (COUNT, "k, h", "h.index_add_(0, k, torch.ones_like(k))"),
    (COUNT, "k, h", "h.index_put_((k,), torch.as_tensor(1, dtype=torch.int32), accumulate=True)"),
    (SUM, "k, v, h", "h.index_add_(dim=0, index=k, source=v)"),
    (MAX, "k, v, h", 'h.scatter_reduce_(0, k.to(torch.int64), v, "amax")'),
    (PAIRS, "r, c, h", "h.index_put_((r, c), torch.as_tensor(2.0, dtype=h.dtype), accumulate=True)"),
    (ROWS, "k, v, h", "h.index_add_(0, k, v)"),
    (MARK, "k, h", "h[k] = 1"),
]
WRONG_IN_TORCH = [
    (COUNT, "k, h", "h.index_add_(0, k, k)", UNEQUAL),
    (COUNT, "k, h", "h.index_put_((k,), torch.as_tensor(1, dtype=torch.int32), accumulate=False)", UNREADABLE),
    (COUNT, "k, h", 'h.scatter_reduce_(0, k, torch.ones_like(k), "amax")', UNEQUAL),
    (COUNT, "k, h", "h.index_add_(0, k.to(torch.int16), torch.ones_like(k))", UNREADABLE),
    (COUNT, "k, h", "h.index_add_(0, k, torch.as_tensor(1, dtype=torch.int32))", UNREADABLE),
    (COUNT, "k, h", "h.index_add_(0, k, torch.ones_like(k, dtype=torch.int64))", UNREADABLE),
    (COUNT, "k, h", "h = h.index_add_(0, k, torch.ones_like(k))", UNREADABLE),
    (COUNT, "k, h", "h[:].index_add_(0, k, torch.ones_like(k))", UNREADABLE),
    (SUM, "k, v, h", "h.index_add_(0, k, v.flip(0))", UNEQUAL),
    (SUM, "k, v, h", "h.index_add_(0, k + 1, v)", OBLIGATION),
    (SUM, "k, v, h", "h.index_add_(0, k, v[1:])", OBLIGATION),
    (SUM, "k, v, h", "h.index_add_(0, k, h[: k.shape[0]])", MEMORY),
    (MAX, "k, v, h", 'h.scatter_reduce_(0, k.to(torch.int64), v, "amin")', UNEQUAL),
    (MAX, "k, v, h", 'h.scatter_reduce_(0, k.to(torch.int64), v, "mean")', UNREADABLE),
    (MAX, "k, v, h", 'h.scatter_reduce_(0, k.to(torch.int64), v, "amax", include_self=False)', UNREADABLE),
    (PAIRS, "r, c, h", "h.index_put_((c, r), torch.as_tensor(2.0, dtype=h.dtype), accumulate=True)", UNEQUAL),
    (ROWS, "k, v, h", "h.index_add_(1, k, v)", OBLIGATION),
    (LAST, "k, v, h", "h[k] = v", UNREADABLE),  # in no certain order
]


def _program(parameters: str, body: str, *, copies: bool = True) -> str:
    copy = "    h = h.copy()\n" * copies
    return f"def f({parameters}):\n{copy}    {body}\n    return h\n"


@pytest.mark.in_turns(2)
@pytest.mark.parametrize(("source", "parameters", "body"), RIGHT)
def test_an_update_where_the_source_writes_is_proved(accept: Accept, source: str, parameters: str, body: str) -> None:
    accept(source, _program(parameters, body))


@pytest.mark.in_turns(2)
@pytest.mark.parametrize(("source", "parameters", "body", "code"), WRONG)
def test_another_update_is_rejected(reject: Reject, source: str, parameters: str, body: str, code: str) -> None:
    assert reject(source, _program(parameters, body)) == code


@pytest.mark.parametrize(("source", "parameters", "body"), IN_TORCH)
def test_an_update_of_torch_where_the_source_writes_is_proved(
    accept: Accept, source: str, parameters: str, body: str
) -> None:
    accept(source, _program(parameters, body).replace("copy", "clone"), target="torch")


@pytest.mark.parametrize(("source", "parameters", "body", "code"), WRONG_IN_TORCH)
def test_another_update_of_torch_is_rejected(
    reject: Reject, source: str, parameters: str, body: str, code: str
) -> None:
    assert reject(source, _program(parameters, body).replace("copy", "clone"), target="torch") == code


def test_an_argument_is_not_updated(reject: Reject) -> None:
    assert reject(COUNT, _program("k, h", "np.add.at(h, k, 1)", copies=False)) == MEMORY


def test_a_view_of_what_is_updated_is_no_operand(reject: Reject) -> None:
    assert reject(SUM, _program("k, v, h", "np.add.at(h, k, h[: k.shape[0]])")) in {MEMORY, OBLIGATION}


def test_an_update_gives_no_value(reject: Reject) -> None:
    assert reject(COUNT, _program("k, h", "h = np.add.at(h, k, 1)")) == UNREADABLE
