"""Programs read as an expert would write them: the kept ones have none of the faults that are looked for."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.style import faults

_GOLDEN = sorted((Path(__file__).parent.parent / "golden").glob("*.txt"))
_HEAD = "import numpy as np\n\n\ndef f(x, n):\n"


def test_kept_programs_have_no_faults() -> None:
    assert len(_GOLDEN) > 100
    found = {path.stem: faults(path.read_text(encoding="utf-8")) for path in _GOLDEN}
    assert {name: own for name, own in found.items() if own} == {}


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ("sum = x.sum()\nreturn sum", "`sum` hides a builtin"),
        ("t = x.sum()\nreturn x", "`t` is assigned, and never read"),
        ("t = np.zeros(n)\nt[0] = 1.0\nreturn x", "`t` is stored into, and never read"),
        ("x = x\nreturn x", "`x` is assigned to itself"),
        ("for i in range(n):\n    t = np.zeros(n)\n    x[i] = t[0]\nreturn x", "`t` is made anew in each iteration"),
        ("return (x + 1).copy()", "a copy of what is new, `(x + 1).copy()`"),
        ("return np.rint(x) + np.floor(x)", "a quotient rounded down in two steps, `np.rint(x) + np.floor(x)`"),
        ("x[0] = 1.0\nx[0] = 2.0\nreturn x", "`x[0]` is stored, and stored again"),
    ],
)
def test_a_fault_is_found(body: str, fault: str) -> None:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    assert [found.partition(": ")[2] for found in faults(_HEAD + lines)] == [fault]


@pytest.mark.parametrize(
    "body",
    [
        "x[0] = 1.0\nx[0] = x[0] * 2.0\nreturn x",
        "for i in range(n):\n    t = np.zeros(i)\n    x[i] = t.sum()\nreturn x",
        "t = np.zeros(n)\nt[0] = 1.0\nreturn t",
        "return x[1:].copy()",
    ],
)
def test_what_is_needed_is_no_fault(body: str) -> None:
    assert faults(_HEAD + "".join(f"    {line}\n" for line in body.splitlines())) == []
