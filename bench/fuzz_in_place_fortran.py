"""Let random procedures of Fortran try their programs, and run them before and after.

``fuzz_in_place_fortran.py FIRST COUNT``: the procedures have matrices of explicit and assumed shape with any lower
bounds, loops over them in any order, sections, whole arrays and reductions.  Programs are called at all sizes.
"""

from __future__ import annotations

import json
import random
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import StringAttr

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script, only bench/ would be searched

from bench.fuzzing import fuzz_rewriting
from tensorlift.commands.in_place_fortran import rewrite_fortran
from tensorlift.diagnostics import LiftError
from tensorlift.frontends.fortran.procedures import parse_fortran
from tensorlift.frontends.fortran.prototype import prototype_of
from tensorlift.ir.function import FunctionView
from tensorlift.pipeline import LiftOptions, lift_to_run
from tensorlift.runtime.cases import Tally, draw_cases, reference
from tensorlift.runtime.compare import Tolerance
from tensorlift.runtime.data import seeded
from tensorlift.runtime.differential import pairs_of, without_original
from tensorlift.runtime.original import CompileOptions, Original, run_original
from tensorlift.runtime.sizes import choose_sizes
from tensorlift.runtime.workers import Limits
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from tensorlift.interface import Lifting
    from tensorlift.source import Source

_CASES = 8
_DECLINED = "static _Thread_local int declined;"
_COUNTED = f"""{_DECLINED}
#include <stdio.h>
static void count(int ran)
{{
  FILE *file = fopen("@", "a");
  fputs(ran ? "1" : "0", file);
  fclose(file);
}}
"""
_MATRICES = {"a": "({n},{m})", "b": "(0:{n}-1,{m})", "c": "({m},-1:{n}-2)"}
_WHERE = "where (a > 0)\na = sqrt(a)\nelsewhere\na = -a\nend where"
_LOWER = {"a": (1, 1), "b": (0, 1), "c": (1, -1)}


