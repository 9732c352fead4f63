"""Lift random programs that mix element types, and compare them with their originals on many inputs.

    python bench/fuzz_types.py FIRST COUNT [--language c|python|mlir] [--to TARGET] [--coverage]

Programs take turns with the targets that are installed; NumPy has most of them.  C runs compiled with the sanitizer for
undefined behaviour, Python as it is, MLIR as upstream's compiler runs it; inputs on which these have no meaning are
left out.  Integers must be equal; floats up to rounding, unless rounding the inputs differently changes the original by
as much.  A difference, a crash, and a test that contradicts a proof are printed with the program; the exit status is
then 1.  ``--coverage`` prints how many programs have each construct with each pair of types that it is wanted with;
after a full run the exit status is 1 where they are too few.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sys
import warnings
from collections import Counter
from dataclasses import replace
from functools import partial
from operator import gt
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script, only bench/ would be searched

from bench.fuzzing import Outcome, TooSlowError, add_arguments, fuzz, within
from bench.random_types import c_programs, mlir_programs, python_programs
from bench.random_types.compiled import Batch
from bench.random_types.constructs import CONSTRUCTS, LEAST, PROGRAMS, some, uses_of
from bench.random_types.module import Module
from bench.random_types.types import MOST, SMALL, TYPES, Program, numbers
from tensorlift.contract.decide import holds
from tensorlift.ir.function import FunctionView
from tensorlift.ir.interpreter import Interpreter, InterpreterError, UndefinedError
from tensorlift.ir.memory import NUMPY_TYPES
from tensorlift.ir.text import functions
from tensorlift.languages.python import read_python
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.runtime.data import nudged
from tensorlift.runtime.libraries import installation
from tensorlift.runtime.program import ContractError, call_program
from tensorlift.runtime.program_worker import loaded
from tensorlift.source import source_from_text
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping, Sequence

    from bench.random_types.constructs import Use
    from tensorlift.record import FunctionRecord

    Arguments = Mapping[str, Any]
    Results = Mapping[str, Any] | None
    Original = Callable[[Program, Sequence[Arguments]], Sequence[Results]]

# Fusing a conversion of 64 bits by way of single precision to 8, XLA's compiler for processors ends the process.
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_use_fusion_emitters=false")
LIMIT = 30  # seconds of the processor for one program
IN_BATCH = 100
SIZES = ((0, 0), (1, 1), (5, 3), (300, 7), (40, 130), (3, 4), (7, 5), (2, 300))
FIRSTS = (0, 1, 3, 2**31 + 7, 2**31 - 3, 5, 0, 2**40)
GENERATORS: dict[str, Any] = {"c": c_programs, "python": python_programs, "mlir": mlir_programs}
_THOROUGH = 5  # the size at which each argument is drawn by itself
SUFFIXES = {"c": ".c", "python": ".py", "mlir": ".mlir"}
SIGNED = tuple(of for of in TYPES if of[0] != "u")
# The targets that programs take turns with.  Those that lack operations or types have programs of a few uses, and
# PyTorch and Linalg, which lack most unsigned types, have none of these: larger ones would mostly be refused.
TURNS = (
    *["numpy"] * 5,
    "torch",
    *["numpy"] * 4,
    "stablehlo",
    *["numpy"] * 2,
    "c",
    *["numpy"] * 2,
    "linalg",
    "c",
    "jax",
    "numpy",
)
FEW_USES = {"jax": TYPES, "stablehlo": TYPES, "torch": SIGNED, "linalg": SIGNED}
_COMPILED = {"jax", "stablehlo"}  # for each size, which takes long
SPARE = {".c": 0, ".py": 3, ".mlir": 3}  # cells of arrays behind those that loops reach; C tells sizes by extents alone
_IN_WORDS = {
    "overflow",
    "integers",
    "exact",
}  # preconditions that nothing decides before the call: numbers are small then
_SMALL = 300
_ONE_CELL = re.compile(r"%(\w+): tensor<1x")  # a parameter of which the loops of C reach one cell, or none
_INEXACT = {"f32", "f64", "float", "?"}  # types of what may be rounded
_UNSTABLE = 0.1  # of the tolerance; so much a change of the original may show
_CONTRACTING = {"linalg", "stablehlo", "jax"}  # targets that round a product and a sum as one
_RECIPROCAL = {"jax", "stablehlo"}  # XLA multiplies by the reciprocal of a divisor, which is off by the last bit
_REORDERED = {"accumulate", "fold"}  # constructs of which the program may add in another order
TOLERANCE = {"f4": 1e-4, "f8": 1e-9}


def cases(program: Program, seed: int, spare: int, sizes: Sequence[tuple[int, int]] = SIZES) -> list[dict[str, Any]]:
    """Draw inputs at several sizes: small numbers, large ones in some arguments, or in all of them.

    In some there are ``spare`` cells behind those that loops reach.
    """
    rng, made = random.Random(f"inputs {seed}"), []
    for (n, m), first in zip(sizes, FIRSTS, strict=False):
        behind = spare if n < m else 0
        for large in _large(program, rng, n):
            most = {p.name: rng.choice(MOST) if p.name in large else SMALL for p in program.parameters}
            lengths = {"n": n, "m": m}
            case = {p.name: _argument(p, lengths, first, rng, most[p.name], behind) for p in program.parameters}
            positive = [k for k, v in case.items() if most[k] == SMALL and not isinstance(v, int)]
            positive = rng.choice((positive, []))  # unsigned numbers of negative floats have no meaning
            made.append({k: np.abs(v) if k in positive else v for k, v in case.items()})
    return made


def _large(program: Program, rng: random.Random, n: int) -> list[list[str]]:
    """Choose the arguments that have numbers of any magnitude, case by case: at one size each of them by itself."""
    names = [p.name for p in program.parameters if not p.is_size]
    each = [[name] for name in names]
    if n == _THOROUGH:
        return [[], *each, *each, rng.sample(names, min(2, len(names))), names]
    return [[], *rng.sample(each, min(2, len(each))), *([names] if n == 1 else [])]


def _argument(  # noqa: PLR0913, PLR0917 - what is drawn from
    parameter: Any, sizes: dict[str, int], first: int, rng: random.Random, most: float, spare: int
) -> Any:
    if parameter.is_size:
        return sizes[parameter.name]
    if parameter.name == "first":
        return first if first < 2 ** (31 if parameter.dtype in {"i32", "u32"} else 63) else 3
    shape = [sizes[extent] + spare for extent in parameter.shape]
    share = rng.choice((0.8, 0.02)) if parameter.shape else 0.7
    drawn = numbers(rng, parameter.dtype, int(np.prod(shape, dtype=int)), most, share).reshape(shape)
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
    fault, compared = compare(
        program, function, to, cases(program, seed, SPARE[suffix], SIZES[:3:2] if to in _COMPILED else SIZES), original
    )
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
    single = set(_ONE_CELL.findall(function.program)) & set(given[0])
    in_64_bits = {p.name for p in function.parameters if p.role == "size"} if to == "stablehlo" else set()
    is_single = _computes_singles(program, _REORDERED) or (to in _RECIPROCAL and _computes_singles(program, {"/"}))
    compared, least = 0, TOLERANCE["f4"] if is_single else 0.0
    for case, wanted in zip(taken, original(program, taken), strict=True):
        if wanted is None or (
            "integers" in kinds and any(np.asarray(wanted[k]).dtype == np.uint64 for k in _returned(wanted))
        ):
            continue  # an integer of Python that 64 bits do not hold
        given_cells = {name: value[:1] if name in single else value for name, value in case.items()}
        given_cells |= {name: np.int64(case[name]) for name in in_64_bits & case.keys()}
        if any(not np.size(given_cells[name]) for name in single):
            continue
        try:
            found = call_program(run, given_cells, len(names))
        except ContractError as error:
            return f"{error}, of {_shown(case)}", compared
        returned = iter(_returned(wanted))
        for name, value in zip(names, found, strict=True):
            key = name if name in wanted else next(returned)
            here, there = _in_place(np.asarray(value), case.get(name)), np.asarray(wanted[key])
            fault = difference(there, here, least)
            if fault and not (
                (key not in case and _is_off_by_one(program, here, there))
                or _is_last_of_a_quotient(program, there, here)
                or (to in _CONTRACTING and _is_contracted(program, there, here))
                or _is_unstable(program, case, key, wanted, original)
                or _is_undefined(program, case)
            ):
                return f"{name} {fault}, of {_shown(case)}", compared
        compared += 1
    return "", compared


def _in_place(found: Any, given: Any) -> Any:
    """Return what a caller has after a call: a program gives the cells that loops of C reach, the first ones."""
    whole = np.array(given)
    if whole.shape == found.shape or whole.ndim != found.ndim or whole.dtype != found.dtype:
        return found
    if any(map(gt, found.shape, whole.shape)):
        return found
    whole[tuple(map(slice, found.shape))] = found
    return whole


def _computes_singles(program: Program, by: Container[str]) -> bool:
    """Tell whether some construct may compute in single precision, whatever the type of what is made of that."""
    types = {of for _, *pair in program.used for of in pair}
    return "f32" in types and any(what in by for what, _, _ in program.used)


def _returned(wanted: Mapping[str, Any]) -> list[str]:
    """List the keys of what an original returned, beside the arrays that it wrote."""
    return [key for key in wanted if not key or key.isdigit()]


def _is_off_by_one(program: Program, found: Any, wanted: Any) -> bool:
    """Tell whether a sum of floats beside a whole number was cut to another integer."""
    floats = any(what == "accumulate" and {one, other} & _INEXACT for what, one, other in program.used)
    return floats and not wanted.ndim and bool(wanted % 1 == 0 and abs(float(found) - float(wanted)) == 1)


def _is_last_of_a_quotient(program: Program, wanted: Any, found: Any) -> bool:
    """Tell whether whole quotients of floats differ by one where a float holds no halves any more."""
    divides = any("//" in (what, one, other) for what, one, other in program.used)
    wrong = wanted != found
    if not divides or wanted.dtype.kind not in "iu" or wanted.shape != found.shape:
        return False
    return bool(np.all(np.abs(wanted[wrong] - found[wrong]) <= 1) and np.all(np.abs(wanted[wrong]) >= 1 << 52))


def _is_contracted(program: Program, wanted: Any, found: Any) -> bool:
    """Tell whether integers differ by one, or truths, where a product and a sum of floats may be rounded as one.

    Programs for Linalg are compiled so, and XLA does it: what is proved over the reals may be contracted.
    """
    if wanted.shape != found.shape or wanted.dtype.kind not in "biu":
        return False
    python = program.text.startswith("import numpy")
    scaled = " * 0.1" in program.text or (python and " / " in program.text)
    floats = scaled or any({one, other} & _INEXACT for _, one, other in program.used)
    return floats and bool(np.all(np.abs(wanted.astype(np.int64) - found.astype(np.int64)) <= 1))


def _is_unstable(program: Program, case: Arguments, key: str, wanted: Mapping[str, Any], original: Original) -> bool:
    """Tell whether the original changes where inputs are rounded differently, or come in another order to a sum."""
    changes: list[Callable[[Any], Any]] = [lambda value: nudged(value, whole=False)]
    if any(what in _REORDERED for what, _, _ in program.used):
        changes = [nudged, *(partial(_rotated, by=by) for by in (0, 1, 20, 150))]
    changed = [{k: change(value) for k, value in case.items()} for change in changes]
    others = [other for other in original(program, changed) if other is not None]
    return any(difference(np.asarray(wanted[key]), np.asarray(other[key]), share=_UNSTABLE) for other in others)


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
        p.name: np.zeros([e.at(sizes) for e in p.extents or ()], NUMPY_TYPES[p.dtype])
        if p.role == "array"
        else sizes[p.name]
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
    namespace: dict[str, Any] = {"int": _limited}
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
            values = enumerate(value) if isinstance(value, tuple) else [("", value)]
            results.append({**after, **{str(key): np.asarray(one) for key, one in values if one is not None}})
    return results


def _limited(value: Any) -> int:
    """Make an integer of Python, as long as 64 bits hold it, which programs ask for."""
    whole = int(value)
    if not -1 << 63 <= whole < 1 << 63:
        raise OverflowError
    return whole


class Runner:
    """Runs programs seed by seed; those of C and MLIR are compiled a batch at a time."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.to, self.language = options.to, options.language
        self._turns = tuple(one if not installation(get_target(one).library) else "numpy" for one in TURNS)
        self._walks = [one not in FEW_USES for one in TURNS]
        self._share = 1.0 if self.to else sum(self._walks) / len(TURNS)
        self._seeds = range(options.first, options.first + options.count)
        self._batch: tuple[range, Batch | Module] | None = None
        self.used: Counter[Use] = Counter()

    def run(self, seed: int) -> Outcome:
        """Lift the program of one seed and compare it, within the limit."""
        program = self.program(seed)
        original = self._original(seed)
        self.used.update(program.used)
        return within(LIMIT, partial(self._reported, program, seed, original))

    def target(self, seed: int) -> str:
        """Return the target of a seed."""
        target: str = self.to or self._turns[seed % len(self._turns)]
        return target

    def program(self, seed: int) -> Program:
        """Write the program of a seed, which follows from the seed, its target and the language alone."""
        generate: Callable[..., Program] = GENERATORS[self.language].generate
        types = None if self.to else FEW_USES.get(self.target(seed))
        if types is None:
            return generate(seed, uses_of(self.language, self._rank(seed), self._share))
        return generate(seed, some(self.language, seed, types), types)

    def _rank(self, seed: int) -> int:
        """Count the seeds before this one whose programs have what is wanted of a run."""
        if self.to:
            return seed
        rounds, place = divmod(seed, len(TURNS))
        return rounds * sum(self._walks) + sum(self._walks[:place])

    def _reported(self, program: Program, seed: int, original: Original) -> Outcome:
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                outcome = judge(program, seed, SUFFIXES[self.language], self.target(seed), original)
        except TooSlowError:
            raise
        except Exception as error:  # noqa: BLE001 - every other exception is a fault to report
            outcome = Outcome("crash", f"{type(error).__name__}: {error}")
        return replace(outcome, kind=f"{self.target(seed):10} {outcome.kind}", fault=outcome.fault)

    def _original(self, seed: int) -> Original:
        if self.language == "python":
            return called
        if self._batch is None or seed not in self._batch[0]:
            seeds = range(seed, min(seed + IN_BATCH, self._seeds.stop))
            compiled = Batch if self.language == "c" else Module
            self._batch = seeds, compiled([self.program(one) for one in seeds])
        return self._batch[1].call


