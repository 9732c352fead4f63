"""Try to fool the checker: change emitted programs in small ways, and see what it accepts.

    python bench/mutants.py FIRST COUNT [--to TARGET] [--irregular]

A reference kernel, a random program that mixes element types, or an irregular one, is lifted to a target, or to each
in turn; the text is changed in one place or two (``bench/mutation``), and checked.  What is accepted runs against the
interpreter of the source at small sizes, the last with corners of its types: one that differs is a hole in the checker,
and the exit status is then 1.
"""

from __future__ import annotations

import argparse
import random
import sys
import warnings
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script, only bench/ would be searched

from bench import random_irregular
from bench.fuzzing import Outcome, TooSlowError, add_arguments, fuzz, within
from bench.kernels.catalogue import ROOT
from bench.mutation import mutant
from bench.random_types import c_programs, mlir_programs, python_programs
from bench.random_types.constructs import some
from bench.random_types.types import TYPES
from tensorlift.contract.required import required, with_room
from tensorlift.deep import with_deep_stack
from tensorlift.diagnostics import LiftError
from tensorlift.pipeline import LiftOptions, lift_to_run
from tensorlift.proofs.certificate import certificate_from_json
from tensorlift.proofs.verify import proved_again
from tensorlift.readback import read_back
from tensorlift.runtime.agreement import compare_with_interpreter
from tensorlift.runtime.data import seeded
from tensorlift.runtime.differential import compare_with_compiled
from tensorlift.runtime.places import Places
from tensorlift.runtime.sizes import choose_sizes, stretched
from tensorlift.session import SESSION
from tensorlift.source import Source, source_from_text
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tensorlift.interface import Lifting
    from tensorlift.runtime.cases import DifferentialReport

TARGETS = ("numpy", "jax", "torch", "stablehlo", "linalg", "c")
LIMIT = 60  # seconds of the processor for one mutant
_OF_ONE = 5  # mutants of one program
_SIZE_SETS = 4
_SIGNED = tuple(of for of in TYPES if of[0] != "u")
_LARGEST = 6
_NOT_COMPILED, _STOPPED, _TRAP = "TL602", "TL604", "SIGILL"
_STATIC = 3  # one program in so many is written for sizes, where a target can
_GENERATORS = {"c": c_programs.generate, "python": python_programs.generate, "mlir": mlir_programs.generate}
_SUFFIXES = {"c": ".c", "python": ".py", "mlir": ".mlir"}
_KERNELS = sorted([*ROOT.glob("*/*.c"), *ROOT.glob("*/*.cpp")])
random.Random(0).shuffle(_KERNELS)


@dataclass(frozen=True)
class Subject:
    """A program with all that checking and running another text in its place takes."""

    lifting: Lifting
    target: str
    certificate: Mapping[str, Any]
    sizes: tuple[Mapping[str, int], ...]

    def check(self, text: str) -> None:
        """Check a text in place of the program, as a certificate's is."""
        SESSION.restart()
        certificate = certificate_from_json({**self.certificate, "program": text})
        proved_again(certificate, get_target(self.target), read_back)

    def run(self, text: str) -> DifferentialReport:
        """Run a text that was accepted in place of the program, against the interpreter of the source."""
        view, summary, entry = self.lifting.view, self.lifting.summary, self.lifting.emitted.entry
        target = get_target(self.target)
        if target.reads_back:
            program = read_back(text, entry, summary.context).view
            return compare_with_compiled(view, text, program, self.sizes)
        outputs = [name for name, _ in summary.outputs]
        return compare_with_interpreter(view, text, entry, outputs, self.sizes, library=target.library)


def subject(source: Source, target: str, *, static: bool = False) -> Subject | None:
    """Lift the first function of a source that lifts, for sizes where ``static``; None where there is none to test."""
    options = LiftOptions(
        target=target, include_dirs=tuple(str(folder) for folder in ROOT.iterdir() if folder.is_dir())
    )
    lifting = _lifted(source, options)
    if lifting is None:
        return None
    if static and get_target(target).takes_sizes:
        lifting = _lifted(source, replace(options, sizes=tuple(_sizes(lifting)[-1].items()))) or lifting
    found = Subject(lifting, target, lifting.certificate.as_json(), tuple(_sizes(lifting)))
    # Where rounding alone makes the right program differ (a rank-deficient matrix), a test says nothing.
    if found.run(lifting.emitted.text).passed:
        return found
    stable = tuple(one for one in found.sizes if replace(found, sizes=(one,)).run(lifting.emitted.text).passed)
    found = replace(found, sizes=stable)
    return found if stable and found.run(lifting.emitted.text).passed else None


