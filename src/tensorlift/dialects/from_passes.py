"""Importing a dialect whose operations are lowered by passes: trials of each operation, until one gets a meaning.

    operations -> trials with open extents -> lowered -> summarised -> instances
               -> those without: trials with two sets of numbers -> the same meaning at both? -> instances
               -> those without: the same with constants as the last operands

With open extents a meaning holds for all of them.  Numbers become sizes where an index ties them to loops; what comes
out must be the same from both sets, and no number may stay.
"""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.affine import ONE, Affine
from tensorlift.comprehension.instance import Instance, InstanceOperand
from tensorlift.comprehension.names import reset_names
from tensorlift.comprehension.notation.definitions import show_definition
from tensorlift.comprehension.tensor import array, scalar_value
from tensorlift.comprehension.terms import Piecewise
from tensorlift.dialects.destinations import taken
from tensorlift.dialects.importer import checked
from tensorlift.dialects.lowering import lowered, require_tools
from tensorlift.dialects.meanings import NoMeaning, instance_of, summary_of, tidied
from tensorlift.dialects.tablegen import read_dump
from tensorlift.dialects.trials import FAMILIES, TYPES, trials
from tensorlift.frontends.mlir import read_mlir
from tensorlift.targets.imported.record import ImportedDialect

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.comprehension.definition import Summary
    from tensorlift.dialects.destinations import DestinationTrial
    from tensorlift.dialects.tablegen import TableOperation
    from tensorlift.dialects.trials import Family, Trial, Typing
    from tensorlift.source import Source

_REFUSED = "upstream refuses it"
_CHOICE = "its lowering chooses between arrays when it runs"
_CHOOSES = re.compile(r"= scf\.if .* -> \(memref<")
_SETS = 2  # of numbers as extents


def import_dump(name: str, definition: Source, passes: str) -> ImportedDialect:
    """Import a dialect from TableGen's records and the passes that lower its operations to Linalg or to loops.

    Raises:
        LiftError: TL534, TL536 where the definition is none or no operation gets a meaning; TL537, TL538 where the
            passes or mlir-opt are missing.

    """
    require_tools()
    operations = read_dump(definition.text, definition.name)
    without = {operation.name: operation.obstacle for operation in operations if operation.obstacle}
    search = _Import(passes)
    search.destinations([o for o in operations if o.destination is not None and not o.obstacle])
    waiting = [o for o in operations if o.destination is None and not o.obstacle]
    for family in FAMILIES:
        found = search.family(waiting, family)
        waiting = [operation for operation in waiting if operation.name not in found]
    having = {instance.operation for instance in search.instances}
    without |= {o.name: search.reasons.get(o.name, "") for o in operations if o.name not in {*having, *without}}
    ordered = tuple(sorted(search.instances, key=lambda instance: instance.operation))
    return checked(
        ImportedDialect(name, definition.name, passes, ordered, dict(sorted(without.items()))), definition.name
    )


