"""Lift random programs that mix element types, and compare them with their originals on many inputs.

    python bench/fuzz_types.py FIRST COUNT [--language c|python|mlir] [--to numpy] [--coverage]

C runs compiled with the sanitizer for undefined behaviour, Python as it is, MLIR as upstream's compiler runs it; inputs
on which the original has no meaning are left out.  Integers must be equal; floats up to rounding, unless rounding the
inputs differently changes the original by as much.  A difference, a crash, and a test that contradicts a proof are
printed with the program; the exit status is then 1.  ``--coverage`` counts the programs with each construct and each
pair of types.
"""

from __future__ import annotations

import argparse
import random
import sys
import warnings
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script, only bench/ would be searched

from bench.fuzzing import Outcome, TooSlowError, add_arguments, fuzz, within
from bench.random_types import c_programs, mlir_programs, python_programs
from bench.random_types.compiled import Batch
from bench.random_types.module import Module
from bench.random_types.types import MOST, Program, numbers
from tensorlift.frontends.python import read_python
from tensorlift.ir.function import FunctionView
from tensorlift.ir.interpreter import Interpreter, InterpreterError, UndefinedError
from tensorlift.ir.memory import NUMPY_TYPES
from tensorlift.ir.text import functions
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.runtime.data import nudged
from tensorlift.runtime.loading import loaded
from tensorlift.runtime.preconditions import holds
from tensorlift.runtime.program import ContractError, call_program
from tensorlift.source import source_from_text
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tensorlift.record import FunctionRecord

    Arguments = Mapping[str, Any]
    Results = Mapping[str, Any] | None
    Original = Callable[[Program, Sequence[Arguments]], Sequence[Results]]

LIMIT = 30  # seconds of the processor for one program
IN_BATCH = 100
SIZES = ((0, 0), (1, 1), (5, 3), (300, 7), (40, 130), (3, 4), (7, 5), (2, 300))
FIRSTS = (0, 1, 3, 2**31 + 7, 2**31 - 3, 5, 0, 2**40)
GENERATORS: dict[str, Any] = {"c": c_programs, "python": python_programs, "mlir": mlir_programs}
SUFFIXES = {"c": ".c", "python": ".py", "mlir": ".mlir"}
SPARE = {".c": 0, ".py": 3, ".mlir": 3}  # cells of arrays behind those that loops reach; C tells sizes by extents alone
_IN_WORDS = {
    "overflow",
    "integers",
    "exact",
}  # preconditions that nothing decides before the call: numbers are small then
_SMALL = 300
_INEXACT = {"f32", "f64", "float", "?"}  # types of what may be rounded
_UNSTABLE = 0.1  # of the tolerance; so much a change of the original may show
_REORDERED = {"accumulate", "fold"}  # constructs of which the program may add in another order
TOLERANCE = {"f4": 1e-4, "f8": 1e-9}


def cases(program: Program, seed: int, spare: int) -> list[dict[str, Any]]:
    """Draw inputs at several sizes, with numbers of several magnitudes at each; in some with ``spare`` cells behind."""
    rng, made = random.Random(f"inputs {seed}"), []
    for (n, m), first in zip(SIZES, FIRSTS, strict=True):
        sizes = {"n": n, "m": m}
        chosen = MOST if n in {5, 300} else rng.sample(MOST, 2)
        behind = spare if n < m else 0
        made += [{p.name: _argument(p, sizes, first, rng, most, behind) for p in program.parameters} for most in chosen]
    return made


def _argument(  # noqa: PLR0913, PLR0917 - what is drawn from
    parameter: Any, sizes: dict[str, int], first: int, rng: random.Random, most: float, spare: int
) -> Any:
    if parameter.is_size:
        return sizes[parameter.name]
    if parameter.name == "first":
        return first if first < 2 ** (31 if parameter.dtype in {"i32", "u32"} else 63) else 3
    shape = [sizes[extent] + spare for extent in parameter.shape]
    drawn = numbers(rng, parameter.dtype, int(np.prod(shape, dtype=int)), most).reshape(shape)
    return drawn if parameter.shape else drawn[()]


def judge(program: Program, seed: int, suffix: str, to: str, original: Original) -> Outcome:
    """Lift a program, and compare it with its original on all inputs."""
    options = LiftOptions(target=to, test=to == "c")  # what only a compiler runs is tested as `--test` does
    record = lift_source(source_from_text(program.text, f"seed{seed}{suffix}"), options)
    if not record.functions:
        return _refused(record.diagnostics[0].code, record.diagnostics[0].message)
    function = next(f for f in record.functions if f.name == program.entry)
    if not function.lifted:
        return _refused(function.diagnostics[0].code, function.diagnostics[0].message)
    wrong = next((t for t in function.tests if not t.passed), None)
    if wrong is not None:
        return Outcome("wrong", f"{wrong.against}: {wrong.failure}")
    if to == "c":
        return Outcome(f"{function.verdict} {function.level or 'unproved'}")
    fault, compared = compare(program, function, to, cases(program, seed, SPARE[suffix]), original)
    if fault:
        return Outcome("wrong", f"{fault}\n{function.program}")
    return Outcome(f"{function.verdict} {function.level or 'unproved'}" + ("" if compared else ", never compared"))


