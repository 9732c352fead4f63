"""Loading tactics: names are checked, builders become steps, and the steps are decided equal to the pattern.

What a tactic says is not trusted: the cell that the pattern computes and the cell that the steps compute are compared
by the normal form with which the checker compares programs, for all sizes, each group as one index and as two, each
factor placeholder as several numbers.  A tactic that contradicts itself is refused with a counterexample.

Of names everything that is used is bound, everything that is bound is used, and each is one thing.

Counterexamples are small sizes and arrays of small numbers for which two terms differ.
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from functools import cache
from importlib.resources import files
from itertools import product
from typing import TYPE_CHECKING, Any

from tensorlift.comprehension.normal import equal
from tensorlift.comprehension.terms import Apply, Constant, Piecewise, Read, Reduce, Scalar, Term
from tensorlift.diagnostics import LiftError, Location, refuse
from tensorlift.ir.subscripts import STRUCTURED
from tensorlift.ops.scalar_ops import COMPARISONS, ON_NUMBERS
from tensorlift.poly.domain import Domain, at_least
from tensorlift.session import SESSION
from tensorlift.synthesis.tactics.built import built_from, leaves_of
from tensorlift.synthesis.tactics.meaning import Meaning, factors_of, indices_in, range_of, term_of, variables_of
from tensorlift.synthesis.tactics.reader import Reader
from tensorlift.synthesis.tactics.steps import Program, Tensor, parse_steps, steps_of
from tensorlift.synthesis.tactics.syntax import (
    GROUP,
    Cell,
    Name,
    Number,
    cells_of,
    folded,
    given_arrays,
    indices_of,
    names_of,
)
from tensorlift.synthesis.tactics.tablegen import definitions_in, is_tablegen

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from tensorlift.synthesis.tactics.built import Built
    from tensorlift.synthesis.tactics.syntax import Definition, Spelling, Statement, Subscript


_SAMPLES = ((1, 2), (2, 3))  # indices in each group, the first factor
_STEPS_SUFFIX = (".tds", ".td")


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
    """Return the tactics of a TDL text, or of a TDS text where the name of the file ends in ``.tds`` or ``.td``.

    Raises:
        LiftError: TL321 to TL325, where a tactic is not in the language or contradicts itself.

    """
    try:
        if file.endswith(_STEPS_SUFFIX) and is_tablegen(text):
            found = list(map(_from_definition, definitions_in(text, file)))
        elif file.endswith(_STEPS_SUFFIX):
            found = list(map(_from_steps, parse_steps(text, file)))
        else:
            found = list(map(_from_definition, Reader(text, file).definitions()))
        for tactic in found:
            _check_spellings(tactic.program)
            _check_equal(tactic)
    except RecursionError:
        place, remedy = Location(file, 1, 1), "write it in simpler statements"
        raise refuse("TL321", "not a tactic: it is nested too deeply", place, remedy) from None
    if not found:
        raise refuse("TL321", "the file has no tactic", Location(file, 1, 1), "write one as in docs/tactics.md")
    return tuple(found)


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
    program = Program(definition.name, definition.pattern, steps, definition.place, definition.levels)
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
        message = f"`{operand.array}` is defined with another number of indices or groups"
        raise refuse("TL322", message, operand.place, "use the indices of its definition")


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


def check_pattern(statements: Sequence[Statement], place: Location) -> None:
    """Refuse a pattern whose names do not fit together.

    Raises:
        LiftError: TL322 or TL323.

    """
    _check_kinds(statements, place)
    result = statements[-1].target.array
    for statement in statements:
        _check_statement(statement, place)
        free = [c for c in statement.conditions if not set(c.indices) & set(folded(statement))]
        if free and statement.target.array == result:
            remedy = "leave it out: where a definition holds is not the pattern's business"
            raise _unbound(f"the condition `{free[0]}` is not on a folded index", statement.target.place, place, remedy)
    _check_read(statements, result, place)


def check_builder(pattern: Sequence[Statement], builder: Sequence[Statement], place: Location) -> None:
    """Refuse a builder that uses what its pattern does not bind, or leaves out what it binds.

    Raises:
        LiftError: TL322 or TL323.

    """
    _check_kinds([*pattern, *builder], place)
    known = {*given_arrays(pattern)}
    indices = {i for s in pattern for c in _cells(s) for i in c.indices}
    fused = {f.index: f for s in builder for f in s.fusions}
    scalars = {n.name for s in pattern for n in names_of(s.value)}
    for statement in builder:
        _check_statement(statement, place)
        for fusion in statement.fusions:
            if not set(fusion.parts) <= indices or fusion.index in indices or fused[fusion.index] != fusion:
                message = f"`{fusion}` does not name a new index for indices of the pattern"
                raise _unbound(message, statement.target.place, place)
        _check_all_bound(statement, (known, scalars, indices | fused.keys()), place)
        known.add(statement.target.array)
    _check_result(pattern, builder, place)
    used = {c.array for s in builder for c in cells_of(s.value)} | {s.target.array for s in builder}
    unused = next((a for a in given_arrays(pattern) if a not in used), None)
    scalar = next((n for n in sorted(scalars - {n.name for s in builder for n in names_of(s.value)})), None)
    if unused or scalar:
        raise _unused(f"the builder does not use `{unused or scalar}` of the pattern", place)
    _check_read(builder, pattern[-1].target.array, place)


def _check_all_bound(statement: Statement, bound: tuple[set[str], set[str], set[str]], place: Location) -> None:
    """Demand that the arrays, scalars and indices of a builder statement are bound."""
    arrays, scalars, indices = bound
    for cell in cells_of(statement.value):
        if cell.array not in arrays:
            raise _unbound(f"the array `{cell.array}` is not bound by the pattern or before", cell.place, place)
    for name in names_of(statement.value):
        if name.name not in scalars:
            raise _unbound(f"the scalar `{name.name}` is not bound by the pattern", name.place, place)
    for cell in _cells(statement):
        unknown = next((i for i in cell.indices if i not in indices), None)
        if unknown is not None:
            raise _unbound(f"the index `{unknown}` is not bound by the pattern", cell.place, place)


def _check_result(pattern: Sequence[Statement], builder: Sequence[Statement], place: Location) -> None:
    wanted, made = pattern[-1].target, builder[-1].target
    fused = {f.index: f.parts for f in builder[-1].fusions}
    indices = tuple(part for index in made.indices for part in fused.get(index, (index,)))
    if made.array != wanted.array or indices != wanted.indices:
        message = f"the last statement of the builder assigns `{made}`, not `{wanted}`"
        raise _unbound(message, made.place, place, f"end with a statement that assigns `{wanted}`")


_BLAS = tuple(f"@cblas_{number}{family}" for number in "ds" for family in ("gemm", "gemv", "ger", "dot"))
_LOOPS = ("affine.for", "affine.parallel", "scf.for", "scf.forall", "scf.parallel")
_OWN = ("linalg", "affine", "arith", "math", "memref", "scf", "func", "tensor", "builtin")  # dialects that are known


def _check_spellings(program: Program) -> None:
    """Refuse operations that are none, and operands that are not those of the statement."""
    for level in program.levels:
        if level.operation not in (*STRUCTURED, *_LOOPS):
            raise _unknown(program.name, level, (*STRUCTURED, *_LOOPS))
    for spelling in (step.spelling for step in program.steps if step.spelling is not None):
        operation = spelling.operation
        accepted: Sequence[str] = ()
        if operation.startswith("@cblas_"):
            accepted = _BLAS
        elif operation.partition(".")[0] in _OWN:
            accepted = (*STRUCTURED, "affine.for")
        if accepted and operation not in accepted:
            raise _unknown(program.name, spelling, accepted)
        if accepted and spelling.operands:
            message = f"a name of the tactic is not used: `{operation}` takes the operands of the statement as they are"
            raise refuse("TL323", message, spelling.place, f"write `as {operation}`")
    for built in built_from(program.steps):
        _check_operands(built)


def _check_operands(built: Built) -> None:
    """Refuse a list of operands that is not what the statement reads and assigns."""
    spelling = built.spelling
    if spelling is None or not spelling.operands:
        return
    leaves = (leaf for leaf in (*leaves_of(built.value), built.target) if not isinstance(leaf, Number))
    named = {leaf.array if isinstance(leaf, Tensor) else leaf.name for leaf in leaves}
    unknown = next((name for name in spelling.operands if name not in named), None)
    if unknown is not None:
        message = f"a name of the tactic is not bound as it is used: `{unknown}` is no array or scalar of the statement"
        raise refuse("TL322", message, spelling.place, "name arrays and scalars of the statement")
    missing = sorted(named.difference(spelling.operands))
    if missing:
        message = f"a name of the tactic is not used: `{spelling.operation}` does not take `{missing[0]}` of `{built}`"
        raise refuse("TL323", message, spelling.place, "name all arrays and scalars of the statement, or none")


def check_operations(tactics: Sequence[Tactic], defined: Collection[str]) -> None:
    """Refuse tactics that name operations of other dialects than those that are known, and than the ``defined`` ones.

    Raises:
        LiftError: TL326.

    """
    for tactic in tactics:
        for spelling in (step.spelling for step in tactic.program.steps if step.spelling is not None):
            is_known = spelling.operation.startswith("@") or spelling.operation.partition(".")[0] in _OWN
            if not is_known and spelling.operation not in defined:
                raise _unknown(tactic.name, spelling, defined)


_NEAR = 0.8  # how much of a name must be alike: its dialect is most of it


def _unknown(tactic: str, spelling: Spelling, accepted: Collection[str]) -> LiftError:
    near = get_close_matches(spelling.operation, accepted, 1, _NEAR)
    remedy = f"use one of: {', '.join(accepted)}" if accepted else "define its dialect with --irdl-file FILE"
    message = f"the tactic `{tactic}` names the operation `{spelling.operation}`, which is not known"
    return refuse("TL326", message, spelling.place, f"write `{near[0]}`" if near else remedy)


def _cells(statement: Statement) -> tuple[Cell, ...]:
    return (statement.target, *cells_of(statement.value))


def _check_kinds(statements: Iterable[Statement], place: Location) -> None:
    """Demand that each name is an array of one rank, a scalar, an index or a factor."""
    kinds: dict[str, str] = {}
    for statement in statements:
        seen = [(n.name, "a scalar", n.place) for n in names_of(statement.value)]
        for cell in _cells(statement):
            if not statement.fusions:
                seen.append((cell.array, f"an array with {len(cell.subscripts)} subscripts", cell.place))
            for subscript in cell.subscripts:
                seen += [(name, "an index", cell.place) for _, name in subscript.terms]
                seen += [(f, "a factor", cell.place) for f, _ in subscript.terms if isinstance(f, str)]
        for name, kind, where in seen:
            if kinds.setdefault(name, kind) != kind:
                raise _unbound(
                    f"`{name}` is {kinds[name]}, and {kind} here", where, place, "give each thing a name of its own"
                )


def _check_statement(statement: Statement, place: Location) -> None:
    target = statement.target
    names = [s.only for s in target.subscripts]
    if None in names or len(set(names)) != len(names):
        raise _unbound(
            f"`{target}` is not an array at different plain indices", target.place, place, "assign to each cell once"
        )
    loose = folded(statement)
    if statement.op == "=" and loose:
        message = f"the index `{loose[0]}` is not bound by `{target}`"
        raise _unbound(message, target.place, place, "add it to the target, or fold with `+=`, `max=` or `min=`")
    if statement.op != "=":
        unused = next((i for i in target.indices if i not in indices_of(statement.value)), None)
        if unused is not None and not indices_of(statement.value):
            raise _unused(f"the value does not depend on the index `{unused}`", target.place or place)
    known = {*target.indices, *indices_of(statement.value)}
    unknown = next((i for c in statement.conditions for i in c.indices if i not in known), None)
    if unknown is not None:
        raise _unbound(f"the index `{unknown}` of a condition is not bound", target.place, place)


def _check_read(statements: Sequence[Statement], result: str, place: Location) -> None:
    for position, statement in enumerate(statements):
        array = statement.target.array
        later = statements[position + 1 :]
        read = any(array in [c.array for c in cells_of(s.value)] or s.target.array == array for s in later)
        if array != result and not read:
            raise _unused(f"`{array}` is assigned and never read", statement.target.place or place)


def _unbound(
    message: str, where: Location | None, place: Location, remedy: str = "bind it in the pattern"
) -> LiftError:
    return refuse("TL322", f"a name of the tactic is not bound as it is used: {message}", where or place, remedy)


def _unused(message: str, place: Location) -> LiftError:
    return refuse("TL323", f"a name of the tactic is not used: {message}", place, "use it, or leave it out")


_LARGEST = 3
_TOLERANCE = 1e-9
_Number = Fraction | float

_EXACT: dict[str, Callable[..., Any]] = {
    **ON_NUMBERS,
    **COMPARISONS,
    "max": max,
    "min": min,
    "abs": abs,
    "select": lambda c, a, b: a if c else b,
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
    "not": operator.not_,
}
_FOLDS: dict[str, Callable[[list[Any]], Any]] = {"sum": sum, "max": max, "min": min, "prod": math.prod}


def counterexample(wanted: Term, built: Term, cell: Sequence[str], indices: Sequence[str]) -> str | None:
    """Say for which sizes and cell the pattern and the builder give different numbers; None where none was found.

    Indices run up to 3; cells of arrays and scalars are small integers that depend on their names and places.
    """
    for largest in range(1, _LARGEST + 1):
        sizes = {f"n_{index}": largest - position % 2 if largest > 1 else 1 for position, index in enumerate(indices)}
        for point in product(*(range(sizes[f"n_{v}"]) for v in cell)):
            values = {**sizes, **dict(zip(cell, point, strict=True))}
            try:
                one, other = _value(wanted, values), _value(built, values)
            except (ArithmeticError, ValueError, KeyError, OverflowError):
                continue
            if abs(one - other) > _TOLERANCE:
                extents = ", ".join(f"{index} < {sizes[f'n_{index}']}" for index in indices)
                place = ", ".join(f"{name} = {value}" for name, value in zip(cell, point, strict=True))
                where = f"at {place} " if place else ""
                return f"{where}(for {extents}) the pattern gives {_text(one)}, the builder {_text(other)}"
    return None


def _text(number: _Number) -> str:
    return str(number) if isinstance(number, Fraction) else f"{number:.6g}"


def _content(name: str, place: Sequence[int]) -> Fraction:
    """Return a small number, never zero, that differs between neighbouring cells."""
    seed = sum(map(ord, name)) * 7
    for position, index in enumerate(place):
        seed += (index + 1) * (5 + 6 * position) * (index + 2 + position)
    return Fraction(seed % 9 + 1)


def _value(term: Term, values: Mapping[str, int]) -> Any:
    if isinstance(term, Constant):
        return term.value
    if isinstance(term, Scalar):
        return _content(term.name, ())
    if isinstance(term, Read):
        return _content(term.array, [index.evaluate(values) for index in term.indices])
    if isinstance(term, Reduce):
        points = [_value(term.body, {**values, **point}) for point in _points(term, values)]
        return _FOLDS[term.op](points)
    if isinstance(term, Piecewise):
        return next(_value(piece, values) for domain, piece in term.pieces if _holds(domain, values))
    assert isinstance(term, Apply)
    args = [_value(arg, values) for arg in term.args]
    known = _EXACT.get(term.op)
    if known is not None:
        return known(*args)
    rounded = getattr(math, term.op, None)
    if rounded is None:
        raise ValueError(f"{term.op} is not computed here")
    return rounded(*map(float, args))


def _points(term: Reduce, values: Mapping[str, int]) -> Iterator[dict[str, int]]:
    for point in product(range(_LARGEST), repeat=len(term.bound)):
        named = dict(zip(term.bound, point, strict=True))
        if _holds(term.domain, {**values, **named}):
            yield named


def _holds(domain: Domain, values: Mapping[str, int]) -> bool:
    return not domain.at(values).is_empty()
