"""Piped output is a plain, stable, valid program; a terminal gets colours and times."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.contract.interface import Parameter, Precondition, Role
from tensorlift.diagnostics import Diagnostic, Location
from tensorlift.record import Level, Numerics, Verdict
from tensorlift.report.excerpt import Sources
from tensorlift.report.terminal import Screen, show_diagnostics, show_lift
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    import pytest

    from tensorlift.record import FunctionRecord, LiftRecord
    from tensorlift.source import Source


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def _piped(record: LiftRecord, *, programs: bool = True) -> str:
    stream = io.StringIO()
    show_lift(record, Screen(stream), programs=programs)
    return stream.getvalue()


def test_piped_output_is_the_program_with_its_verdict_under_it(record: LiftRecord) -> None:
    assert _piped(record) == (
        "import numpy as np\n"
        "\n"
        "\n"
        "def scale(s, a):\n"
        "    return s * a\n"
        "\n"
        "# scale: loop-free, proved for every size, over the reals\n"
        "#   keeps for i: it carries a (scale.c:2:3)\n"
        "#   requires n >= 1\n"
        "#   requires a is no alias\n"
        "#   agrees with 3 runs of the interpreted source\n"
        "#   differs from the compiled source: n = 3: a[2]\n"
        "# walk: refused [TL203]\n"
    )


def test_piped_output_of_several_functions_runs(record: LiftRecord, scale: FunctionRecord) -> None:
    twice = replace(scale, name="twice", program=scale.program.replace("scale", "twice"))
    namespace: dict[str, object] = {}
    exec(compile(_piped(replace(record, functions=(scale, twice))), "out.py", "exec"), namespace)
    assert {"scale", "twice"} <= set(namespace)


def test_piped_output_has_no_times(record: LiftRecord, scale: FunctionRecord) -> None:
    slow = replace(record, functions=(replace(scale, seconds={"derive": 9.0}), record.functions[1]))
    assert _piped(slow) == _piped(record)


def test_newlines_cannot_end_a_comment(record: LiftRecord, scale: FunctionRecord) -> None:
    odd = replace(scale, preconditions=(Precondition("n\nimport os", ""),))
    assert "# " + "  requires n import os\n" in _piped(replace(record, functions=(odd,)))


def test_shapes_that_are_not_just_sizes_are_told(record: LiftRecord, scale: FunctionRecord) -> None:
    rows = Parameter("rows", Role.ARRAY, "float64", ("head + 1", "n", "4"))
    odd = replace(scale, parameters=(*scale.parameters, rows))
    assert "#   takes rows of shape (head + 1, n, 4)\n" in _piped(replace(record, functions=(odd,)))
    assert "takes" not in _piped(record)


def test_verdicts_alone_are_no_comments(record: LiftRecord) -> None:
    text = _piped(record, programs=False)
    assert text.startswith("scale: loop-free, ")
    assert "def scale" not in text


def test_a_target_that_writes_mlir_gets_its_comments(record: LiftRecord, scale: FunctionRecord) -> None:
    text = _piped(
        replace(record, target="linalg", functions=(replace(scale, program="func.func @scale() { return }"),))
    )
    assert "\n// scale: loop-free" in text


def test_weaker_levels_do_not_claim_a_proof(record: LiftRecord, scale: FunctionRecord) -> None:
    for level in (Level.BOUNDED, Level.TESTED, None):
        weak = replace(scale, level=level, verdict=Verdict.HYBRID, numerics=Numerics.IEEE, preconditions=(), tests=())
        line = _piped(replace(record, functions=(weak,)), programs=False).splitlines()[0]
        assert "proved for" not in line
        assert line.startswith("scale: hybrid, ")


def test_a_terminal_gets_times_and_colours(record: LiftRecord, source: Source) -> None:
    stream = _Terminal()
    show_lift(record, Screen(stream))
    show_diagnostics(record.all_diagnostics, Sources(source), Screen(stream))
    text = stream.getvalue()
    assert "(2.2 ms)" in text
    assert "relative error 1e-16" in text
    assert "\x1b[" in text
    assert "a[i] = f(a[i-1]);" in text


def test_piped_output_does_not_import_rich() -> None:
    code = (
        "import io, sys; from tensorlift.record import LiftRecord;"
        "from tensorlift.report.terminal import Screen, show_lift;"
        "show_lift(LiftRecord('0', 'a.c', '', 'numpy'), Screen(io.StringIO())); assert 'rich' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_a_narrow_terminal_gets_narrow_excerpts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    source = source_from_text("x" * 100, "a.c")
    stream = _Terminal()
    show_diagnostics([Diagnostic("TL201", "no", Location("a.c", 1, 90))], Sources(source), Screen(stream))
    shown = re.sub(r"\x1b\[[\d;]*m", "", stream.getvalue()).splitlines()[1:]
    assert 30 < max(map(len, shown)) <= 40
    assert "^" in shown[1]