def print_coverage(used: Counter[Use], language: str) -> int:
    """Print how many programs have each construct with each pair of types that it is wanted with; return the least.

    The least counts as of fifty where fewer are wanted.
    """
    least = LEAST
    for construct in CONSTRUCTS[language]:
        counts = {pair: used[construct.name, *pair] for pair in construct.pairs}
        rare = min(counts, key=counts.__getitem__)
        least = min(least, counts[rare] * LEAST // construct.least)
        shown = f"{construct.name:12} {sum(counts.values()):7} in {len(counts):3} pairs"
        print(f"{shown}, least {' '.join(rare)} {counts[rare]} of {construct.least}")
    return least


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    parser.add_argument("--language", choices=["c", "python", "mlir"], default="c", help="of the programs")
    parser.add_argument("--to", default="", help="one target, as `tensorlift targets` lists them; all by default")
    parser.add_argument("--coverage", action="store_true", help="count constructs by pairs of types")
    options = parser.parse_args()
    runner = Runner(options)
    status = fuzz(options, runner.run, lambda seed: runner.program(seed).text)
    is_full = options.count >= PROGRAMS[options.language]
    if options.coverage and print_coverage(runner.used, options.language) < LEAST and is_full:
        return 1
    return status


if __name__ == "__main__":
    sys.exit(main())
