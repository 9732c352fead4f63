"""Loading tactics: names are checked, builders become steps, and the steps are decided equal to the pattern.

What a tactic says is not trusted: the cell that the pattern computes and the cell that the steps compute are compared
by the normal form with which the checker compares programs, for all sizes, each group as one index and as two, each
factor placeholder as several numbers.  A tactic that contradicts itself is refused with a counterexample.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from tensorlift.comprehension.domain import Domain, at_least
from tensorlift.comprehension.normal import equal
from tensorlift.comprehension.session import SESSION
from tensorlift.diagnostics import LiftError, Location, refuse
from tensorlift.synthesis.tactics.counterexample import counterexample
from tensorlift.synthesis.tactics.generate import steps_of
from tensorlift.synthesis.tactics.meaning import Meaning, range_of, variables_of
from tensorlift.synthesis.tactics.names import check_builder, check_pattern, given_arrays
from tensorlift.synthesis.tactics.patterns import factors_of, indices_in, term_of
from tensorlift.synthesis.tactics.reader import Reader
from tensorlift.synthesis.tactics.steps import Program, Tensor, parse_steps
from tensorlift.synthesis.tactics.syntax import GROUP, Name, Number, cells_of, names_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tensorlift.comprehension.terms import Term
    from tensorlift.synthesis.tactics.syntax import Definition, Statement, Subscript

_SAMPLES = ((1, 2), (2, 3))  # indices in each group, the first factor
_STEPS_SUFFIX = ".tds"


@dataclass(frozen=True)
class Tactic:
    """A pattern with the steps that compute it; ``given`` are the arrays that have values before."""

    program: Program
    given: tuple[str, ...]
    place: Location

    @property
    def name(self) -> str:
        """The name."""
        return self.program.name

    @property
    def pattern(self) -> tuple[Statement, ...]:
        """The statements that the tactic covers."""
        return self.program.pattern

    @property
    def result(self) -> str:
        """The array that the pattern computes."""
        return self.pattern[-1].target.array

    @property
    def indices(self) -> tuple[str, ...]:
        """The indices of the result."""
        return self.pattern[-1].target.indices

    def built(self, width: int, factors: Mapping[str, int]) -> Term:
        """Return the cell that the steps compute; groups have ``width`` indices."""
        meaning = Meaning(self.given, width, factors)
        for step in self.program.steps:
            meaning.take(step)
        return meaning.value(self.result, self.indices)


def load_tactics(text: str, file: str) -> tuple[Tactic, ...]:
    """Return the tactics of a TDL text, or of a TDS text where the name of the file ends in ``.tds``.

    Raises:
        LiftError: TL321 to TL325, where a tactic is not in the language or contradicts itself.

    """
    try:
        found = _read(text, file)
        for tactic in found:
            _check_equal(tactic)
    except RecursionError:
        place, remedy = Location(file, 1, 1), "write it in simpler statements"
        raise refuse("TL321", "not a tactic: it is nested too deeply", place, remedy) from None
    return tuple(found)


def _read(text: str, file: str) -> list[Tactic]:
    if file.endswith(_STEPS_SUFFIX):
        return [_from_steps(program) for program in parse_steps(text, file)]
    return [_from_definition(definition) for definition in Reader(text, file).definitions()]


@cache
def shipped_tactics() -> tuple[Tactic, ...]:
    """Return the library, file by file in the order of their names; loaded once."""
    folder = files("tensorlift.synthesis.tactics") / "library"
    texts = sorted((entry.name, entry.read_text(encoding="utf-8")) for entry in folder.iterdir())
    return tuple(tactic for name, text in texts for tactic in load_tactics(text, name))


def _from_definition(definition: Definition) -> Tactic:
    check_pattern(definition.pattern, definition.place)
    given = given_arrays(definition.pattern)
    if definition.builder:
        check_builder(definition.pattern, definition.builder, definition.place)
    steps = steps_of(definition.builder or definition.pattern, given, definition.place)
    program = Program(definition.name, definition.pattern, steps, definition.place)
    try:
        _check_steps(program, given)
    except LiftError as error:
        message = f"no operations compute this statement: {error.diagnostics[0].message}"
        raise refuse("TL325", message, definition.place, "write it in simpler statements") from None
    return Tactic(program, given, definition.place)


def _from_steps(program: Program) -> Tactic:
    place = program.place or Location(program.name, 1, 1)
    check_pattern(program.pattern, place)
    given = given_arrays(program.pattern)
    _check_steps(program, given)
    result = program.pattern[-1].target
    if (program.steps[-1].target.array, set(program.steps[-1].target.indices)) != (result.array, set(result.indices)):
        raise refuse(
            "TL322", f"the last step does not make `{result}`", program.steps[-1].target.place, "assign it last"
        )
    return Tactic(program, given, place)


def _check_steps(program: Program, given: Sequence[str]) -> None:
    """Refuse steps that use what nothing before has; ``given`` are the arrays that have values before."""
    known = {c.array: _form(c.subscripts) for s in program.pattern for c in cells_of(s.value) if c.array in given}
    known |= {s.target.array: _form(s.target.subscripts) for s in program.pattern if s.target.array in given}
    for step in program.steps:
        for operand in step.operands:
            if not isinstance(operand, Number):
                _check_bound(operand, known, program.pattern)
        plain = [subscript.only for subscript in step.target.subscripts]
        if None in plain or len(set(plain)) < len(plain):
            message = f"`{step.target}` is not made at different plain indices"
            raise refuse("TL322", message, step.target.place, "give each axis an index of its own")
        known[step.target.array] = _form(step.target.subscripts)


def _check_bound(operand: Tensor | Name, known: Mapping[str, tuple[bool, ...]], pattern: Sequence[Statement]) -> None:
    """Refuse names that nothing before has, and arrays at other subscripts than those with which they are made."""
    unbound = "`{}` is not bound by the pattern or a step before"
    if isinstance(operand, Name):
        if operand.name not in {n.name for s in pattern for n in names_of(s.value)}:
            raise refuse("TL322", unbound.format(operand.name), operand.place, "define it first")
        return
    factors = (f for s in operand.subscripts for f, _ in s.terms if isinstance(f, str))
    wrong = [name for name in factors if name not in factors_of(pattern)]
    if operand.array not in known or wrong:
        raise refuse("TL322", unbound.format([*wrong, operand.array][0]), operand.place, "define it first")
    if _form(operand.subscripts) != known[operand.array]:
        message = f"`{operand.array}` has other numbers of indices or groups before"
        raise refuse("TL322", message, operand.place, "use it as it is made")


def _form(subscripts: Sequence[Subscript]) -> tuple[bool, ...]:
    """Tell of each subscript whether it is a group."""
    return tuple(s.only is not None and s.only.endswith(GROUP) for s in subscripts)


# -- the check


def _check_equal(tactic: Tactic) -> None:
    for width, first in _SAMPLES:
        factors = {name: first + position for position, name in enumerate(factors_of(tactic.pattern))}
        wanted, built = term_of(tactic.pattern, width, factors), tactic.built(width, factors)
        variables = [v for index in tactic.indices for v in variables_of(index, width)]
        sizes = {v for term in (wanted, built) for v in term.free if v.startswith("n_")}
        domain = range_of(variables) & Domain.of(*(at_least(v, 1) for v in sorted(sizes)))
        SESSION.forget()
        if equal(wanted, built, domain):
            continue
        shown = counterexample(
            wanted, built, variables, [v for index in indices_in(tactic.pattern) for v in variables_of(index, width)]
        )
        what = (
            f"its builder does not compute its pattern: {shown}"
            if shown
            else "its builder is not shown to compute its pattern"
        )
        raise refuse(
            "TL324", f"the tactic `{tactic.name}` contradicts itself: {what}", tactic.place, "correct the builder"
        )
