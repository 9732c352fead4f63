"""What the fuzzers share: one program after another within a limit of processor time, and a summary of what became."""

from __future__ import annotations

import argparse
import signal
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType


HANG = "hang"  # the kind of a program that takes too long


class TooSlowError(Exception):
    """Raised by the alarm in work that takes over the limit."""


@dataclass(frozen=True)
class Outcome:
    """What became of one program; ``fault`` says what is wrong with it, if anything."""

    kind: str
    fault: str = ""


def within(limit: float, work: Callable[[], Outcome]) -> Outcome:
    """Do work that may take so many seconds of the processor."""
    previous = signal.signal(signal.SIGPROF, _alarm)
    signal.setitimer(signal.ITIMER_PROF, limit)
    try:
        return work()
    except TooSlowError:
        return Outcome(HANG, f"took over {limit} s")
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, previous)


def _alarm(_signal: int, _frame: FrameType | None) -> None:
    raise TooSlowError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that choose seeds."""
    parser.add_argument("first", type=int, help="first seed")
    parser.add_argument("count", type=int, help="number of seeds")
    parser.add_argument("--quiet", action="store_true", help="do not print faulty programs")


def fuzz(options: argparse.Namespace, run: Callable[[int], Outcome], text: Callable[[int], str]) -> int:
    """Run each seed, print faults and a summary, and return the exit status.

    A program that takes too long is the last: its work goes on in a thread that nothing stops.
    """
    start, slowest, faults = time.process_time(), (0.0, 0), 0
    kinds: Counter[str] = Counter()
    for seed in range(options.first, options.first + options.count):
        began = time.process_time()
        outcome = run(seed)
        slowest = max(slowest, (time.process_time() - began, seed))
        kinds[outcome.kind] += 1
        if outcome.fault:
            faults += 1
            print(f"seed {seed}: {outcome.kind}: {outcome.fault}", flush=True)
            if not options.quiet:
                print(text(seed), flush=True)
        if outcome.kind == HANG:
            break
    for kind, count in sorted(kinds.items()):
        print(f"{count:6} {kind}")
    seconds = time.process_time() - start
    print(f"{kinds.total()} programs in {seconds:.0f} s, slowest seed {slowest[1]} {slowest[0]:.2f} s, {faults} faults")
    return 1 if faults else 0


def fuzz_rewriting(difference: Callable[[int, Path], tuple[str, int]]) -> int:
    """Rewrite the programs of some seeds, print faults and a summary, and return the exit status.

    ``difference`` says what is wrong with a program rewritten, in a folder that it may write to, and counts what was
    replaced.
    """
    parser = argparse.ArgumentParser(description="Rewrite random files in place, and run them before and after.")
    parser.add_argument("first", type=int, help="first seed")
    parser.add_argument("count", type=int, help="number of seeds")
    options = parser.parse_args()
    faults = total = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.first, options.first + options.count):
            reason, replaced = difference(seed, Path(folder))
            total += replaced
            if reason:
                faults += 1
                print(f"seed {seed}: {reason}", flush=True)
    print(f"{options.count} programs, {total} functions and parts replaced, {faults} faults")
    return 1 if faults else 0
