"""Functions that flags steer are lifted by cases: each case as any other function, the program asks which one it is."""

from __future__ import annotations

import itertools
import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensorlift import lift
from tensorlift.cli import main
from tensorlift.diagnostics import LiftError, Severity
from tensorlift.ir.literal_function import Flag
from tensorlift.joined import covers, when
from tensorlift.pipeline import LiftOptions, lift_source, verify
from tensorlift.record import FunctionRecord, Level
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_PRODUCT = """
extern void tell(int place, const char *text);
void product(int order, int trans, int m, int n, const double *A, const double *x, double *y) {
  if (order != 101 && order != 102) tell(1, "order");
  if (trans != 111 && trans != 112) tell(2, "trans");
  if ((order == 101 && trans == 111) || (order == 102 && trans == 112)) {
    for (int i = 0; i < n; i++) {
      y[i] = 0;
      for (int j = 0; j < m; j++) y[i] += A[i*m + j]*x[j];
    }
  } else {
    for (int i = 0; i < n; i++) {
      y[i] = 0;
      for (int j = 0; j < m; j++) y[i] += A[j*n + i]*x[j];
    }
  }
}
"""
_LETTERS = """
void add(int n, int m, char up, char trans, const double *A, const double *x, double *y) {
  for (int i = 0; i < n; i++) {
    double s = 0;
    if (trans == 'N') for (int j = 0; j < m; j++) s += A[i*m + j]*x[j];
    else for (int j = 0; j < m; j++) s += A[j*n + i]*x[j];
    if (up == 'U') y[i] = s; else y[i] += s;
  }
}
"""


_SCALED = """subroutine scaled(trans, m, n, a, b)
  character, intent(in) :: trans
  integer, intent(in) :: m, n
  double precision, intent(in) :: a(m, *)
  double precision, intent(out) :: b(m, n)
  logical, external :: lsame
  integer :: i, j
  if (.not. lsame(trans, 'N') .and. .not. lsame(trans, 'T')) then
    call xerbla('scaled', 1)
    return
  end if
  do j = 1, n
    do i = 1, m
      if (lsame(trans, 'N')) then
        b(i, j) = 2*a(i, j)
      else
        b(i, j) = 2*a(j, i)
      end if
    end do
  end do
end subroutine
"""


def _lifted(text: str, name: str = "f.c", *, test: bool = False) -> FunctionRecord:
    return lift_source(source_from_text(text, name), LiftOptions(test=test)).functions[0]


def test_the_program_asks_which_case_it_is_and_says_where_it_is_none() -> None:
    found = _lifted(_PRODUCT, test=True)
    assert found.program.split("\n\n\n")[1] == (
        "def product(order, trans, A, x):\n"
        "    if (order, trans) in ((101, 111), (102, 112)):\n"
        "        return A @ x\n"
        "    if (order, trans) in ((101, 112), (102, 111)):\n"
        "        return A.T @ x\n"
        '    raise ValueError(f"no case that is lifted: {order=}, {trans=}")\n'
    )
    assert (found.level, found.definitions, found.restricted) == (Level.PROVED, Level.PROVED, False)
    assert "order in (101, 102) and trans in (111, 112)" in [p.text for p in found.preconditions]
    assert [(trial.against, trial.cases) for trial in found.tests] == [("interpreter", 16), ("compiled", 24)]
    shapes = {parameter.name: parameter.shape for parameter in found.parameters}
    assert shapes["A"] == (
        "n if (order, trans) in ((101, 111), (102, 112)) else m",
        "m if (order, trans) in ((101, 111), (102, 112)) else n",
    )


def test_all_other_integers_are_one_case() -> None:
    found = lift(_LETTERS, cache=False)
    a, x, y = np.arange(6.0).reshape(2, 3), np.arange(3.0), np.arange(2.0)
    assert np.array_equal(found(ord("U"), ord("N"), a, x, y), a @ x)
    assert np.array_equal(found(0, ord("N"), a, x, y), y + a @ x)
    assert np.array_equal(found(ord("L"), ord("T"), a.T.copy(), x, y), y + a @ x)
    with pytest.raises(ValueError, match="invalid literal"):
        found("U", "N", a, x, y)  # no integer, and so not another one either
    assert not [p.text for p in found.preconditions if p.kind == "case"]


def test_fortran_asks_for_letters_in_either_size() -> None:
    pytest.importorskip("fparser")
    found = _lifted(_SCALED, "f.f90")
    assert found.definitions is Level.PROVED
    assert '    if trans == ord("N"):\n' in found.program
    assert '    if trans == ord("T"):\n' in found.program


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("y[i] = order*x[i]", "it is a number too"),
        ("if (order == other) y[i] = x[i]", "it is compared with no constant"),
        ("if (order & 1) y[i] = x[i]", "one bit of it is asked for"),
    ],
)
def test_what_is_used_otherwise_is_no_flag(body: str, why: str) -> None:
    text = f"void f(int order, int other, int n, double *x, double *y) {{ for (int i = 0; i < n; i++) {{ {body}; }} }}"
    found = _lifted(text)
    assert "parts" not in (found.certificate or {}), why


