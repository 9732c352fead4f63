"""Both halves are proved of what a statement of Fortran says of whole arrays, where loops at one place are several."""

from __future__ import annotations

import pytest

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.record import Level
from tensorlift.source import source_from_text

pytest.importorskip("fparser")

_STATEMENTS = {
    "two reads of one array go into an inner loop": "do k = 1, n - 1\nx = x + m(:, k)*(v(k+1) - v(k))\nend do",
    "what is computed of reads goes into an inner loop": "do k = 1, n\nm(:, k) = m(:, k) + c*v(k)*x\nend do",
    "the rest of a sum decides": "do j = 1, n\ndo k = 1, n\nif (mod(j + k, 2) == 1) m(j,k) = x(k)\nend do\nend do",
    "the first place of an extreme": "at = minloc(m, dim=2)\nk = maxloc(x, dim=1, mask=v > 0)\nc = k",
    "what depends on data, in the line of its condition": "c = norm2(x)\nif (c > 0) x = x/c",
    "a sum that begins at the greatest of two places": "do j = 1, n\nx(j) = c\ndo k = max(1, j - 3), min(n, j + 1)\n"
    "x(j) = x(j) + m(k,j)*v(k)\nend do\nend do",
    "a loop down to the greatest of two places": "do j = n, 1, -1\nx(j) = x(j)/m(j,j)\n"
    "do k = j - 1, max(1, j - 2), -1\nx(k) = x(k) - x(j)*m(k,j)\nend do\nend do",
    "a count of data, beside a loop that stays": "do k = 1, n\nx = x*c + v\nat(1) = at(1) + 1\nend do",
    "a temporary array in a loop that stays": "do k = 1, n\nx(2:n-1) = x(:n-2)*c + x(3:)\nend do",
    "a sweep over one colour": "do j = 1, n\ndo k = 1 + mod(j + 1, 2), n, 2\nm(j,k) = c*x(k)\nend do\nend do",
    "a number of each iteration, for a loop that stays": "do k = 1, n\nx(k) = sum(m(:,k))/sum(v)\nend do",
    "a gather of all": "x = v(at)",
    "two gathers": "x(2:) = v(at(2:)) + v(at(:n-1))",
    "the greatest of two arrays": "c = max(maxval(x), maxval(v))",
    "a place in a packed triangle, which is a sum": "l = 1\ndo j = 1, n\nk = l\ndo i = 1, j - 1\n"
    "v(i) = v(i) + c*x(k)*m(i,j)\nk = k + 1\nend do\nl = l + j\nend do",
    "a place that moves from where a band ends": "l = 1\ndo j = 1, n\nc = 0\nk = l\ndo i = max(1, j - 3), j\n"
    "c = c + m(i,j)*v(k)\nk = k + 1\nend do\nx(j) = x(j) + c\nif (j > 3) l = l + 1\nend do",
    "a place that moves down from where a band ends": "l = n\ndo j = n, 1, -1\nc = 0\nk = l\n"
    "do i = min(n, j + 3), j, -1\nc = c + m(i,j)*v(k)\nk = k - 1\nend do\nx(j) = x(j) + c\n"
    "if (n - j >= 3) l = l - 1\nend do",
    "sizes and data that end a run": "if (n == 1 .or. c == 0) return\ndo k = 1, n\nx(k) = x(k)/v(n)\nend do",
    "a number that is copied in a loop that stays": "do j = 1, n\nr = sqrt(m(j,j) - sum(m(j,:j-1)**2))\nm(j,j) = r\n"
    "m(j+1:,j) = (m(j+1:,j) - matmul(m(j+1:,:j-1), m(j,:j-1)))/r\nend do",
    "the norm of a difference, relative to another": "c = sqrt(sum((x - v)**2))/max(maxval(abs(v)), 1d-3)",
}


@pytest.mark.parametrize("statement", _STATEMENTS)
def test_whole_arrays_have_both_halves_proved(statement: str) -> None:
    text = "subroutine f(n, x, v, m, at, c)\ninteger :: n, at(n)\nreal(8) :: x(n), v(n), m(n, n), c\n"
    text += f"integer :: k\n{_STATEMENTS[statement]}\nend subroutine\n"
    (function,) = lift_source(source_from_text(text, "f.f90"), LiftOptions()).functions
    assert function.lifted, function.diagnostics
    assert function.definitions is Level.PROVED, function.undecided
