"""Directives of OpenMP in Fortran keep the sequential meaning of a loop, or refuse the procedure by their line."""

from __future__ import annotations

import pytest

from tensorlift.frontends.fortran.directives import not_sequential
from tensorlift.frontends.fortran.procedures import parse_fortran

pytest.importorskip("fparser")
_HEAD = """subroutine f(n, m, x, s)
  integer, intent(in) :: n, m
  real(8), intent(inout) :: x(n), s
  integer :: i, k
  real(8) :: t, w(4)
"""
_KEPT = {
    "a loop": "!$omp parallel do\ndo i = 1, n\nx(i) = 0\nend do\n!$omp end parallel do\n",
    "clauses": "!$omp parallel do default(none) shared(x, n) &\n!$omp schedule(static, 4), num_threads(2) private(t)\n"
    "do i = 1, n\nt = x(i)\nx(i) = t\nend do\n",
    "a reduction": "!$omp parallel do reduction(+:s)\ndo i = 1, n\ns = s + x(i)\nend do\n",
    "a greatest": "!$omp parallel do reduction(max:s)\ndo i = 1, n\nif (x(i) > s) s = x(i)\nend do\n",
    "a region that is a loop": "!$omp parallel private(t)\n!$omp do reduction(max:s)\ndo i = 1, n\nt = x(i)\n"
    "s = max(s, t)\nend do\n!$omp end do nowait\n!$omp end parallel\ns = 2*s\n",
    "lanes": "!$omp simd\ndo i = 1, n\nx(i) = 0\nend do\n",
    "an atomic update": "!$omp parallel do\ndo i = 1, n\n!$omp atomic\ns = s + x(i)\nend do\n",
    "a value in each branch": "!$omp parallel do private(t)\ndo i = 1, n\nif (x(i) > 0) then\nt = 1\nelse\nt = 2\n"
    "end if\nx(i) = t\nend do\n",
    "a counter that counts again": "!$omp parallel do\ndo i = 1, n\nx(i) = 0\nend do\ndo i = 1, n\nx(i) = i\nend do\n",
    "an inner loop": "do k = 1, 3\n!$omp parallel do\ndo i = 1, n\nx(i) = x(i) + k\nend do\nend do\n",
    "OpenACC": "!$acc parallel loop copy(x)\ndo i = 1, n\nx(i) = 0\nend do\n",
    "hints": "!dir$ ivdep\n!GCC$ unroll 4\ndo i = 1, n\nx(i) = 0\nend do\n",
}
_REFUSED = {
    "a region": "!$omp parallel\ns = s + 1\n!$omp end parallel\n",
    "a region with more": "!$omp parallel\n!$omp do\ndo i = 1, n\nx(i) = 0\nend do\n!$omp end do\n"
    "s = s + 1\n!$omp end parallel\n",
    "a counter that is read": "!$omp parallel do\ndo i = 1, n\nx(i) = 0\nend do\ns = i\n",
    "a private variable that is read": "!$omp parallel do private(t)\ndo i = 1, n\nt = x(i)\nend do\ns = t\n",
    "one that is read before": "!$omp parallel do private(t)\ndo i = 1, n\nx(i) = t\nt = 1\nend do\n",
    "one that is read in a later turn": "do k = 1, 2\nx(1) = t\n!$omp parallel do private(t)\n"
    "do i = 1, n\nt = x(i)\nend do\nend do\n",
    "one that may have no value": "!$omp parallel do private(t)\ndo i = 1, n\nif (x(i) > 0) t = 1\nx(i) = t\nend do\n",
    "a private argument": "!$omp parallel do private(s)\ndo i = 1, n\ns = x(i)\nend do\n",
    "another operator": "!$omp parallel do reduction(*:s)\ndo i = 1, n\ns = s + x(i)\nend do\n",
    "a reduction that is read": "!$omp parallel do reduction(+:s)\ndo i = 1, n\ns = s + x(i)\nx(i) = s\nend do\n",
    "a least that is called a greatest": "!$omp parallel do reduction(max:s)\ndo i = 1, n\n"
    "if (x(i) < s) s = x(i)\nend do\n",
    "an offload": "!$omp target teams distribute parallel do\ndo i = 1, n\nx(i) = 0\nend do\n",
    "sections": "!$omp sections\n!$omp section\nx(1) = 0\n!$omp end sections\n",
    "default(private)": "!$omp parallel do default(private) shared(x)\ndo i = 1, n\nx(i) = 0\nend do\n",
    "a line for OpenMP": "!$ s = 1\ndo i = 1, n\nx(i) = s\nend do\n",
    "no loop": "!$omp parallel do\nx(1) = 0\n",
    "an atomic update elsewhere": "!$omp atomic\ns = s + x(1)\n",
}  # fmt: skip


def _wrong(body: str, name: str = "f.f90", head: str = _HEAD) -> tuple[int, str] | None:
    return not_sequential(parse_fortran(f"{head}{body}end subroutine\n", name).procedures["f"])


@pytest.mark.parametrize("name", _KEPT)
def test_keeps_the_sequential_meaning(name: str) -> None:
    assert _wrong(_KEPT[name]) is None


@pytest.mark.parametrize("name", _REFUSED)
def test_may_mean_something_else(name: str) -> None:
    found = _wrong(_REFUSED[name])
    assert found is not None
    assert (_HEAD + _REFUSED[name]).split("\n")[found[0] - 1].strip().startswith("!$")


def test_fixed_form_has_its_own_sentinels_and_continuations() -> None:
    head = "      subroutine f(n, x)\n      integer n, i\n      real x(n), t\n"
    loop = "      do 10 i = 1, n\n      t = x(i)\n10    x(i) = 2*t\n"
    assert _wrong(f"c$omp parallel do\n*$omp& private(t)\n{loop}      ", "f.f", head) is None
    assert _wrong(f"!$omp parallel do\nC$OMP+reduction(+:t)\n{loop}      ", "f.f", head) == (
        4,
        "!$omp parallel do reduction(+:t)",
    )


@pytest.mark.parametrize(("declared", "named"), [("real(8), save :: t", "t"), ("common /own/ t", "/own/")])
def test_a_threadprivate_variable_is_of_one_thread(declared: str, named: str) -> None:
    head = f"subroutine f(n, x)\ninteger :: n, i\nreal(8) :: x(n)\n{declared}\n!$omp threadprivate({named})\n"
    assert _wrong("!$omp parallel do\ndo i = 1, n\nx(i) = t\nend do\n", head=head) is not None
    assert _wrong("do i = 1, n\nx(i) = t\nend do\n", head=head) is None