def test_certificates_of_cases_are_decided_one_by_one() -> None:
    certificate = json.loads(json.dumps(_lifted(_PRODUCT).certificate))
    assert verify(certificate) == ()
    assert len(certificate["parts"]) == 4
    changes: tuple[Callable[[Any], object], ...] = (
        lambda one: one["parts"].pop(),
        lambda one: one["parts"][0][0].update(order=[102]),
        lambda one: one.update(program=one["program"].replace("A.T @ x", "A @ x")),
        lambda one: one.update(preconditions=[]),
        lambda one: one["parts"][0].__setitem__(1, one["parts"][1][1]),
        lambda one: one["parts"][0][1].update(program=one["parts"][1][1]["program"]),
        lambda one: one.update(parts=[[{"order": []}, {}]]),
    )
    for change in changes:
        changed = json.loads(json.dumps(certificate))
        change(changed)
        assert [d.code for d in verify(changed)] in (["TL402"], ["TL408"])


def test_programs_in_c_try_one_case_after_the_other() -> None:
    text = """void add(int mode, int n, double *a, const double *b) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (mode == 3) a[i*n + j] += b[i]; else if (mode == 5) a[i*2*n + j] += b[i]; else a[i*3*n + j] += b[i];
}
"""
    (found,) = lift_source(source_from_text(text, "f.c"), LiftOptions(target="c")).functions
    tests = re.findall(r"\bmode [!=<>]=? .*", found.program)
    assert tests == ["mode != 3 && mode != 5", "mode == 5", "mode == 3"]  # those that are called come first
    assert re.findall(r"^    (add\w+)\(mode, n, a, b\);", found.program, re.MULTILINE) == [
        "add_original",
        "add_case_3",
        "add_case_2",
    ]
    certificate = json.loads(json.dumps(found.certificate))
    assert verify(certificate) == ()
    for old, new in [("mode != 3", "mode != 4"), ("add_case_3(mode", "add_original(mode"), ("+= b[i]", "-= b[i]")]:
        changed = certificate | {"program": certificate["program"].replace(old, new)}
        assert [d.code for d in verify(changed)] == ["TL408"]


def test_a_case_without_a_program_in_c_runs_the_original() -> None:
    text = """void add(int mode, int n, double *a) {
  if (mode == 1) for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i*n + j] += 1;
  if (mode == 2) for (int i = 0; i < n; i++) for (int j = 0; j < 2*n; j++) a[i*2*n + j] *= 2;
  if (mode == 3) for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i*n + j] = a[j*(n+1) + i];
}
"""
    (found,) = lift_source(source_from_text(text, "f.c"), LiftOptions(target="c")).functions
    assert found.restricted
    assert "mode in (1, 2)" in [precondition.text for precondition in found.preconditions]
    assert [(d.code, d.severity) for d in found.diagnostics] == [("TL132", Severity.NOTE)]


def test_cases_are_of_one_function() -> None:
    one, other = (json.loads(json.dumps(_lifted(text).certificate)) for text in (_PRODUCT, f"{_PRODUCT}\n"))
    one["parts"][1:] = other["parts"][1:]
    (found,) = verify(one)
    assert "not of one function" in found.message


