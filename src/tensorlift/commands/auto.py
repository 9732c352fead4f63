"""``--to auto``: the target whose program was measured to be the fastest, or is expected to be.

Without measurements the cost of the derived program (`ir/cost.py`) in the numbers of each target decides, or that of
the cheapest of its forms that the target offers, at the sizes that are given, else at sizes of large arrays.  Targets
whose library is not here do not take part; what a target refuses goes to the next one.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tensorlift.commands.benchmark import Settings, chosen_sizes
from tensorlift.diagnostics import Diagnostic, LiftError, Severity, refuse
from tensorlift.ir.cost import cost_of
from tensorlift.measurement import BACKEND, BENCH_SCHEMA_VERSION
from tensorlift.pipeline import LiftOptions, lift_source, lift_to_run
from tensorlift.report.output import seconds_text
from tensorlift.runtime.backends import BACKENDS
from tensorlift.runtime.compilers import lifted_builds
from tensorlift.runtime.libraries import installation
from tensorlift.source import Source, read_source
from tensorlift.synthesis.derive import derive
from tensorlift.synthesis.forms import formed
from tensorlift.synthesis.simplify import simplify
from tensorlift.targets import get_target, target_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tensorlift.comprehension.definition import Summary
    from tensorlift.interface import Lifting
    from tensorlift.ir.tensor_program import TensorProgram
    from tensorlift.targets.target import Target

AUTO = "auto"
_GUIDE = "numpy"  # the target of the programs whose cost is estimated


@dataclass(frozen=True, slots=True)
class Ranked:
    """A target, and the seconds that a call is expected to take or took; ``where`` says on what."""

    target: str
    seconds: float
    where: str

    def __str__(self) -> str:
        """Give the target with its seconds."""
        return f"{self.where} {seconds_text(self.seconds)}"


def with_chosen_target(source: Source, options: LiftOptions, report: str | None) -> tuple[LiftOptions, Diagnostic]:
    """Return the options with the target that is the fastest of those that lift, and a note of why.

    ``report`` names a file that `tensorlift bench --json` wrote.
    Raises LiftError TL561 and TL562 where it does not tell of this source, TL563 where no target is left.
    """
    ranking = list(_measured(source, options, report) if report else expected(source, options))
    for ranked in sorted(ranking, key=lambda one: one.seconds):
        static = get_target(ranked.target).takes_sizes
        sizes = options.sizes if static else ()
        chosen = replace(options, target=ranked.target, sizes=sizes, forms_at=options.sizes)
        if lift_source(source, replace(chosen, test=False, guards=False, adapter=False)).verdict != "refused":
            return chosen, _note(ranked, ranking, is_measured=bool(report))
    raise refuse("TL563", f"no target is left for '{source.name}'", remedy="choose one: see 'tensorlift targets'")


def _note(chosen: Ranked, ranking: Sequence[Ranked], *, is_measured: bool) -> Diagnostic:
    others = ", ".join(str(one) for one in sorted(ranking, key=lambda one: one.seconds) if one is not chosen)
    told = "was measured to take" if is_measured else "is expected to take"
    message = f"chose {chosen.target}: a call {told} {seconds_text(chosen.seconds)} on {chosen.where}"
    message = f"{message} ({others})" if others else message
    return Diagnostic("TL564", message, None, "name another target with --to for another choice", Severity.NOTE)


def expected(source: Source, options: LiftOptions) -> Iterator[Ranked]:
    """Yield the targets that can run here with the estimated seconds of all functions of the source together."""
    _, found = lift_to_run(source, replace(options, target=_GUIDE, sizes=(), test=False, guards=False, adapter=False))
    yield from estimated(found.values(), dict(options.sizes))


def estimated(liftings: Iterable[Lifting], given: Mapping[str, int]) -> Iterator[Ranked]:
    """Yield the targets that can run here with the estimated seconds of all functions together, at sizes."""
    lifted = [(simplify(one.summary), sizes_of(one, given)) for one in liftings]
    programs = [(summary, derive(summary), sizes) for summary, sizes in lifted]
    for name in target_names():
        target = get_target(name)
        if (target.takes_sizes and not given) or not _runs_here(name):
            continue
        nanoseconds = sum(_cost(*program, target) for program in programs)
        yield Ranked(name, nanoseconds * 1e-9, name)


def _cost(summary: Summary, derived: TensorProgram, sizes: Mapping[str, int], target: Target) -> float:
    """Return the nanoseconds that the cheapest form of a program is expected to take."""

    def cost(program: TensorProgram) -> float:
        return cost_of(program, target.costs, sizes)

    return min([cost(derived), *(one.cost for one in formed(summary, derived, target.forms, cost))])


def sizes_of(lifting: Lifting, given: Mapping[str, int]) -> Mapping[str, int]:
    """Return the sizes to estimate at; sizes that nobody gives are those that are measured at."""
    usual = Settings()
    names = [p.name for p in lifting.view.parameters if p.role == "size"]
    if all(name in given for name in names):
        return given
    return {**chosen_sizes(lifting, usual.array_bytes, usual.most_operations), **given}


def _runs_here(target: str) -> bool:
    if target != "c":
        return not installation(target)
    try:
        return bool(lifted_builds(by_all=False))
    except LiftError:
        return False


def _measured(source: Source, options: LiftOptions, report: str) -> Iterator[Ranked]:
    """Yield the targets of the backends that were measured, each with the least median of its backends."""
    content = _content(report)
    if content["source"]["sha256"] != source.sha256 or options.functions not in {(), (content["function"],)}:
        message = f"'{report}' measures {content['function']} of another text"
        raise refuse("TL562", message, remedy="measure this one: tensorlift bench --json")
    targets = {backend.name: backend.target for backend in BACKENDS}
    fastest: dict[str, Ranked] = {}
    for one in content["contenders"]:
        target = targets.get(one["name"])
        if one["kind"] != BACKEND or target is None or one["warm"] is None or one["agreement"] == "differs":
            continue
        ranked = Ranked(target, one["warm"]["median"], one["name"])
        fastest[target] = min(fastest.get(target, ranked), ranked, key=lambda r: r.seconds)
    yield from fastest.values()


def _content(report: str) -> dict[str, Any]:
    try:
        content = json.loads(read_source(report).text)
    except (ValueError, RecursionError) as error:
        raise _no_report(report, f"it is not JSON ({error})") from error
    if not isinstance(content, dict) or content.get("schema") != BENCH_SCHEMA_VERSION or "contenders" not in content:
        raise _no_report(report, f"it is no record of schema {BENCH_SCHEMA_VERSION}")
    return content


def _no_report(report: str, reason: str) -> LiftError:
    remedy = "give a record that 'tensorlift bench --json' wrote"
    return refuse("TL561", f"'{report}' holds no measurements: {reason}", remedy=remedy)
