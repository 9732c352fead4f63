"""Guards are read back from emitted text: exactly the wanted ones, and each may only raise."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from tensorlift.contract.notation import parse_condition
from tensorlift.pipeline import LiftOptions, lift_source, verify
from tensorlift.proofs.check import check_guards, read_guard
from tensorlift.proofs.failure import CheckFailure
from tensorlift.proofs.parse import parse_program
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from tensorlift.record import FunctionRecord

SOURCE = """void scale(int n, int m, double s, double *c, const double *a) {
  for (int i = 0; i < n; i++) { c[i] += s * a[n - 1 - i]; c[n + m] = c[i]; }
}
"""
MODULES = {"np": "import numpy as np"}


@pytest.fixture(scope="module")
def guarded() -> FunctionRecord:
    (function,) = lift_source(source_from_text(SOURCE, "scale.c"), LiftOptions(guards=True)).functions
    assert function.lifted, function.diagnostics
    return function


def guard(test: str, body: str = 'raise ValueError("no")') -> ast.If:
    (statement,) = ast.parse(f"if {test}:\n    {body}").body
    assert isinstance(statement, ast.If)
    return statement


@pytest.mark.parametrize(
    ("test", "condition"),
    [
        ("A.shape[1] < 1", "A.shape[1] >= 1"),
        ("B.shape[0] != A.shape[1] + 2 * n", "B.shape[0] == A.shape[1] + 2*n"),
        ("n > lda", "n <= lda"),
        ("not (n >= 1 and m >= 1 or m == 0)", "(n >= 1 and m >= 1) or (m == 0)"),
        ("np.may_share_memory(C, A, max_work=1000)", "C shares no memory with A"),
        (
            "np.may_share_memory(C, A, max_work=9) and (C.ctypes.data, C.strides) != (A.ctypes.data, A.strides)",
            "C shares no memory with A, unless it is the same array",
        ),
        (
            "not (isinstance(A, np.ndarray) and A.dtype == np.int8 and A.ndim == 2)",
            "A is an int8 array of 2 dimensions",
        ),
        ("not isinstance(n, (int, np.integer))", "n is one integer"),
        ("np.ndim(s) != 0", "s is one number"),
    ],
)
def test_a_guard_says_what_must_hold(test: str, condition: str) -> None:
    assert read_guard(guard(test)) == parse_condition(condition)


@pytest.mark.parametrize(
    ("test", "body"),
    [
        ("n < 1", "n = 1"),
        ("n < 1", 'raise TypeError("no")'),
        ("n < 1", 'raise ValueError(f"{A.pop()}")'),
        ("n < 1", 'raise ValueError("no") from None'),
        ("n < 1", 'A[0] = 1; raise ValueError("no")'),
        ("f(n) < 1", 'raise ValueError("no")'),
        ("(n := 0) < 1", 'raise ValueError("no")'),
        ("n", 'raise ValueError("no")'),
        ("np.may_share_memory(C, A)", 'raise ValueError("no")'),
        ("np.may_share_memory(C, A, max_work=0)", 'raise ValueError("no")'),
        ("np.may_share_memory(C, A, max_work=9) and C.strides != A.strides", 'raise ValueError("no")'),
        ("not (isinstance(A, np.ndarray) and B.dtype == np.int8 and A.ndim == 2)", 'raise ValueError("no")'),
        ("not (isinstance(A, object) and A.dtype == np.int8 and A.ndim == 2)", 'raise ValueError("no")'),
        ("not isinstance(n, object)", 'raise ValueError("no")'),
        ("np.ndim(s) != 1", 'raise ValueError("no")'),
    ],
)
def test_what_may_do_anything_else_is_no_guard(test: str, body: str) -> None:
    with pytest.raises(CheckFailure, match="a guard of unknown meaning"):
        read_guard(guard(test, body))


def test_a_guard_with_an_alternative_is_none() -> None:
    (statement,) = ast.parse('if n < 1:\n    raise ValueError("no")\nelse:\n    n = 2').body
    assert isinstance(statement, ast.If)
    with pytest.raises(CheckFailure):
        read_guard(statement)


def program(guards: str, head: str = "def f(n, m):", before: str = "") -> str:
    return f"import numpy as np\n{before}\n{head}\n{guards}    return n\n"


ONE = '    if n < 1:\n        raise ValueError("no")\n'
OTHER = '    if m < 1:\n        raise ValueError("no")\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (program(""), "no guard checks that n >= 1"),
        (program(ONE + OTHER), "not asked for, that m >= 1"),
        (program(ONE + ONE), "not asked for, that n >= 1"),
        (program(OTHER), "not asked for, that m >= 1"),
        (program(ONE.replace("< 1", "< 0")), "not asked for, that n >= 0"),
        (program(ONE, "def f(n, ValueError):"), "needs the name ValueError"),
        (program(ONE, before=f"def isinstance(a):\n{OTHER}    return a\n\n"), "outside of the function"),
        (program(ONE, before="def isinstance(a):\n    return a\n\n"), "needs the name isinstance"),
    ],
)
def test_guards_that_are_not_the_wanted_ones_are_refused(text: str, message: str) -> None:
    with pytest.raises(CheckFailure, match=message):
        check_guards(parse_program(text, MODULES), "f", [parse_condition("n >= 1")])


def test_the_wanted_guards_are_accepted_in_any_order() -> None:
    wanted = [parse_condition("m >= 1"), parse_condition("n >= 1")]
    check_guards(parse_program(program(ONE + OTHER), MODULES), "f", wanted)


def test_a_guarded_program_is_verified_again_with_its_guards(guarded: FunctionRecord) -> None:
    assert guarded.certificate is not None
    assert verify(guarded.certificate) == ()
    lines = guarded.program.splitlines()
    for number, line in enumerate(lines):
        if line.startswith("    if "):
            end = next(k for k in range(number + 1, len(lines)) if not lines[k].startswith("        "))
            without = "\n".join([*lines[:number], *lines[end:]]) + "\n"
            codes = [d.code for d in verify({**guarded.certificate, "program": without})]
            assert codes == ["TL409"], line


def test_guards_that_were_not_asked_for_are_refused(guarded: FunctionRecord) -> None:
    assert guarded.certificate is not None
    (failure,) = verify({**guarded.certificate, "guards": []})
    assert failure.code == "TL409"
