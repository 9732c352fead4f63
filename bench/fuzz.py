"""Lift random programs and look for wrong lifts: ``python bench/fuzz.py FIRST COUNT [--irregular c] [--test]``.

Each affine program of ``bench/generate.py``, or irregular one of ``bench/random_irregular`` in C or in Python, goes
through the whole pipeline, proof and run against the interpreter included; ``--test`` adds the original.  A test that
contradicts a proof, a crash (TL900), or a lift that takes over the limit is printed with its program; the exit status
is then 1.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script, only bench/ would be searched

from bench import random_irregular
from bench.fuzzing import Outcome, add_arguments, fuzz, within
from bench.generate import generate
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from tensorlift.record import FunctionRecord

LIMIT = 5  # seconds of the processor for one program


def lift_seed(seed: int, *, test: bool, engine: str = "auto", to: str = "numpy") -> Outcome:
    """Lift the affine program of one seed and judge the outcome."""
    return lift_text(generate(seed), f"seed{seed}.c", LiftOptions(target=to, engine=engine, test=test))


def lift_text(text: str, name: str, options: LiftOptions) -> Outcome:
    """Lift a program and judge the outcome."""
    record = lift_source(source_from_text(text, name), options)
    if not record.functions:
        return Outcome("refused " + record.diagnostics[0].code, _crash(record.diagnostics[0].code))
    return _judge(record.functions[0])


def _judge(function: FunctionRecord) -> Outcome:
    failed = next((t for t in function.tests if not t.passed), None)
    if failed is not None:
        return Outcome("wrong", f"{failed.against}: {failed.failure}")
    if not function.lifted:
        code = function.diagnostics[0].code
        return Outcome(f"refused {code}", _crash(code) and f"{code}: {function.diagnostics[0].message}")
    return Outcome(f"{function.verdict} {function.level or 'unproved'}")


def _crash(code: str) -> str:
    return code if code.startswith("TL9") else ""


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description="Lift random programs.")
    add_arguments(parser)
    parser.add_argument("--test", action="store_true", help="also run each lift against the compiled original")
    parser.add_argument("--irregular", choices=("c", "py"), help="irregular programs, in this language")
    parser.add_argument("--engine", default="auto", help="lift with this engine")
    parser.add_argument("--to", default="numpy", help="lift to this target")
    options = parser.parse_args()
    how = LiftOptions(target=options.to, engine=options.engine, test=options.test)
    language = options.irregular or "c"
    write = partial(random_irregular.generate, language=language) if options.irregular else generate

    def run(seed: int) -> Outcome:
        return within(LIMIT, partial(lift_text, write(seed), f"seed{seed}.{language}", how))

    return fuzz(options, run, write)


if __name__ == "__main__":
    sys.exit(main())
