"""Ways to use an operation: trials of it, and the meaning that they agree on.

One trial with open extents is enough.  Trials with numbers as extents, or as values of attributes, are two: numbers in
what their lowerings compute that differ are written as what they stand for: an extent of the operands or of the result
in both, give or take a little, or the value of an attribute.  All else must be the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from tensorlift.comprehension import terms
from tensorlift.comprehension.instance import Instance, InstanceOperand
from tensorlift.comprehension.notation.syntax import SyntaxFault
from tensorlift.comprehension.rewrite import walk
from tensorlift.comprehension.state import merged, split
from tensorlift.comprehension.tensor import array, scalar_value
from tensorlift.comprehension.terms import Piecewise
from tensorlift.diagnostics import LiftError
from tensorlift.dialects.meanings import NoMeaning, instance_of, summary_of, tidied
from tensorlift.dialects.windows import relation
from tensorlift.languages.mlir import read_mlir
from tensorlift.poly.affine import ONE, Affine
from tensorlift.session import SESSION
from tensorlift.targets.imported.record import INSTANCES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.comprehension.definition import Summary
    from tensorlift.dialects.trials import Trial, Typing

Json = Any
CHOICE = "its lowering chooses between arrays when it runs"
_CHOOSES = re.compile(r"= scf\.if .* -> \(memref<")
_FAULTS = (SyntaxFault, ValueError, KeyError, TypeError, IndexError, RuntimeError)


@dataclass(frozen=True)
class Way:
    """A trial, for which others with numbers stand too: the first two are lowered."""

    trials: tuple[Trial, ...]

    @property
    def lowered(self) -> tuple[Trial, ...]:
        """The trials whose lowerings have to agree."""
        return self.trials[:2]

    @property
    def trial(self) -> Trial:
        """The first trial."""
        return self.trials[0]

    def typed(self, typing: Typing) -> Way:
        """Return the same way for other element types."""
        return Way(tuple(replace(trial, typing=typing) for trial in self.trials))

    def meaning(self, texts: Sequence[str]) -> Instance:
        """Return the instance that the lowerings of the trials compute.

        Raises:
            NoMeaning: where there is none.

        """
        read = [_read(trial, text) for trial, text in zip(self.lowered, texts, strict=True)]
        if len(read) == 1:
            return _completed(self.trial, read[0])
        extents, ends = self._extents()
        names = {
            (self.trial.number(value), other.number(changed)): name
            for other in self.lowered[1:]
            for (name, value), (_, changed) in zip(self.trial.values, other.values, strict=True)
        }
        first, second = map(INSTANCES.write, read)
        data = agreed(first, second, extents, names)
        if extents:
            data |= _bounds(ends, [pair.value for pair in extents])
        data["operands"] += [
            {"name": name, "type": self.trial.dtypes[0], "attribute": True} for name, _ in self.trial.values
        ]
        try:
            found: Instance = INSTANCES.read(Instance, data)
        except _FAULTS as error:
            raise NoMeaning(f"what its lowerings agree on is not read: {error}") from None
        return replace(_completed(self.trial, found), sampled=self._sampled() if extents else ())

    def _extents(self) -> tuple[list[Pair], list[Affine]]:
        """Return what numbers stand for, and the extents of the result that are sizes or follow from others."""
        known: dict[tuple[int, ...], str] = {}
        operands = zip(*(trial.shapes for trial in self.trials), strict=True)
        for operand, shapes in zip(self.trial.operation.operands, operands, strict=False):
            for axis, numbers in enumerate(zip(*shapes, strict=True)):
                if all(isinstance(n, int) and n > 1 for n in numbers):
                    known.setdefault(numbers, f"{operand}_d{axis}")
        values = {numbers: Affine.var(name) for numbers, name in known.items()}
        ends: list[Affine] = []
        own = zip(*(t.result for t in self.trials), strict=True)
        for axis, numbers in enumerate(own):
            if all(isinstance(n, int) and n > 1 for n in numbers) and numbers not in values:
                if numbers[0] == numbers[1]:
                    raise NoMeaning("an extent of its result is a number")
                _relate(values, known, numbers, f"result_d{axis}")
                ends.append(values[numbers])
        return [Pair(numbers[0], numbers[1], value) for numbers, value in values.items()], ends

    def _sampled(self) -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(e for shape in t.shapes for e in shape if isinstance(e, int)) for t in self.lowered)


def _relate(
    values: dict[tuple[int, ...], Affine], known: dict[tuple[int, ...], str], numbers: tuple[int, ...], name: str
) -> None:
    """Find what an extent of the result is: an expression of others, or a size of which others are."""
    found = relation(numbers, {own: numbers for numbers, own in known.items()})
    if found is None:
        raise NoMeaning("the extents of its result do not follow from those of its operands")
    factor, value = found
    if factor == 1:
        values[numbers] = value
        return
    own = Affine.var(name)
    first = next(v for v in value.variables if value.coefficient(v) == 1 and values[_key(known, v)] == Affine.var(v))
    values[_key(known, first)] = own * factor - (value - Affine.var(first))
    values[numbers] = own


def _key(known: dict[tuple[int, ...], str], name: str) -> tuple[int, ...]:
    return next(numbers for numbers, own in known.items() if own == name)


def _bounds(ends: Sequence[Affine], values: Sequence[Affine]) -> Json:
    """Return the sizes and what they meet: all extents are positive."""
    sizes = list(dict.fromkeys(v for value in values for v in value.variables))
    positive = [*sizes, *(str(end) for end in ends if end.variable is None)]
    return {"sizes": sizes, "context": " and ".join(f"{end} > 0" for end in positive)}


def _completed(trial: Trial, found: Instance) -> Instance:
    """Add the operands that are constants."""
    count = len(trial.shapes)
    constants = [
        InstanceOperand(operand, dtype, (ONE,), value=Fraction(0))  # type: ignore[arg-type]  # element types by name
        for operand, dtype in zip(trial.operation.operands[count:], trial.dtypes[count:-1], strict=True)
    ]
    own, attributes = found.operands[:count], found.operands[count:]
    return replace(found, operands=(*own, *constants, *attributes))


def _read(trial: Trial, text: str) -> Instance:
    count = len(trial.shapes)
    summary = computed(text, [*trial.operation.operands[:count], "result"])
    found = in_one(instance_of(trial.operation.name, summary, count, trial.stated))
    if trial.lists and _is_identity(found):
        raise NoMeaning("with numbers in its lists that are tried it gives its operand")
    own = trial.operation
    return replace(found, lists=trial.lists, others=own.results - 1, place=trial.place, regions=own.regions)


def _is_identity(instance: Instance) -> bool:
    """Tell whether an operation gives its first operand, which lists that change nothing do."""
    result, first = instance.result, instance.operands[0]
    cell = terms.read(first.name, result.cell, first.dtype)
    return result.shape == first.shape and [term for _, term in result.pieces] == [cell]


def computed(text: str, names: Sequence[str]) -> Summary:
    """Return what a lowered function computes, with its parameters under the names of operands.

    Raises:
        NoMeaning: where it is not read or not summarised.

    """
    if _CHOOSES.search(text):
        raise NoMeaning(CHOICE)
    SESSION.restart()
    for place, operand in enumerate(names):
        text = re.sub(rf"%arg{place}\b", f"%{operand}", text)
    try:
        (function,) = read_mlir(text, "the lowering")
    except LiftError as refusal:
        raise NoMeaning(f"its lowering is not read: {refusal.diagnostics[0].message}") from None
    return summary_of(function)


def in_one(instance: Instance) -> Instance:
    """Write what is computed on the way into the result."""
    result = instance.result
    if len(instance.definitions) == 1:
        return instance
    operands = [
        scalar_value(terms.scalar(o.name, o.dtype)) if o.is_number else array(o.name, o.shape, o.dtype)
        for o in instance.operands
    ]
    sizes = {size: Affine.var(size) for size in instance.sizes}
    term = instance.computed(operands, sizes).at(result.cell)
    pieces = merged(split([(result.domain, term)]))
    if any(isinstance(node, Piecewise) for _, part in pieces for node in walk(part)):
        return instance
    return replace(instance, definitions=(tidied(replace(result, pieces=tuple(pieces))),))


_TOKEN = re.compile(r"[A-Za-z_]\w*|\d+(?:\.\d+)?(?:e[+-]?\d+)?|\s+|.", re.DOTALL)
_NEAR = (0, -1, 1, -2, 2)  # how much more than an extent a number may be


class Pair(NamedTuple):
    """What the same thing is in both: ``value`` stands for it in what is agreed."""

    first: int
    second: int
    value: Affine


def agreed(first: Json, second: Json, extents: Sequence[Pair], names: dict[tuple[str, str], str]) -> Json:
    """Return data in which texts have expressions where the two differ; ``names`` are those of values by their texts.

    Raises:
        NoMeaning: where they differ otherwise.

    """
    if isinstance(first, str) and isinstance(second, str):
        return _text(first, second, extents, names)
    if isinstance(first, dict) and isinstance(second, dict) and first.keys() == second.keys():
        return {key: agreed(value, second[key], extents, names) for key, value in first.items()}
    if isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        return [agreed(*both, extents, names) for both in zip(first, second, strict=True)]
    if first != second:
        raise _differ()
    return first


def _differ() -> NoMeaning:
    return NoMeaning("its lowering at some extents is another one than at others")


def _text(first: str, second: str, extents: Sequence[Pair], names: dict[tuple[str, str], str]) -> str:
    own, other = _TOKEN.findall(first), _TOKEN.findall(second)
    if len(own) != len(other):
        raise _differ()
    written: list[str] = []
    for place, both in enumerate(zip(own, other, strict=True)):
        if both[0] == both[1]:
            written.append(both[0])
        elif both in names:
            written.append(names[both])
        elif not all(token.isdigit() for token in both) or "*" in _beside(own, place):
            raise _differ()
        else:
            _write(written, _near(int(both[0]), int(both[1]), extents))
    return "".join(written)


def _beside(tokens: Sequence[str], place: int) -> str:
    """Return what follows a token, spaces aside."""
    return "".join(tokens[place + 1 : place + 3]).strip()[:1]


def _near(first: int, second: int, extents: Sequence[Pair]) -> Affine:
    """Return what both numbers are: an extent, give or take a little, else one and another once or more."""
    for more in _NEAR:
        for pair in extents:
            if (first, second) == (pair.first + more, pair.second + more):
                return pair.value + more
    known = {f"pair{place}": pair for place, pair in enumerate(extents)}
    found = relation((first, second), {name: (pair.first, pair.second) for name, pair in known.items()})
    if found is None or found[0] != 1:
        raise _differ()
    return found[1].substitute({name: pair.value for name, pair in known.items()})


def _write(written: list[str], value: Affine) -> None:
    """Write an expression behind what is written: a minus there turns all of its signs."""
    before = next((place for place in range(len(written) - 1, -1, -1) if written[place].strip()), None)
    if before is None or written[before] not in ("-", "+"):
        written.append(str(value))
        return
    turned = -value if written[before] == "-" else value
    del written[before:]
    terms = [*turned.terms, *([("", turned.constant)] if turned.constant else [])]
    written.append(" ".join(f"{'-' if number < 0 else '+'} {_times(name, abs(number))}" for name, number in terms))


def _times(name: str, number: int) -> str:
    return (name if number == 1 else f"{number} * {name}") if name else str(number)