def test_commands_that_are_about_one_function_take_one_case(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, report = tmp_path / "product.c", tmp_path / "report.json"
    path.write_text(_PRODUCT)

    def shown(command: str, *arguments: str, status: int = 0) -> str:
        assert main([command, str(path), *arguments]) == status
        return "".join(capsys.readouterr())

    assert "help: choose one, for example --case order=101,trans=111" in shown("run", "--sizes", "m=2,n=3", status=2)
    case = "--case", "order=101,trans=111"
    assert "by induction" in shown("explain", *case)
    assert "float64[3]" in shown("run", *case, "--sizes", "m=2,n=3,order=101,trans=111")
    assert "def product(A, x):\n    return A @ x\n" in shown("lift", *case, "-q")
    assert "'order' is no flag" in shown("lift", "--case", "order", status=2)

    shown("lift", "--json", str(report))
    assert main(["verify", str(report), "--source", str(path)]) == 0
    assert "holds, its definitions proved" in capsys.readouterr().out


def test_a_case_of_several_flags_is_what_stands_under_its_question() -> None:
    text = """void f(signed char a, unsigned b, int m, int n, const double *A, const double *x, double *y) {
  for (int i = 0; i < m; i++) {
    double s = 0;
    for (int j = 0; j < n; j++) s += ((a == 30) != (b == 4294967295u) ? A[i*n + j] : A[j*m + i])*x[j];
    y[i] = s;
  }
}
"""
    found = _lifted(text)
    assert found.certificate is not None
    parts: Any = found.certificate["parts"]
    for flags, its in parts:
        case = tuple((name, flag[0]) for name, flag in flags.items())
        (alone,) = lift_source(source_from_text(text, "f.c"), LiftOptions(case=case)).functions
        assert alone.certificate == its


def test_letters_that_an_assertion_leaves_out_are_no_case() -> None:
    text = re.sub(r"  if \(\.not\..*?  end if\n", "", _SCALED, count=1, flags=re.DOTALL)
    pytest.importorskip("fparser")
    found = _lifted(text, "f.f90")
    assert '    if trans == ord("N"):\n' in found.program
    assert '    if trans <= 96 and trans != ord("N"):\n' in found.program
    assert verify(found.certificate or {}) == ()


def test_columns_of_which_nothing_is_declared_are_those_of_the_case() -> None:
    pytest.importorskip("fparser")
    text = """subroutine f(trans, m, n, lda, a, b)
  {type}, intent(in) :: trans
  integer, intent(in) :: m, n, lda
  double precision, intent(in) :: a(lda, *)
  double precision, intent(out) :: b(m, n)
  integer :: i, j
  do j = 1, n
    do i = 1, m
      if ({test}) then
        b(i, j) = a(i, j)
      else
        b(i, j) = a(j, i)
      end if
    end do
  end do
end subroutine
"""
    assert _lifted(text.format(type="logical", test="trans"), "f.f90").restricted  # by `m <= n`
    by_cases = _lifted(text.format(type="integer", test="trans == 1"), "f.f90")
    shapes = {parameter.name: parameter.shape for parameter in by_cases.parameters}
    assert (shapes["a"], by_cases.restricted) == (("lda", "n if trans == 1 else m"), False)


def test_a_program_computes_what_one_case_needs_where_it_does_not_trace_flags() -> None:
    text = "void f(int a, int b, int n, double *x) { for (int i = 0; i < n; i++) x[i] = a == 1 ? 2*x[i] : b == 2; }"
    assert _lifted(text).program.partition("int(b)\n")[2] == (
        "    if a == 1:\n        return 2.0 * x\n    if b == 2:\n        return np.ones(n)\n    return np.zeros(n)\n"
    )
    (traced,) = lift_source(source_from_text(text, "f.c"), LiftOptions(target="jax")).functions
    assert "jnp.where" in traced.program


def test_flags_are_handed_on_to_what_is_called() -> None:
    def last(text: str) -> FunctionRecord:
        return lift_source(source_from_text(text, "f.c"), LiftOptions()).functions[-1]

    found = last("""static float once(float x, int k) {
  switch (k) { case 2: return x > 0; case 5: return 1 - x*x; case 7: return x; }
  return 0;
}
static float twice(float x, int k, int n) { return once(x, k) + (n ? once(2*x, k) : 0); }
void f(int n, int k, float *x) { for (int i = 0; i < n; i++) x[i] = twice(x[i], k, k == 9); }""")
    asked = re.findall(r"^    if (.*):$", str(found.program), re.MULTILINE)
    assert asked == ["k == 2", "k == 5", "k == 7"], found.program
    counted = last("""static float once(float x, int k) { return k == 2 ? x : x * k; }
void f(int n, int k, float *x) { for (int i = 0; i < n; i++) x[i] = once(x[i], k); }""")
    assert "if k ==" not in str(counted.program)


def test_flags_are_negative_and_have_names_of_python() -> None:
    text = """void turn(long dir, int n, const double *x, double *y) {
  if (dir == -1) for (int i = 0; i < n; i++) y[i] = x[n - 1 - i];
  else if (dir == 1) for (int i = 0; i < n; i++) y[i] = 2*x[i];
}
"""
    found, x, y = lift(text, cache=False), np.arange(4.0), np.ones(4)
    assert "if dir_ == -1:\n        return x[::-1].copy()\n" in found.functions[0].program
    for flag, expected in ((-1, x[::-1]), (1, 2 * x), (0, y), (-2, y)):
        assert np.array_equal(found(flag, x, y), expected)
    assert verify(json.loads(json.dumps(_lifted(text).certificate))) == ()


def test_a_case_returns_what_others_write_as_it_was() -> None:
    text = """void least_or_most(_Bool most, int n, const double *x, double *lo, double *hi) {
  if (most) { *hi = x[0]; for (int i = 1; i < n; i++) if (x[i] > *hi) *hi = x[i]; }
  else { *lo = x[0]; for (int i = 1; i < n; i++) if (x[i] < *lo) *lo = x[i]; }
}
"""
    found, x = lift(text, cache=False), np.array([3.0, 1.0, 2.0])
    assert [output.shape for output in found.functions[0].outputs] == [(), ()]
    assert [float(number) for number in found(0, x, 7.0, 8.0)] == [1.0, 8.0]
    assert [float(number) for number in found(1, x, 7.0, 8.0)] == [7.0, 3.0]


_VALUES = [Flag(1), Flag(2), Flag(0, frozenset({1, 2}))]
_CELLS = [dict(zip("abc", values, strict=True)) for values in itertools.product(_VALUES, repeat=3)]


@given(st.lists(st.sampled_from(_CELLS), min_size=1, unique_by=lambda cell: tuple(cell.values())))
def test_conditions_hold_for_the_cases_that_they_name(cells: list[dict[str, Flag]]) -> None:
    text, among = when(cells), when(cells, _CELLS)
    for cell in _CELLS:
        values = {name: flag.number for name, flag in cell.items()}
        assert eval(text, {}, values) == (cell in cells)
        assert eval(among or "True", {}, values) == (cell in cells)
    assert covers(cells) == (len(cells) == len(_CELLS))


def test_there_is_no_adapter_of_several_cases() -> None:
    found = lift(_PRODUCT, cache=False)
    assert not found.functions[0].adapter
    with pytest.raises(LiftError, match="TL541"):
        found.adapter()


def test_an_extent_is_no_flag() -> None:
    text = """void f(int mode, int m, int n, double x[mode], const double *A, double *B) {
  for (int i = 0; i < m; i++) for (int j = 0; j < n; j++)
    if (mode == 3) B[i*n + j] = A[i*n + j] + x[0]; else B[i*n + j] = A[j*m + i];
}"""
    assert "parts" not in (_lifted(text).certificate or {})


_UNSIGNED = """void f(unsigned mode, int m, int n, const double *a, double *b) {
  for (int i = 0; i < m; i++) for (int j = 0; j < n; j++)
    if (mode == 0xffffffffu) b[i*n + j] = a[i*n + j]; else b[i*n + j] = a[j*m + i];
}"""


def test_one_case_is_asked_for_with_or_without_a_sign() -> None:
    source = source_from_text(_UNSIGNED, "f.c")
    for number, program in ((-1, "a.copy()"), (0xFFFFFFFF, "a.copy()"), (5, "a.T.copy()")):
        (found,) = lift_source(source, LiftOptions(case=(("mode", number),))).functions
        assert program in found.program
    for name, number in (("mode", 1 << 32), ("n_", 1), ("a", 1)):
        (refused,) = lift_source(source, LiftOptions(case=((name, number),))).diagnostics
        assert refused.code == "TL544"


@pytest.mark.parametrize("reached", ["struct layer l, l.", "const struct layer *l, l->"])
def test_flags_in_structures_are_flags(reached: str) -> None:
    given, place = reached.split(", ")
    text = f"""struct layer {{ int mode; double w; }};
void f({given}, int n, int m, const double *a, double *b) {{
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++)
    b[i*m + j] = {place}w*({place}mode == 3 ? a[i*m + j] : a[j*n + i]);
}}
"""
    found = _lifted(text, test=True)
    assert found.definitions is Level.PROVED
    assert "    if l_mode == 3:\n        return l_w * a\n" in found.program
    text = text.replace("void f(", "void mode(")
    (in_c,) = lift_source(source_from_text(text, "f.c"), LiftOptions(target="c")).functions
    assert f"{place}mode != 3" in in_c.program
    assert verify(json.loads(json.dumps(in_c.certificate))) == ()


def test_a_case_that_leaves_an_array_alone_takes_what_others_do() -> None:
    text = """void f(signed char c, int n, int *x) {
  switch (c) { case -1: for (int i = 0; i < n; i++) x[i] = 1; break; case 'T': for (int i = 0; i < n; i++) x[i] = 2; }
}"""
    (found,) = lift_source(source_from_text(text, "f.c"), LiftOptions(guards=True)).functions
    assert [parameter.shape for parameter in found.parameters] == [(), (), ("n",)]
    space: dict[str, Any] = {}
    exec(found.program, space)
    assert space["f"](0, 4, np.arange(4, dtype="int32")).tolist() == [0, 1, 2, 3]


def test_a_flag_does_not_get_the_name_of_something_else() -> None:
    text = """void f(int dir, int n, int *%s) {
  if (dir == 1) for (int i = 0; i < n; i++) %s[i] = 3; else if (dir == 2) for (int i = 0; i < n; i++) %s[i] = 2;
}"""
    assert "parts" not in (_lifted(text.replace("%s", "dir_")).certificate or {})
    (in_c,) = lift_source(source_from_text(text.replace("%s", "x"), "f.c"), LiftOptions(target="c")).functions
    assert {parameter.name for parameter in in_c.parameters} == {"dir", "n", "x"}