class _Writer:
    """Writes the statements of a procedure over matrices of n by m, c of m by n."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.is_assumed = self.rng.choice([False, True])

    def text(self) -> str:
        pick = self.rng.choice
        shapes = {name: shape.format(n="n", m="m") for name, shape in _MATRICES.items()}
        if self.is_assumed:
            shapes = {"a": "(:,:)", "b": "(0:,:)", "c": "(:,-1:)"}
        kind = {name: pick(["real(8)", "real(8)", "real"]) for name in _MATRICES}
        lines = ["subroutine f(n, m, a, b, c, x, s)", "integer, intent(in) :: n, m"]
        lines += [f"{kind[name]}, intent(inout) :: {name}{shape}" for name, shape in shapes.items()]
        lines += ["real(8), intent(inout) :: x(n), s", "integer :: i, j"]
        statements = [self.loops, self.whole, self.section, self.reduction, self.masked, self.product]
        for _ in range(self.rng.randint(1, 3)):
            lines += pick(statements)()
        return "\n".join([*lines, "end subroutine"]) + "\n"

    def cell(self, name: str, i: str = "i", j: str = "j", reach: int = 0) -> str:
        """Spell an element, whose places count from nought."""
        places = (j, i) if name == "c" else (i, j)
        moved = [self.rng.randint(-reach, reach) for _ in places]
        listed = [f"{p}{low + by:+d}" for p, low, by in zip(places, _LOWER[name], moved, strict=True)]
        return f"{name}({', '.join(listed)})"

    def value(self, reach: int) -> str:
        one, other = (self.cell(self.rng.choice("abc"), reach=reach) for _ in range(2))
        return self.rng.choice(
            [one, f"{one} + {other}", f"{one}*0.5 - {other}", f"max({one}, {other})", "i + 10*j", "s"]
        )

    def loops(self) -> list[str]:
        reach = self.rng.choice([0, 0, 1])
        outer, inner = self.rng.choice([("j", "i"), ("i", "j")])
        last = {"i": "n", "j": "m"}
        heads = [f"do {v} = {reach}, {last[v]} - {1 + reach}" for v in (outer, inner)]
        return [*heads, f"{self.cell(self.rng.choice('abc'))} = {self.value(reach)}", "end do", "end do"]

    def whole(self) -> list[str]:
        return [
            self.rng.choice(
                ["a = a + b", "b = 2*b - a", "a = transpose(c)", "c = abs(c)", "b = a*s", "c = transpose(b)"]
            )
        ]

    def section(self) -> list[str]:
        return [
            self.rng.choice(
                [
                    "a(1,:) = a(n,:)",
                    "a(:,1) = x",
                    "x = x + a(:,m)",
                    "a(2:n:2,:) = 0",
                    "b(0:n-1,1) = a(:,m)",
                    "a(n:1:-1,:) = a",
                ]
            )
        ]

    def reduction(self) -> list[str]:
        return [
            self.rng.choice(
                ["s = sum(a)", "x = sum(a, 2)", "s = maxval(b)", "s = s + sum(a*b)", "x = x + maxval(a, 2)"]
            )
        ]

    def masked(self) -> list[str]:
        return [self.rng.choice(["where (a > b) a = b", _WHERE, "s = count(a > 0)"])]

    def product(self) -> list[str]:
        return [self.rng.choice(["x = matmul(a, c(:,0))", "a = a + matmul(b, matmul(c, a))", "x = matmul(a, a(1,:))"])]


def generate(seed: int) -> str:
    """Write the procedure of a seed."""
    return _Writer(seed).text()


def difference(seed: int, folder: Path) -> tuple[str, int]:
    """Say what is wrong with the procedure of a seed that tries its program, and count what does."""
    text = generate(seed)
    reason, replaced = compare(source_from_text(text, "f.f90"), folder)
    return (f"{reason}\n{text}" if reason else "", replaced)


def compare(source: Source, folder: Path) -> tuple[str, int]:
    """Say what a rewritten file does otherwise than the file, and count its procedures that try their programs."""
    try:
        done = rewrite_fortran(source, LiftOptions(target="c"), "programs.c", lambda *_: None)
        _, found = lift_to_run(source, LiftOptions())
    except LiftError:
        return "", 0
    programs, counts = folder / "programs.c", folder / "counts"
    text = without_original(done.c, "nothing").replace(_DECLINED, _COUNTED.replace("@", str(counts)))
    programs.write_text(re.sub(r"(\*\w+ = (!declined);)", r"\1 count(\2);", text), encoding="utf-8")
    reasons = []
    for name in (one.name for one in done.entered if one.name in found):
        counts.unlink(missing_ok=True)
        reason = _compared(source, done.text, found[name], programs)
        ran = counts.read_text(encoding="utf-8") if counts.exists() else ""
        reasons += [f"{name}: {reason}"] if reason else [] if "1" in ran else [f"{name} runs no program"]
    return "; ".join(reasons), len(done.entered)


def _compared(source: Source, text: str, lifting: Lifting, programs: Path) -> str:
    """Run a procedure as it was and as it is, and say what differs."""
    view, tally = lifting.view, Tally("compiled", Tolerance())
    sizes = choose_sizes(view.parameters, lifting.summary.context, seeded(0), _CASES, derived=lifting.summary.derived)
    cases = list(draw_cases(reference(view), sizes, seeded(0), tally))
    now = view.func_op.clone()
    facts = prototype_of(parse_fortran(text, source.name).procedures[view.name])
    now.attributes["tl.fortran"] = StringAttr(json.dumps({**facts, "by_columns": False}))
    linked = CompileOptions(linked=((str(programs), CompileOptions()),))
    given = [case.arguments for case in cases]
    before = run_original(Original(source.text, source.name), view, given, Limits())
    after = run_original(Original(text, source.name, linked), FunctionView(now), given, Limits())
    for case, one, other in zip(cases, before, after, strict=True):
        tally.compare(case, pairs_of(view, one, other))
    return "; ".join(map(str, tally.report().failures))


if __name__ == "__main__":
    sys.exit(fuzz_rewriting(difference))