def _refused(code: str, message: str) -> Outcome:
    return Outcome(f"refused {code}", f"{code}: {message}" if code.startswith("TL9") else "")


def compare(
    program: Program, function: FunctionRecord, to: str, given: Sequence[Arguments], original: Original
) -> tuple[str, int]:
    """Run the lifted program where its preconditions hold; give the first difference, and count what was compared."""
    names = [output.name for output in function.outputs]
    run = loaded(function.program, function.name, get_target(to).library)
    kinds = {row.kind for row in function.preconditions}
    in_words = bool(kinds & _IN_WORDS)
    conditions = [row.condition for row in function.preconditions if row.condition]
    small = [case for case in given if not in_words or all(np.all(np.abs(value) <= _SMALL) for value in case.values())]
    taken = [case for case in small if all(holds(condition, case) for condition in conditions)]
    compared, least = 0, TOLERANCE["f4"] if _adds_singles(program) else 0.0
    for case, wanted in zip(taken, original(program, taken), strict=True):
        if wanted is None or ("integers" in kinds and np.asarray(wanted.get("")).dtype == np.uint64):
            continue  # an integer of Python that 64 bits do not hold
        try:
            found = call_program(run, case, len(names))
        except ContractError as error:
            return f"{error}, of {_shown(case)}", compared
        for name, value in zip(names, found, strict=True):
            fault = difference(np.asarray(wanted[name if name in wanted else ""]), np.asarray(value), least)
            if fault and not (
                _is_off_by_one(program, value, wanted)
                or _is_last_of_a_quotient(program, np.asarray(wanted.get(name, 0)), np.asarray(value))
                or _is_unstable(program, case, name, wanted, original)
                or _is_undefined(program, case)
            ):
                return f"{name} {fault}, of {_shown(case)}", compared
        compared += 1
    return "", compared


def _adds_singles(program: Program) -> bool:
    """Tell whether floats of single precision are added up, whatever the type of what is made of them."""
    types = {of for _, *pair in program.used for of in pair}
    return "f32" in types and any(what in _REORDERED for what, _, _ in program.used)


def _is_off_by_one(program: Program, value: Any, wanted: Mapping[str, Any]) -> bool:
    """Tell whether a sum of floats beside a whole number was cut to another integer."""
    floats = any(what == "accumulate" and {one, other} & _INEXACT for what, one, other in program.used)
    return floats and "" in wanted and wanted[""].dtype.kind in "iu" and abs(int(value) - int(wanted[""])) == 1


def _is_last_of_a_quotient(program: Program, wanted: Any, found: Any) -> bool:
    """Tell whether whole quotients of floats differ by one where a float holds no halves any more."""
    divides = any("//" in (what, one, other) for what, one, other in program.used)
    wrong = wanted != found
    if not divides or wanted.dtype.kind not in "iu" or wanted.shape != found.shape:
        return False
    return bool(np.all(np.abs(wanted[wrong] - found[wrong]) <= 1) and np.all(np.abs(wanted[wrong]) >= 1 << 52))


def _is_unstable(program: Program, case: Arguments, name: str, wanted: Results, original: Original) -> bool:
    """Tell whether the original changes where inputs are rounded differently, or come in another order to a sum."""
    key = name if wanted is not None and name in wanted else ""
    changes: list[Callable[[Any], Any]] = [lambda value: nudged(value, whole=False)]
    if any(what in _REORDERED for what, _, _ in program.used):
        changes = [nudged, *(partial(_rotated, by=by) for by in (0, 1, 20, 150))]
    changed = [{k: change(value) for k, value in case.items()} for change in changes]
    others = original(program, changed)
    return wanted is None or any(
        other is None or difference(np.asarray(wanted[key]), np.asarray(other[key]), share=_UNSTABLE)
        for other in others
    )


def _rotated(value: Any, by: int) -> Any:
    return np.roll(value, by)[::-1] if np.ndim(value) == 1 else value


def _is_undefined(program: Program, case: Arguments) -> bool:
    """Tell whether a Python function converts a float beyond its type, which NumPy does in a way of the machine."""
    if not program.text.startswith("import numpy"):
        return False
    (read,) = read_python(program.text, "original.py")
    assert read.module is not None
    arguments = {name: np.array(value) if np.ndim(value) else value for name, value in case.items()}
    view = FunctionView(functions(read.module)[0])
    given = [p for p in view.parameters if p.role == "array" and p.name in arguments]
    extents = [pair for p in given for pair in zip(p.extents or (), arguments[p.name].shape, strict=True)]
    sizes = {**case, **{str(extent.terms[0][0]): length for extent, length in extents if extent.terms}}
    made = {
        p.name: np.zeros([e.at(sizes) for e in p.extents], NUMPY_TYPES[p.dtype]) if p.extents else sizes[p.name]
        for p in view.parameters
        if p.name not in arguments
    }
    try:
        Interpreter(view)({**made, **arguments})
    except UndefinedError:
        return True
    except (InterpreterError, ValueError):
        return False
    return False


