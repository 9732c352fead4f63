"""Lift random affine C programs and look for wrong lifts: ``python bench/fuzz.py FIRST COUNT [--test]``.

Each program of ``bench/generate.py`` goes through the whole pipeline, proof and run against the interpreter included;
``--test`` adds the compiled original.  A test that contradicts a proof, a crash (TL900), or a lift that takes over the
limit is printed with its program; the exit status is then 1.
"""

from __future__ import annotations

import argparse
import collections
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script, only bench/ would be searched

from bench.generate import generate
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from types import FrameType

    from tensorlift.record import FunctionRecord

LIMIT = 5  # seconds of the processor for one program


class TooSlowError(Exception):
    """Raised by the alarm in a lift that takes over the limit."""


@dataclass(frozen=True)
class Outcome:
    """What became of one program; ``fault`` says what is wrong with it, if anything."""

    kind: str
    fault: str = ""


def run(seed: int, *, test: bool) -> Outcome:
    """Lift the program of one seed within the limit."""
    signal.setitimer(signal.ITIMER_PROF, LIMIT)
    try:
        return lift_seed(seed, test=test)
    except TooSlowError:
        return Outcome("hang", f"took over {LIMIT} s")
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def lift_seed(seed: int, *, test: bool) -> Outcome:
    """Lift the program of one seed and judge the outcome."""
    record = lift_source(source_from_text(generate(seed), f"seed{seed}.c"), LiftOptions(test=test))
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


def _alarm(_signal: int, _frame: FrameType | None) -> None:
    raise TooSlowError


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description="Lift random affine C programs.")
    parser.add_argument("first", type=int, help="first seed")
    parser.add_argument("count", type=int, help="number of seeds")
    parser.add_argument("--test", action="store_true", help="also run each lift against the compiled original")
    parser.add_argument("--quiet", action="store_true", help="do not print faulty programs")
    options = parser.parse_args()
    signal.signal(signal.SIGPROF, _alarm)
    start, slowest, faults = time.process_time(), (0.0, 0), 0
    kinds: collections.Counter[str] = collections.Counter()
    for seed in range(options.first, options.first + options.count):
        began = time.process_time()
        outcome = run(seed, test=options.test)
        slowest = max(slowest, (time.process_time() - began, seed))
        kinds[outcome.kind] += 1
        if outcome.fault:
            faults += 1
            print(f"seed {seed}: {outcome.kind}: {outcome.fault}", flush=True)
            if not options.quiet:
                print(generate(seed), flush=True)
    for kind, count in sorted(kinds.items()):
        print(f"{count:6} {kind}")
    seconds = time.process_time() - start
    print(f"{options.count} programs in {seconds:.0f} s, slowest seed {slowest[1]} {slowest[0]:.2f} s, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
