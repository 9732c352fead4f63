"""Importing a dialect whose operations are lowered by passes: trials of each operation, until one gets a meaning.

    operations -> trials with open extents -> lowered -> summarised -> instances
               -> those without: trials with sets of numbers -> the same meaning but for extents? -> instances

With open extents a meaning holds for all of them.  Numbers are written as the extents that they are in both of two
sets.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.comprehension.instance import Instance
from tensorlift.comprehension.notation.definitions import show_definition
from tensorlift.dialects.destinations import taken
from tensorlift.dialects.importer import checked
from tensorlift.dialects.lowering import lowered, require_tools
from tensorlift.dialects.meanings import NoMeaning, instance_of
from tensorlift.dialects.tablegen import read_dump
from tensorlift.dialects.trials import FAMILIES, TYPES, is_ranked, numbered_trials, open_trials
from tensorlift.dialects.ways import CHOICE, Way, computed, in_one
from tensorlift.dialects.windows import chosen, numbered
from tensorlift.targets.imported.record import INSTANCES, ImportedDialect

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.dialects.destinations import DestinationTrial
    from tensorlift.dialects.tablegen import TableOperation
    from tensorlift.dialects.trials import Family, Trial, Typing
    from tensorlift.source import Source

_REFUSED = "upstream refuses it"


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
        self._tried: set[str] = set()
        self._lowered: dict[tuple[str, ...], Instance] = {}

    def family(self, operations: Sequence[TableOperation], family: Family) -> set[str]:
        """Try operations in every way with the first typing, then with those alike; return which have instances."""
        tried = chosen([trial for operation in operations for trial in open_trials(operation, family.typing)])
        ways = self._add_all([Way((t, t.valued(1)) if t.values else (t,)) for t in tried])
        ways += self._add_all(self._numbered(operations, tried, ways, family.typing))
        having = {way.trial.operation.name for way in ways}
        is_first = family is FAMILIES[0]  # what has no such meaning for floats is not sought again for other types
        lacking = [t for t in tried if is_first and is_ranked(t.operation) and t.operation.name not in having]
        ways += self._add_all([Way(s) for s in numbered([thin for t in lacking for thin in t.thinned()], self._takes)])
        for typing in family.alike:
            self._add_all([way.typed(typing) for way in ways])
        return {way.trial.operation.name for way in ways}

    def _numbered(
        self, operations: Sequence[TableOperation], tried: Sequence[Trial], ways: Sequence[Way], typing: Typing
    ) -> list[Way]:
        """Return ways with numbers as extents: for operations without any yet, and for trials of windows without."""
        done, having = {way.trial for way in ways}, {way.trial.operation.name for way in ways}
        waiting = [o for o in operations if not (is_ranked(o) or o.lists) and o.name not in having]
        found = [Way((t, t.moved(1))) for o in waiting for t in numbered_trials(o, typing)]
        ranked = [t for t in tried if (is_ranked(t.operation) or t.operation.is_repeated) and t not in done]
        return found + [Way(sets) for sets in numbered(ranked, self._takes)]

    def _takes(self, tried: Sequence[Trial]) -> tuple[set[int], dict[int, str]]:
        """Return the places of trials that are lowered, and what is said of the others."""
        texts, errors = lowered(tried, self.passes)
        return set(texts), errors

    def _add_all(self, ways: Sequence[Way]) -> list[Way]:
        """Add the instances of ways that are new; return those that have one."""
        own = {way.trial.text("trial"): way for way in ways}
        ways = [way for text, way in own.items() if text not in self._tried]
        self._tried |= own.keys()
        texts: list[dict[int, str]] = []
        for place in range(max((len(way.lowered) for way in ways), default=0)):
            numbers = [number for number, way in enumerate(ways) if len(way.lowered) > place]
            some, errors = lowered([ways[number].lowered[place] for number in numbers], self.passes)
            texts.append({numbers[k]: text for k, text in some.items()})
            for k, message in errors.items():
                self._note(ways[numbers[k]].trial.operation, f"{_REFUSED}: {message}")
        return [way for number, way in enumerate(ways) if self._adds(way, [t.get(number) for t in texts])]

    def _adds(self, way: Way, texts: Sequence[str | None]) -> bool:
        """Add the instance of a way; tell whether it has one."""
        own = [text for text in texts[: len(way.lowered)] if text is not None]
        if len(own) < len(way.lowered):
            return False
        try:
            self._keep(self._meaning(way, own))
        except NoMeaning as error:
            self._note(way.trial.operation, str(error))
            return False
        return True

    def _meaning(self, way: Way, texts: list[str]) -> Instance:
        """Return what a way means: where its lowerings are those with another type but for that type, the same.

        Raises:
            NoMeaning: where there is none.

        """
        single, double = TYPES
        known = self._lowered.get(tuple(text.replace(double, single) for text in texts))
        if known is not None and not any(single in text for text in texts):
            again: Instance = INSTANCES.read(
                Instance, json.loads(json.dumps(INSTANCES.write(known)).replace(single, double))
            )
            return again
        found = self._lowered[tuple(texts)] = way.meaning(texts)
        return found

    def _keep(self, instance: Instance) -> bool:
        """Add an instance unless it is known; tell whether it is new."""
        key = (instance.operation, *_shown(instance))
        is_new = key not in self._known
        if is_new:
            self._known.add(key)
            self.instances.append(instance)
        return is_new

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
            read = instance_of(operation.name, computed(text, trial.names), len(trial.axes), trial.attributes)
        except NoMeaning as error:
            self._note(operation, str(error))
            return False
        return self._keep(replace(in_one(read), form=trial.form))

    def _note(self, operation: TableOperation, reason: str) -> None:
        """Remember why an operation has no meaning: what a lowering lacks says more than that none is to be had."""
        known = self.reasons.get(operation.name)
        if known is None or _weight(reason) > _weight(known):
            self.reasons[operation.name] = reason


def _weight(reason: str) -> int:
    """Return how much a reason says."""
    weak = (_REFUSED, CHOICE)
    return next((weight for weight, start in enumerate(weak) if reason.startswith(start)), len(weak))


def _shown(instance: Instance) -> list[str]:
    return [str(instance.operands), instance.attributes, *map(show_definition, instance.definitions)]