def _lifted(source: Source, options: LiftOptions) -> Lifting | None:
    _, found = lift_to_run(source, options)
    return next(iter(found.values()), None)


def _sizes(lifting: Lifting) -> Sequence[Mapping[str, int]]:
    """Choose sizes as the test at small sizes does."""
    view, derived = lifting.view, lifting.summary.derived
    domain = with_room(lifting.summary.context & required(view), Places(view).room())
    chosen = choose_sizes(view.parameters, domain, seeded(1), _SIZE_SETS, largest=_LARGEST, derived=derived)
    return stretched(view, domain, chosen, derived)


def try_mutant(changed: str, of: Subject) -> Outcome:
    """Check a text, and run it where it is accepted."""
    try:
        with_deep_stack(lambda: of.check(changed))
    except LiftError as refusal:
        return Outcome(f"rejected {refusal.diagnostics[0].code}")
    except TooSlowError:
        raise
    except Exception as error:  # noqa: BLE001 - a fault of the checker, whatever it is
        return Outcome("crashed", f"{type(error).__name__}: {error}")
    try:
        report = of.run(changed)
    except MemoryError:
        return Outcome("accepted, but too large to run")  # it declares an array larger than it reads
    except (LiftError, ValueError) as error:
        code = error.diagnostics[0].code if isinstance(error, LiftError) else ""
        if code == _NOT_COMPILED:
            return Outcome("accepted, but not by its compiler")
        if code == _STOPPED and _TRAP in str(error):  # in the place of the original, which computes the same
            return Outcome("accepted, calls the original")
        return Outcome("accepted and wrong", str(error))
    if not report.failures:
        return Outcome("accepted and right" if report.cases else "accepted, but nothing was run")
    first = str(report.failures[0])
    if "does not load" in first or "can't be translated to XLA HLO" in first:  # of a shape that it cannot follow
        return Outcome("accepted, but not by its compiler")
    return Outcome("accepted and wrong", first)


@lru_cache(maxsize=1)
def _subject_of(number: int, target: str, *, irregular: bool) -> Subject:
    """Lift a kernel for even numbers, a random program for odd ones; the next one where that is refused."""
    source = _irregular if irregular else _source
    for attempt in range(len(_KERNELS)):
        found = subject(source(number, attempt), target, static=number % _STATIC == 0)
        if found is not None:
            return found
    raise AssertionError("nothing lifts")


def _source(number: int, attempt: int) -> Source:
    if number % 2 == 0:
        path = _KERNELS[(number // 2 + attempt) % len(_KERNELS)]
        return source_from_text(path.read_text(), path.name)
    rng = random.Random(f"program {number} {attempt}")
    language, types, seed = rng.choice(sorted(_GENERATORS)), rng.choice((TYPES, _SIGNED)), rng.randrange(1 << 30)
    program = _GENERATORS[language](seed, some(language, seed, types), types)
    return source_from_text(program.text, f"mixed{_SUFFIXES[language]}")


def _irregular(number: int, attempt: int) -> Source:
    language = ("c", "py")[number % 2]
    return source_from_text(random_irregular.generate(number * len(_KERNELS) + attempt, language), f"f.{language}")


def mutant_of(seed: int, target: str, *, irregular: bool = False) -> tuple[str, Subject]:
    """Write the mutant of a seed, of the program that it changes."""
    of = _subject_of(seed // _OF_ONE, target, irregular=irregular)
    return mutant(of.lifting.emitted.text, get_target(target), random.Random(f"mutant {seed}")), of


def outcome(seed: int, target: str, *, irregular: bool = False) -> Outcome:
    """Tell what becomes of the mutant of a seed."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        changed, of = mutant_of(seed, target, irregular=irregular)
        return within(LIMIT, lambda: try_mutant(changed, of))


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    parser.add_argument("--to", choices=TARGETS, help="the target; all in turn where none is given")
    parser.add_argument("--irregular", action="store_true", help="mutants of irregular programs")
    options = parser.parse_args()
    status = 0
    for target in [options.to] if options.to else TARGETS:
        print(f"{target}:", flush=True)
        how = {"target": target, "irregular": options.irregular}
        status |= fuzz(options, partial(outcome, **how), partial(_shown, **how))
    return status


def _shown(seed: int, target: str, *, irregular: bool) -> str:
    changed, of = mutant_of(seed, target, irregular=irregular)
    return f"{changed}\n=== instead of\n{of.lifting.emitted.text}"


if __name__ == "__main__":
    sys.exit(main())