class _Import:
    """Instances found so far, and why operations have none."""

    def __init__(self, passes: str) -> None:
        self.passes = passes
        self.instances: list[Instance] = []
        self.reasons: dict[str, str] = {}
        self._known: set[tuple[str, ...]] = set()

    def family(self, operations: Sequence[TableOperation], family: Family) -> set[str]:
        """Try operations in every way with the first typing, then with those alike; return which have instances."""
        how: dict[str, tuple[tuple[str, ...], int]] = {}
        for constants in family.constants:
            for extents in (0, 1):
                waiting = [operation for operation in operations if operation.name not in how]
                for operation in self.stage(waiting, family.typing, constants, extents):
                    how[operation.name] = (constants, extents)
        for typing in family.alike:
            for way in dict.fromkeys(how.values()):
                self.stage([o for o in operations if how.get(o.name) == way], typing, *way)
        return set(how)

    def stage(
        self, operations: Sequence[TableOperation], typing: Typing, constants: tuple[str, ...], extents: int
    ) -> list[TableOperation]:
        """Try operations in one way; return those that have instances now."""
        tried = [t for o in operations for t in trials(o, typing, constants, extents)]
        if not tried:
            return []
        found = self._meanings(tried)
        if extents:
            again = [t for o in operations for t in trials(o, typing, constants, _SETS)]
            places = list(found)
            same = self._meanings([again[place] for place in places])
            agreed = [p for k, p in enumerate(places) if k in same and _shown(found[p]) == _shown(same[k])]
            found = {place: _sampled(found[place], tried[place], again[place]) for place in agreed}
        known: set[tuple[object, ...]] = set()
        for place, instance in found.items():
            trial = tried[place]
            key = (trial.operation.name, trial.shapes, trial.attributes)
            if key not in known:
                known.add(key)
                self.instances.append(instance)
        having = {tried[place].operation.name for place in found}
        return [operation for operation in operations if operation.name in having]

    def _meanings(self, tried: Sequence[Trial]) -> dict[int, Instance]:
        """Return the meanings of trials by their places."""
        texts, errors = lowered(tried, self.passes)
        for place, message in errors.items():
            self._note(tried[place].operation, f"{_REFUSED}: {message}")
        found: dict[int, Instance] = {}
        for place, text in texts.items():
            try:
                found[place] = _meaning(tried[place], text)
            except NoMeaning as error:
                self._note(tried[place].operation, str(error))
        return found

    def destinations(self, operations: Sequence[TableOperation]) -> None:
        """Find the instances of operations in destination style."""
        first = TYPES[0]
        found, refused = taken(operations, first)
        for operation in operations:
            if operation.name in refused:
                self._note(operation, f"{_REFUSED}: {refused[operation.name]}")
        for dtype in TYPES:
            texts, _ = lowered([replace(trial, dtype=dtype) for trial in found], self.passes)
            found = [found[place] for place, text in texts.items() if self._add(found[place], text)]

    def _add(self, trial: DestinationTrial, text: str) -> bool:
        """Add the instance of a trial that was lowered; tell whether it is one that computes something new."""
        operation = trial.operation
        try:
            read = instance_of(operation.name, _summary(text, trial.names), len(trial.axes), trial.attributes)
        except NoMeaning as error:
            self._note(operation, str(error))
            return False
        instance = replace(_in_one(read), form=trial.form)
        key = (instance.operation, *_shown(instance))
        if key in self._known:
            return False
        self._known.add(key)
        self.instances.append(instance)
        return True

    def _note(self, operation: TableOperation, reason: str) -> None:
        """Remember why an operation has no meaning: what a lowering lacks says more than that none is to be had."""
        known = self.reasons.get(operation.name)
        if known is None or _weight(reason) > _weight(known):
            self.reasons[operation.name] = reason


def _weight(reason: str) -> int:
    """Return how much a reason says."""
    weak = (_REFUSED, _CHOICE)
    return next((weight for weight, start in enumerate(weak) if reason.startswith(start)), len(weak))


def _meaning(trial: Trial, text: str) -> Instance:
    count = len(trial.shapes)
    summary = _summary(text, [*trial.operation.operands[:count], "result"])
    found = instance_of(trial.operation.name, summary, count, trial.attributes)
    constants = [
        InstanceOperand(operand, dtype, (ONE,), value=Fraction(0))  # type: ignore[arg-type]  # element types by name
        for operand, dtype in zip(trial.operation.operands[count:], trial.constants, strict=True)
    ]
    whole = _in_one(found)
    for own, shape in zip(whole.operands, trial.shapes, strict=True):
        if any(extent.is_constant and stated != 1 for extent, stated in zip(own.shape, shape, strict=True)):
            raise NoMeaning("an extent of its lowering stays a number")
    return replace(whole, operands=(*whole.operands, *constants))


def _summary(text: str, names: Sequence[str]) -> Summary:
    """Return what a lowered function computes, with its parameters under the names of operands."""
    if _CHOOSES.search(text):
        raise NoMeaning(_CHOICE)
    reset_names()
    for place, operand in enumerate(names):
        text = re.sub(rf"%arg{place}\b", f"%{operand}", text)
    (function,) = read_mlir(text, "the lowering", generalise=None)
    return summary_of(function)


def _in_one(instance: Instance) -> Instance:
    """Write what is computed on the way into the result."""
    result = instance.result
    if len(instance.definitions) == 1:
        return instance
    operands = [
        scalar_value(terms.scalar(o.name, o.dtype)) if o.is_number else array(o.name, o.shape, o.dtype)
        for o in instance.operands
    ]
    sizes = {size: Affine.var(size) for size in instance.sizes}
    term = instance.computed(operands, sizes).at(tuple(map(Affine.var, result.indices)))
    if isinstance(term, Piecewise):
        return instance
    return replace(instance, definitions=(tidied(replace(result, pieces=((result.domain, term),))),))


def _shown(instance: Instance) -> list[str]:
    return [str(instance.operands), *map(show_definition, instance.definitions)]


def _sampled(instance: Instance, *tried: Trial) -> Instance:
    extents = tuple(tuple(e for shape in trial.shapes for e in shape if isinstance(e, int)) for trial in tried)
    return replace(instance, sampled=extents)
