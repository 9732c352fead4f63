"""The random programs are deterministic, compile without a warning, and stay inside their arrays."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from bench.generate import generate
from bench.random_programs.scope import Loop, Scope
from bench.random_programs.statements import Statements

SEEDS = range(200)
ROOT = Path(__file__).parents[2]
needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler named cc on the search path")


@cache
def _batch() -> str:
    """All programs in one translation unit, each under its own name."""
    programs = (re.sub(r"\bf\(", f"f{seed}(", generate(seed), count=1) for seed in SEEDS)
    return "\n".join(programs)


def test_same_seed_gives_the_same_text() -> None:
    assert [generate(seed) for seed in SEEDS] == [generate(seed) for seed in SEEDS]


def test_script_prints_the_program_of_its_seed() -> None:
    command = [sys.executable, str(ROOT / "bench" / "generate.py"), "7"]
    assert subprocess.run(command, check=True, capture_output=True, text=True).stdout == generate(7)


def test_seeds_differ() -> None:
    assert len({generate(seed) for seed in SEEDS}) == len(SEEDS)


@needs_compiler
def test_programs_compile_without_a_warning(tmp_path: Path) -> None:
    source = tmp_path / "programs.c"
    source.write_text(_batch())
    command = ["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", str(source)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:2000]


@pytest.mark.parametrize(
    "pattern",
    [
        r"for \(.*--\)",  # falling
        r"\+= 2\)",  # strided
        r"j < i;",  # triangular
        r"\[n - 1 - i\]",  # reversed
        r"\bif \(",
        r" % 97",  # integers
        r"fmax\(",
        r"\(int\)",
        r"\bbuf1\[",  # local arrays
        r"\bs\d+ \+=",  # reductions
        r" \? ",
        r"\bfloat\b",
        r"A\[i \* [nm] \+",  # linearised by hand
        r"i == 0 \|\|",
        r"\[2 \* i \+ 1\]",
        r"\[i \+ j\]",
    ],
)
def test_the_mixture_has_this_form(pattern: str) -> None:
    assert re.search(pattern, _batch())


def test_subscripts_respect_the_slack_of_their_loop() -> None:
    """Every offered subscript of a variable in 1 .. n - 3 lies in 0 .. n - 1, for the smallest sizes."""
    writer = Statements(random.Random(0))
    loop = Loop("i", "n", low=1, high=2)
    for text in set(writer._subscripts_by(loop, "n", Scope((loop,)))):
        for n in range(4, 8):
            for i in range(1, n - 2):
                assert 0 <= eval(text, {"i": i, "n": n}) < n, text
