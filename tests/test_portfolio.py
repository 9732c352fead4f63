"""The portfolio of engines: derivation first, the others where asked or needed, the cheapest program that is proved."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

import pytest

from tensorlift import portfolio
from tensorlift.attempts import Request
from tensorlift.cli import main
from tensorlift.comprehension.terms import Apply, Read
from tensorlift.diagnostics import refuse
from tensorlift.engines import Effort, engine_names, search_by
from tensorlift.ir.function import FunctionView, functions
from tensorlift.languages.c import read_c
from tensorlift.pipeline import LiftOptions, StageClock, lift_source
from tensorlift.portfolio import NothingFoundError, chosen_program
from tensorlift.record import EngineRun, Level, Outcome
from tensorlift.session import SESSION
from tensorlift.source import source_from_text
from tensorlift.synthesis import forms
from tensorlift.synthesis.derive import derive
from tensorlift.synthesis.forms import Formed
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tensorlift.comprehension.definition import Summary
    from tensorlift.ir.tensor_program import TensorProgram
    from tensorlift.record import FunctionRecord
    from tensorlift.targets.target import Target

_SCALE = "void scale(int n, double s, double a[n]) { for (int i = 0; i < n; i++) a[i] = s * a[i]; }\n"
_ROOTS = "#include <math.h>\nvoid roots(int n, double a[n]) { for (int i = 0; i < n; i++) a[i] = sqrt(a[i]); }\n"
_CHAIN = (
    (
        "void chain(int n, double A[n][n], double B[n][n], double x[n], double T[n][n], double y[n]) {\n"
        "  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { T[i][j] = 0;\n"
        "    for (int k = 0; k < n; k++) T[i][j] += A[i][k] * B[k][j]; }\n"
        "  for (int i = 0; i < n; i++) { y[i] = 0; for (int j = 0; j < n; j++) y[i] += T[i][j] * x[j]; }\n}\n"
    )
    .replace(", double T[n][n]", "")
    .replace("{\n  for", "{\n  double T[n][n];\n  for", 1)
)


def _lifted(text: str, budget: float | None = None) -> FunctionRecord:
    (function,) = lift_source(source_from_text(text, "k.c"), LiftOptions(budget=budget)).functions
    return function


def _in_forms(text: str, target: str = "numpy", **sizes: int) -> FunctionRecord:
    options = LiftOptions(target=target, forms_at=tuple(sizes.items()))
    (function,) = lift_source(source_from_text(text, "k.c"), options).functions
    return function


def _outcomes(runs: tuple[EngineRun, ...]) -> dict[str, Outcome]:
    return {run.engine: run.outcome for run in runs}


_STENCIL = (
    "void smooth(int n, double a[n], double b[n]) { for (int i = 1; i < n; i++) b[i] = 0.5 * (a[i] + a[i - 1]); }\n"
)
_OUTER = (
    "void outer(int n, double A[n][n], double u[n], double v[n], double x[n], double y[n]) {\n"
    "  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) A[i][j] = A[i][j] + u[i] * v[j] + x[i] * y[j]; }\n"
)


def _view(text: str) -> FunctionView:
    (read,) = read_c(text, "k.c")
    assert read.module is not None
    SESSION.restart()
    return FunctionView(functions(read.module)[0])


def _refusing(_summary: Summary, _target: Target, _effort: Effort) -> TensorProgram:
    raise refuse("TL301", "nothing computes it", remedy="none")


def test_what_derivation_proves_is_taken_at_once() -> None:
    function = _lifted(_SCALE)
    assert function.engine == "derive"
    assert _outcomes(function.engines) == {
        "derive": Outcome.CHOSEN,
        **dict.fromkeys(engine_names()[1:], Outcome.NOT_RUN),
    }


def test_in_a_budget_the_cheapest_program_is_taken() -> None:
    """A chain of matrices that ends in a vector needs no product of matrices: tactics know, the source does not."""
    plain, searched = _lifted(_CHAIN), _lifted(_CHAIN, budget=60)
    assert plain.engine == "derive"
    assert "A @ B" in plain.program
    assert searched.engine == "tactics"
    assert searched.level is Level.PROVED
    assert "A @ (B @ x)" in searched.program
    costs = {run.engine: run.cost for run in searched.engines}
    assert costs["derive"] is not None
    assert costs["tactics"] is not None
    assert costs["tactics"] < costs["derive"] / 10
    assert all(run.outcome is not Outcome.UNPROVED for run in searched.engines)


def test_among_equal_costs_derivation_stays() -> None:
    plain, searched = _lifted(_SCALE), _lifted(_SCALE, budget=60)
    assert searched.program == plain.program
    assert searched.engine == "derive"


def test_where_derivation_fails_another_engine_takes_over() -> None:
    request = Request(get_target("numpy"), search=_refusing)
    choice = chosen_program(_view(_SCALE), request, StageClock().stage)
    assert choice.engine in ("tactics", "sketch")
    assert _outcomes(choice.runs)["derive"] is Outcome.REFUSED
    assert "s * a" in choice.proved.emitted.text.replace("a * s", "s * a")


def test_a_candidate_that_is_not_proved_is_told_of_and_never_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    """The wrong program only copies, so that it is tried first."""

    def wrong(summary: Summary, _target: Target, _effort: Effort) -> TensorProgram:
        return derive(_without_work(summary))

    monkeypatch.setattr(portfolio, "search_by", lambda engine: wrong if engine == "sketch" else search_by(engine))
    function = _lifted(_ROOTS, budget=60)
    assert function.engine == "derive"
    assert "np.sqrt(a)" in function.program
    (run,) = [run for run in function.engines if run.engine == "sketch"]
    assert run.outcome is Outcome.UNPROVED
    assert run.reason.startswith("TL4")
    assert run.cost is not None


def _without_work(summary: Summary) -> Summary:
    """Return the summary of a function that gives its array back as it is."""
    (definition,) = summary.definitions()
    ((domain, term),) = definition.pieces
    assert isinstance(term, Apply)
    (array,) = term.args
    assert isinstance(array, Read)
    return replace(summary, items=(replace(definition, pieces=((domain, array),)),))


def test_where_no_engine_finds_a_program_derivation_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portfolio, "search_by", lambda _engine: _refusing)
    request = Request(get_target("numpy"), search=_refusing)
    with pytest.raises(NothingFoundError, match="nothing computes it") as refusal:
        chosen_program(_view(_SCALE), request, StageClock().stage)
    assert _outcomes(refusal.value.runs) == dict.fromkeys(engine_names(), Outcome.REFUSED)


def test_engines_that_the_budget_leaves_no_time_are_not_run() -> None:
    function = _lifted(_SCALE, budget=1e-9)
    assert function.engine == "derive"
    assert [run.reason for run in function.engines[1:]] == ["the budget is spent"] * (len(engine_names()) - 1)


def test_where_the_budget_ends_before_a_program_is_found_derivation_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portfolio, "_by_one", _nothing_derived)
    with pytest.raises(NothingFoundError, match="nothing computes it") as refusal:
        chosen_program(_view(_SCALE), Request(get_target("numpy")), StageClock().stage, budget=0.0)
    reasons = {run.reason for run in refusal.value.runs if run.outcome is Outcome.NOT_RUN}
    assert reasons == {"the budget is spent"}


def _nothing_derived(*_: object) -> NoReturn:
    run = EngineRun("derive", Outcome.REFUSED, "nothing computes it")
    raise NothingFoundError(refuse("TL301", "nothing computes it", remedy="none"), (run,))


def test_a_search_ends_with_its_time() -> None:
    for engine in ("sketch", "enumerate"):
        request = Request(get_target("numpy"), search=search_by(engine), effort=Effort(deadline=0.0))
        with pytest.raises(NothingFoundError, match="within its time") as refusal:
            chosen_program(_view(_CHAIN), request, StageClock().stage, engine)
        assert refusal.value.diagnostics[0].code == "TL312"


def test_asked_for_forms_the_cheapest_is_taken() -> None:
    function = _in_forms(_OUTER)
    assert (function.engine, function.engines[0].forms, function.level) == ("derive", ("stacked",), Level.PROVED)
    assert "t @ t2" in function.program
    costs = {run.forms: run.cost or 0.0 for run in function.engines if run.engine == "derive"}
    assert set(costs) == {(), ("stacked",)}
    assert costs["stacked",] < costs[()]
    assert _outcomes(function.engines)["sketch"] is Outcome.NOT_RUN
    assert _outcomes(function.engines)["tactics"] is Outcome.NOT_CHEAPER


def test_sizes_decide_on_the_form() -> None:
    small = _in_forms(_OUTER, n=8)
    assert small.engines[0].forms == ()
    assert small.program == _lifted(_OUTER).program


def test_a_target_decides_which_forms_are_tried() -> None:
    assert _in_forms(_STENCIL).program == _lifted(_STENCIL).program
    assert _in_forms(_STENCIL, "torch", n=100_000).engines[0].forms == ("in place",)


def test_the_order_of_a_chain_is_a_form_too() -> None:
    assert "A @ (B @ x)" in _in_forms(_CHAIN).program


def test_a_form_that_is_not_proved_is_told_of_and_never_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    """The wrong form only copies; it is cheaper, so that it is tried first."""

    def wrong(summary: Summary, *_: object) -> Iterator[Formed]:
        yield Formed(("sliced",), derive(_without_work(summary)), 1.0)

    monkeypatch.setattr(forms, "formed", wrong)
    function = _in_forms(_ROOTS)
    assert "np.sqrt(a)" in function.program
    (run,) = [run for run in function.engines if run.forms]
    assert (run.outcome, run.cost) == (Outcome.UNPROVED, 1.0)
    assert run.reason.startswith("TL4")
    assert function.engines[0].forms == ()


def test_forms_are_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "outer.c"
    file.write_text(_OUTER)
    assert main(["lift", str(file), "--budget", "1e-9", "--explain"]) == 0
    told = [line for line in capsys.readouterr().out.splitlines() if "engine " in line]
    assert told[0].startswith("#   engine derive, stacked: chosen, about ")
    assert told[1].startswith("#   engine derive: not cheaper, about ")


def test_the_choice_is_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "chain.c"
    file.write_text(_CHAIN)
    assert main(["lift", str(file), "--budget", "60", "--explain"]) == 0
    lines = capsys.readouterr().out.splitlines()
    told = [line for line in lines if "engine " in line]
    assert [line.split()[2].rstrip(":") for line in told] == [
        "tactics",
        "derive",
        "sketch",
        "sketch-whole",
        "enumerate",
    ]
    assert "chosen" in told[0]
    assert "a call" in told[0]
    assert "steps" in told[2]


def test_a_budget_is_for_the_portfolio(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "scale.c"
    file.write_text(_SCALE)
    assert main(["lift", str(file), "--engine", "sketch", "--budget", "3"]) == 2
    assert "--budget goes with --engine auto" in capsys.readouterr().err
