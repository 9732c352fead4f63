"""Each shipped tactic covers the loops that its pattern says, and the program is proved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.synthesis.tactics.sources import source_of, widths_of

from tensorlift.attempts import Request, proved_program
from tensorlift.ir.function import FunctionView, functions
from tensorlift.languages.c import read_c
from tensorlift.languages.mlir import read_mlir
from tensorlift.languages.python import read_python
from tensorlift.pipeline import LiftOptions, StageClock, lift_source
from tensorlift.source import source_from_text
from tensorlift.synthesis.tactics import Engine, Tactic, shipped_tactics
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from collections.abc import Callable

_READERS: dict[str, Callable[..., Any]] = {".c": read_c, ".py": read_python, ".mlir": read_mlir}
_CASES = [pytest.param(t, w, id=f"{t.name}-{w}") for t in shipped_tactics() for w in widths_of(t.pattern)]


def view_of(name: str, text: str) -> FunctionView:
    """Return the only function of a source."""
    (read,) = _READERS[name[name.index(".") :]](text, name)
    assert read.module is not None, read.diagnostics
    (func_op,) = functions(read.module)
    return FunctionView(func_op)


@pytest.mark.in_turns(4)
@pytest.mark.parametrize(("tactic", "width"), _CASES)
def test_a_shipped_tactic_lifts_its_pattern_with_a_proof(tactic: Tactic, width: int) -> None:
    view = view_of(*source_of(tactic.pattern, width))
    engine = Engine(shipped_tactics())

    found = proved_program(
        view, Request(get_target("numpy"), search=lambda summary, *_: engine.program(summary)), StageClock().stage
    )
    assert tactic.name in engine.applied
    assert "for " not in found.emitted.text


def test_names_in_the_library_are_distinct() -> None:
    names = [tactic.name for tactic in shipped_tactics()]
    assert len(set(names)) == len(names)


_ACCUMULATORS = """
float f(int n, const float x[n + 4], const float y[n + 4]) {
  float a = 7, b = 0, c = 0, d = 0;
  int i;
  for (i = 2; i < n / 4 * 4; i += 5) {
    a += x[i] * y[i];
    b -= x[i + 1] * y[i + 1];
    c += x[i + 2] * y[i + 2];
    d += x[i + 3] * y[i + 3];
  }
  float s = a + b + c + d;
  if (i < n) s += x[i] * y[i];
  return s;
}
"""


def test_a_part_of_a_sum_that_nothing_covers_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[object] = []
    covered = Engine._covered

    def counted(engine: Engine, term: Any, scope: Any) -> Any:
        tried.append(term)
        return covered(engine, term, scope)

    monkeypatch.setattr(Engine, "_covered", counted)
    (function,) = lift_source(source_from_text(_ACCUMULATORS, "a.c"), LiftOptions(engine="tactics")).functions
    assert not function.lifted
    assert 0 < len(tried) < 500  # of some ten thousand
