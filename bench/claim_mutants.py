"""Change definitions and claims in one place, and see what the first half of the proof takes for the source.

    python bench/claim_mutants.py FIRST COUNT

A function of the collections that is decided is changed, each seed in one of four ways: its definitions, with the
claims that the finder makes of them; its definitions alone; its definitions and a claim; a claim and the source, as
``bench/first_half.py --mutants`` changes it.  What is accepted all the same runs at small sizes: definitions as the
NumPy program that is derived from them, the source in its literal IR.  Where it computes something else than the source
did, there is a hole in the checker, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import dataclasses
import random
import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script, only bench/ would be searched

from bench.first_half import Subject, changed, decide, differs, inputs, subjects
from bench.fuzzing import Outcome, TooSlowError, add_arguments, fuzz, within
from tensorlift.comprehension import terms
from tensorlift.comprehension.rewrite import rebuild, walk
from tensorlift.comprehension.terms import Apply, Constant, Index, Piecewise, Read, Reduce, Term
from tensorlift.contract.required import required, with_room
from tensorlift.deep import with_deep_stack
from tensorlift.diagnostics import Diagnostic, LiftError, Location
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain
from tensorlift.poly.polynomial import ONE, Polynomial
from tensorlift.poly.variables import unconstrained
from tensorlift.runtime.agreement import compare_with_interpreter
from tensorlift.runtime.data import seeded
from tensorlift.runtime.places import Places
from tensorlift.runtime.sizes import choose_sizes
from tensorlift.session import SESSION
from tensorlift.source import source_from_text
from tensorlift.summarize.claims import claims_of
from tensorlift.synthesis.derive import derive
from tensorlift.synthesis.derive.builder import Builder
from tensorlift.synthesis.simplify import simplify
from tensorlift.targets.numpy.emit import emit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from random import Random

    from tensorlift.comprehension.definition import Summary

ROOT = Path(__file__).resolve().parent.parent
_COLLECTIONS = (
    "bench/kernels/*/*.c", "bench/legacy_programs/*.c", "tests/programs/*.c", "bench/cpp_programs/*.cpp",
    "bench/python_programs/*.py", "bench/mlir_programs/*.mlir",
)  # fmt: skip
_PATHS = sorted(path for pattern in _COLLECTIONS for path in ROOT.glob(pattern))
random.Random(0).shuffle(_PATHS)
LIMIT = 30  # seconds of the processor for one mutant
_OF_ONE = 40  # mutants of one function
_MOST_TRIES = 100  # to change a place
_SWAPPED = (
    ("add", "sub", "mul"), ("div", "mul"), ("max", "min"), ("fmax", "fmin"), ("and", "or"), ("tdiv", "rem", "floordiv"),
    ("eq", "ne", "lt", "le", "gt", "ge"), ("sqrt", "exp", "log", "abs"),
)  # fmt: skip
_REDUCERS = (("sum", "prod", "max", "min", "fmax", "fmin"), ("any", "all"))
_OFTEN = 0.7


# -- changes in one place


def parts(value: Any, put: Callable[[Any], Any]) -> Iterator[tuple[Any, Callable[[Any], Any]]]:
    """Yield what can be changed inside a value, each with what gives the whole with another one in its place."""
    if isinstance(value, Term):
        yield from ((node, _chain(put, partial(_with, value, node))) for node in walk(value))
    elif isinstance(value, tuple | list):
        for k, part in enumerate(value):
            yield from parts(part, _chain(put, partial(_with_element, value, k)))
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from parts(part, _chain(put, partial(_with_value, value, key)))
    elif dataclasses.is_dataclass(value) and not isinstance(value, Location | Diagnostic):
        for field in dataclasses.fields(value):
            yield from parts(getattr(value, field.name), _chain(put, partial(_with_field, value, field.name)))
    elif isinstance(value, Affine | Polynomial | Domain | str | int):
        yield value, put


def _chain(outer: Callable[[Any], Any], inner: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda new: outer(inner(new))


def _with_element(value: Any, position: int, new: Any) -> Any:
    return type(value)([*value[:position], new, *value[position + 1 :]])


def _with_value(value: Mapping[Any, Any], key: Any, new: Any) -> Any:
    return {**value, key: new}


def _with_field(value: Any, name: str, new: Any) -> Any:
    return replace(value, **{name: new})


def _with(term: Term, old: Term, new: Term) -> Term:
    memo = {old: new}

    def convert(node: Term) -> Term:
        if node not in memo:
            memo[node] = rebuild(node, convert)
        return memo[node]

    return convert(term)


def mutant(value: Any, rng: Random) -> Any:
    """Return a value that is another one in one place."""
    listed = list(parts(value, lambda new: new))
    names = sorted({part for part, _ in listed if isinstance(part, str)})
    for _ in range(_MOST_TRIES if listed else 0):
        part, put = rng.choice(listed)
        new = _other(part, names, rng)
        if new is not None and new != part:
            return put(new)
    raise AssertionError("nothing can be changed")


def _other(part: Any, names: list[str], rng: Random) -> Any:
    """Return something else of the same type, None where there is nothing."""
    if isinstance(part, bool):
        return not part
    if isinstance(part, int):
        return part + rng.choice((-1, 1))
    if isinstance(part, str):
        return rng.choice(names)
    if isinstance(part, Affine):
        return _other_affine(part, rng)
    if isinstance(part, Polynomial):
        return rng.choice((part + ONE, part - ONE, part.scale(2)))
    return _other_domain(part, rng) if isinstance(part, Domain) else _other_term(part, names, rng)


def _other_affine(affine: Affine, rng: Random) -> Affine:
    if affine.terms and rng.random() > _OFTEN:
        return affine + Affine.var(rng.choice(affine.variables), rng.choice((-1, 1)))
    return affine + rng.choice((-1, 1))


def _other_domain(domain: Domain, rng: Random) -> Domain | None:
    names = domain.variables()
    if not names:
        return None
    name = rng.choice(names)
    moved = domain.substitute({name: Affine.var(name) + rng.choice((-1, 1))})
    return rng.choice((moved, domain | moved, domain & moved, unconstrained(domain, name)))


def _other_term(term: Term, names: list[str], rng: Random) -> Term | None:
    if isinstance(term, Constant):
        value = 1 - term.value if term.dtype == "bool" else term.value + rng.choice((-1, 1))
        return terms.constant(value, term.dtype)
    if isinstance(term, Index):
        return terms.index(_other_affine(term.affine, rng), term.dtype)
    if isinstance(term, Read) and term.indices and rng.random() < _OFTEN:
        at = rng.randrange(len(term.indices))
        others = (*term.indices[:at], _other_affine(term.indices[at], rng), *term.indices[at + 1 :])
        return terms.read(term.array, others, term.dtype)
    if isinstance(term, Read):
        return terms.read(rng.choice(names), term.indices, term.dtype)
    if isinstance(term, Piecewise):
        pieces = list(term.pieces)
        at = rng.randrange(len(pieces))
        domain = _other_domain(pieces[at][0], rng)
        pieces[at] = (pieces[at][0] if domain is None else domain, pieces[at - (domain is None)][1])
        return terms.piecewise(pieces)
    if isinstance(term, Reduce):
        group = next(group for group in _REDUCERS if term.op in group)
        domain = _other_domain(term.domain, rng) if rng.random() < _OFTEN else term.domain
        op: Any = term.op if domain is not term.domain else rng.choice(group)
        return None if domain is None else terms.reduce(op, term.bound, domain, term.body)
    return _other_operation(term, rng) if isinstance(term, Apply) else None


def _other_operation(term: Apply, rng: Random) -> Term | None:
    group = next((group for group in _SWAPPED if term.op in group), None)
    if group is not None and rng.random() < _OFTEN:
        return terms.apply(rng.choice(group), *term.args)
    if term.op == "select":
        condition, chosen, other = term.args
        return terms.apply("select", condition, other, chosen)
    if term.op == "neg":
        return term.args[0]
    return terms.apply(term.op, *term.args[::-1]) if len(term.args) > 1 else None


# -- what becomes of a change


def outcome(seed: int) -> Outcome:
    """Tell what becomes of the mutant of a seed."""
    return within(LIMIT, partial(with_deep_stack, partial(_outcome, seed)))


def _outcome(seed: int) -> Outcome:
    subject = _subject(seed // _OF_ONE)
    rng = random.Random(f"mutant {seed}")
    SESSION.restart()
    way = seed % 4
    if way == 3:  # noqa: PLR2004 - the last of four
        return _other_source(subject, rng)
    try:
        made = _other_definitions(subject, rng)
        if way == 0:
            function = subject.function()
            made = made._replace(claims=claims_of(function, made.summary, subject.view.literal_names))
        elif way == 1:
            made = made._replace(claims=mutant(subject.claims, rng))
    except (ArithmeticError, AssertionError, KeyError, LiftError, TypeError, ValueError):
        return Outcome("not made")
    if _answer(made) != "decided":
        return Outcome("rejected")
    return _ran(made)


def _other_definitions(subject: Subject, rng: Random) -> Subject:
    return subject._replace(summary=replace(subject.summary, items=mutant(subject.summary.items, rng)))


def _other_source(subject: Subject, rng: Random) -> Outcome:
    module, change = changed(subject, rng)
    try:
        made = subject._replace(claims=mutant(subject.claims, rng)) if subject.claims.loops else subject
    except (AssertionError, TypeError, ValueError):
        return Outcome("not made")
    if _answer(made, module) != "decided":
        return Outcome("rejected")
    cases = inputs(subject, rng)
    if any(differs(subject, case, module) for case in cases):
        return Outcome("accepted and wrong", f"{subject.view.name}: {change}")
    return Outcome("accepted and right" if cases else "accepted, but nothing was run")


def _answer(subject: Subject, module: Any = None) -> str:
    try:
        return decide(subject, module).partition(":")[0]
    except TooSlowError:
        raise
    except Exception as error:  # noqa: BLE001 - no data that the finder makes, so that the checker may stop anyhow
        return f"stopped {type(error).__name__}"


def _ran(subject: Subject) -> Outcome:
    """Run changed definitions that were accepted."""
    try:
        report = _compared(subject, subject.summary)
    except (LiftError, ValueError, KeyError, AssertionError) as error:
        return Outcome("accepted, but without a program", f"{subject.view.name}: {error}")
    if report.failures:
        return Outcome("accepted and wrong", f"{subject.view.name}: {report.failures[0]}")
    return Outcome("accepted and right" if report.cases else "accepted, but nothing was run")


def _compared(subject: Subject, summary: Summary) -> Any:
    emitted = emit(derive(simplify(summary), build=Builder(chooses=True)))
    view = subject.view
    domain = with_room(subject.summary.context & required(view), Places(view).room())
    sizes = choose_sizes(view.parameters, domain, seeded(1), 4, largest=6, derived=subject.summary.derived)
    outputs = [name for name, _ in summary.outputs]
    with np.errstate(all="ignore"):
        return compare_with_interpreter(view, emitted.text, emitted.entry, outputs, sizes)


@lru_cache(maxsize=2)
def _subject(number: int) -> Subject:
    """Return the function of a number: the next one that is decided, and whose definitions agree with the source."""
    for attempt in range(len(_PATHS)):
        path = _PATHS[(number + attempt) % len(_PATHS)]
        found = [s for _, s in subjects(source_from_text(path.read_text(encoding="utf-8"), str(path)))]
        for subject in found[number % max(len(found), 1) :]:
            if isinstance(subject, Subject) and _answer(subject) == "decided" and _is_run(subject):
                return subject
    raise AssertionError("nothing is decided")


def _is_run(subject: Subject) -> bool:
    try:
        report = _compared(subject, subject.summary)
    except (LiftError, ValueError, KeyError, AssertionError):
        return False
    return bool(report.cases) and not report.failures


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    return fuzz(parser.parse_args(), outcome, lambda seed: f"way {seed % 4}")


if __name__ == "__main__":
    sys.exit(main())