def difference(wanted: Any, found: Any, least: float = 0.0, share: float = 1.0) -> str:
    """Say how results differ: shapes, types, integers exactly, floats beyond a share of rounding, ``least`` or more."""
    allowed = share * max(least, *(TOLERANCE.get(one.dtype.str[1:], 0.0) for one in (wanted, found)))
    if not wanted.shape and not found.shape:  # a number's type may depend on data in Python; C returns truth as one
        floats = "f" in wanted.dtype.kind + found.dtype.kind
        wanted, found = (one.astype(np.float64) if floats else one.astype(object) * 1 for one in (wanted, found))
        wanted, found = np.atleast_1d(wanted), np.atleast_1d(found)
    if wanted.shape != found.shape or wanted.dtype != found.dtype:
        return f"is {found.dtype} of shape {found.shape}, not {wanted.dtype} of shape {wanted.shape}"
    if wanted.dtype.kind != "f":
        wrong = wanted != found
    else:
        with np.errstate(all="ignore"):
            near = np.abs(wanted - found) <= allowed * np.maximum(1, np.abs(wanted))
        wrong = ~(near | (wanted == found) | (np.isnan(wanted) & np.isnan(found)))
    if not wrong.any():
        return ""
    at = tuple(int(k) for k in np.argwhere(wrong)[0])
    return f"at {at} is {found[at]!r}, not {wanted[at]!r}"


def _shown(case: Arguments) -> str:
    return ", ".join(f"{name} = {np.asarray(value).ravel()[:60].tolist()}" for name, value in case.items())


def called(program: Program, given: Sequence[Arguments]) -> list[Results]:
    """Call a Python original for each case; None where it raises, or converts what its type does not hold."""
    namespace: dict[str, Any] = {}
    exec(program.text, namespace)
    results: list[Results] = []
    for case in given:
        arguments = {name: np.array(value) if np.ndim(value) else value for name, value in case.items()}
        try:
            with np.errstate(invalid="raise", divide="raise", over="ignore"):
                value = namespace[program.entry](**arguments)
        except (ArithmeticError, ValueError, TypeError):
            results.append(None)
        else:
            after = {name: value for name, value in arguments.items() if isinstance(value, np.ndarray)}
            results.append({**after, **({} if value is None else {"": np.asarray(value)})})
    return results


class Runner:
    """Runs programs seed by seed; those of C and MLIR are compiled a batch at a time."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.to, self.language = options.to, options.language
        self._seeds = range(options.first, options.first + options.count)
        self._batch: tuple[range, Batch | Module] | None = None
        self.used: Counter[tuple[str, str, str]] = Counter()

    def run(self, seed: int) -> Outcome:
        """Lift the program of one seed and compare it, within the limit."""
        program = self.program(seed)
        original = self._original(seed)
        self.used.update(program.used)
        return within(LIMIT, partial(self._reported, program, seed, original))

    def program(self, seed: int) -> Program:
        """Write the program of a seed."""
        program: Program = GENERATORS[self.language].generate(seed)
        return program

    def _reported(self, program: Program, seed: int, original: Original) -> Outcome:
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                return judge(program, seed, SUFFIXES[self.language], self.to, original)
        except TooSlowError:
            raise
        except Exception as error:  # noqa: BLE001 - every other exception is a fault to report
            return Outcome("crash", f"{type(error).__name__}: {error}")

    def _original(self, seed: int) -> Original:
        if self.language == "python":
            return called
        if self._batch is None or seed not in self._batch[0]:
            seeds = range(seed, min(seed + IN_BATCH, self._seeds.stop))
            compiled = Batch if self.language == "c" else Module
            self._batch = seeds, compiled([self.program(one) for one in seeds])
        return self._batch[1].call


def print_coverage(used: Counter[tuple[str, str, str]]) -> None:
    """Print how many programs have each construct with each pair of types, the rarest pair last."""
    for construct in sorted({one for one, _, _ in used}):
        pairs = {(one, other): count for (what, one, other), count in used.items() if what == construct}
        rare = min(pairs, key=pairs.__getitem__)
        print(f"{construct:14} {sum(pairs.values()):7} in {len(pairs):3} pairs, least {' '.join(rare)} {pairs[rare]}")


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    parser.add_argument("--language", choices=["c", "python", "mlir"], default="c", help="of the programs")
    parser.add_argument("--to", default="numpy", help="the target, as `tensorlift targets` lists them")
    parser.add_argument("--coverage", action="store_true", help="count constructs by pairs of types")
    options = parser.parse_args()
    runner = Runner(options)
    status = fuzz(options, runner.run, lambda seed: runner.program(seed).text)
    if options.coverage:
        print_coverage(runner.used)
    return status


if __name__ == "__main__":
    sys.exit(main())
