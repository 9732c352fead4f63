"""Importing a dialect whose operations are lowered by passes: trials of each operation, until one gets a meaning.

    operations -> trials with open extents -> lowered -> summarised -> instances
               -> those without: trials with sets of numbers -> the same meaning but for extents? -> instances

With open extents a meaning holds for all of them.  Numbers are written as the extents that they are in both of two
sets.

Trials of operations in destination style, ``NAME ins(..) outs(..)``, whose definition says little of their operands.

How many operands are read, of how many axes each, and what its region may be is tried: upstream's verifier takes some,
and says of others how many axes it wants.  All extents are open.
"""

from __future__ import annotations

import itertools
import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tensorlift.comprehension.instance import DestinationForm, Instance
from tensorlift.comprehension.notation.definitions import show_definition
from tensorlift.dialects.meanings import NoMeaning, checked, instance_of
from tensorlift.dialects.tablegen import read_dump
from tensorlift.dialects.trials import FAMILIES, TYPES, each_result, is_ranked, numbered_trials, open_trials
from tensorlift.dialects.ways import CHOICE, Way, computed, in_one
from tensorlift.dialects.windows import chosen, lowered, numbered, require_tools, verified
from tensorlift.targets.imported.record import INSTANCES, ImportedDialect
from tensorlift.targets.linalg.writer import FLOAT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tensorlift.dialects.tablegen import Destination, TableOperation
    from tensorlift.dialects.trials import Family, Trial, Typing
    from tensorlift.source import Source


_MOST_AXES = 3  # of an operand, unless the verifier asks for more
_MOST_INPUTS = 2
_BODIES = ("arith.negf", "arith.addf")  # operations on one number and on two: which one is taken tells the others
_FORMS = (
    (DestinationForm(states_result=True), DestinationForm(states_result=False)),
    tuple(DestinationForm(states_result=False, body=body) for body in _BODIES),
)
_RANK = re.compile(r"operand #(\d+) rank \(\d+\) to match the result rank of indexing_map \((\d+)\)")
_FACTOR = 2  # what lists of integers are that are one by default


@dataclass(frozen=True)
class DestinationTrial:
    """An operation on tensors of so many axes, the last one written over; an operand of None is a number."""

    operation: TableOperation
    dtype: str
    axes: tuple[int | None, ...]
    attributes: str
    form: DestinationForm

    @property
    def style(self) -> Destination:
        """What the definition says."""
        assert self.operation.destination is not None
        return self.operation.destination

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the operands: those of a list are numbered."""
        count = len(self.axes) - 1
        read = self.style.inputs
        return (*([read] if count == 1 else [f"{read}{k}" for k in range(count)]), self.style.out)

    def text(self, name: str) -> str:
        """Spell a function that writes the result over its last parameter."""
        *takes, result = (_type("tensor", axes, self.dtype) for axes in self.axes)
        out = _type("memref", self.axes[-1], self.dtype)
        *names, last = (f"%{operand}" for operand in self.names)
        parameters = ", ".join(f"{n}: {t}" for n, t in zip((*names, last), (*takes, out), strict=True))
        operands = [*zip(names, takes, strict=True), ("%old", result)]
        value = self.form.text(self.operation.name, self.attributes, operands, result)
        return f"""func.func @{name}({parameters}) {{
  %old = bufferization.to_tensor {last} restrict writable : {out} to {result}
  %new = {value}
  bufferization.materialize_in_destination %new in restrict writable {last} : ({result}, {out}) -> ()
  return
}}
"""


def taken(operations: Sequence[TableOperation], dtype: str) -> tuple[list[DestinationTrial], dict[str, str]]:
    """Return the trials of operations that upstream takes, and what it says of operations of which it takes none."""
    found: list[DestinationTrial] = []
    said: dict[str, str] = {}
    waiting = list(operations)
    for forms in _FORMS:
        tried = [t for o in waiting for form in forms for t in _trials(o, dtype, form)]
        good = _settled(tried, said)
        for operation in waiting:
            found += _preferred([trial for trial in good if trial.operation is operation])
        having = {trial.operation.name for trial in found}
        waiting = [operation for operation in waiting if operation.name not in having]
    bodies = _bodies(found)
    alike = [every for trial in found for every in _alike(trial, bodies)]
    return alike, {operation.name: said.get(operation.name, "") for operation in waiting}


def _settled(tried: list[DestinationTrial], said: dict[str, str]) -> list[DestinationTrial]:
    """Return the trials that are taken, those among them that get the numbers of axes that the verifier asks for."""
    found: list[DestinationTrial] = []
    known = set(tried)
    while tried:
        places, errors = verified(tried)
        found += [tried[place] for place in sorted(places)]
        said |= {tried[place].operation.name: message for place, message in errors.items()}
        asked = dict.fromkeys(_asked(tried[place], message) for place, message in errors.items())
        tried = [trial for trial in asked if trial is not None and trial not in known]
        known |= set(tried)
    return found


def _asked(trial: DestinationTrial, message: str) -> DestinationTrial | None:
    """Return a trial with the number of axes of an operand that a message asks for."""
    said = _RANK.search(message)
    if said is None or int(said[1]) >= len(trial.axes):
        return None
    axes = list(trial.axes)
    axes[int(said[1])] = int(said[2])
    return replace(trial, axes=tuple(axes))


def _trials(operation: TableOperation, dtype: str, form: DestinationForm) -> Iterator[DestinationTrial]:
    """Yield what to try first in a form: where axes are listed any numbers of axes, else the same for all operands."""
    style = operation.destination
    assert style is not None
    if form.states_result == style.takes_body:
        return
    ranks = range(_MOST_AXES + 1)
    if operation.attributes:
        shapes: list[tuple[int | None, ...]] = list(itertools.product(ranks, ranks))
    else:
        counts = range(1, (_MOST_INPUTS if style.takes_many else 1) + 1)
        shapes = [] if style.takes_body else [(None, rank) for rank in ranks]
        shapes += [(rank,) * (count + 1) for count in counts for rank in ranks]
    for axes in shapes:
        for attributes in _attributes(operation, max(a or 0 for a in axes)):
            yield DestinationTrial(operation, dtype, axes, attributes, form)


def _attributes(operation: TableOperation, rank: int) -> Iterator[str]:
    """Yield values of the required attribute, if there is one: some axes in some order."""
    if not operation.attributes:
        yield ""
    elif len(operation.attributes) == 1:
        ((name, _),) = operation.attributes
        for count in range(1, rank + 1):
            for axes in itertools.permutations(range(rank), count):
                yield f"{name} = [{', '.join(map(str, axes))}]"


def _preferred(trials: list[DestinationTrial]) -> list[DestinationTrial]:
    """Leave out what says less: operands without axes where others are taken, and numbers alone."""
    whole = [trial for trial in trials if all(trial.axes[:-1])] or trials
    return [trial for trial in whole if any(trial.axes)] or whole


def _bodies(trials: Sequence[DestinationTrial]) -> dict[tuple[str, int], list[str]]:
    """Return which operations upstream takes in the region of an operation on so many operands."""
    first: dict[tuple[str, int], DestinationTrial] = {}
    for trial in trials:
        if trial.form.body:
            first.setdefault(_kind(trial), trial)
    tried = [_applying(trial, body) for trial in first.values() for body in dict.fromkeys(FLOAT.values())]
    places, _ = verified(tried)
    found: dict[tuple[str, int], list[str]] = {}
    for place in sorted(places):
        found.setdefault(_kind(tried[place]), []).append(tried[place].form.body)
    return found


def _kind(trial: DestinationTrial) -> tuple[str, int]:
    return trial.operation.name, len(trial.axes)


def _applying(trial: DestinationTrial, body: str) -> DestinationTrial:
    return replace(trial, form=replace(trial.form, body=body))


def _alike(trial: DestinationTrial, bodies: dict[tuple[str, int], list[str]]) -> Iterator[DestinationTrial]:
    """Yield a trial and those like it: with other operations in the region, with factors that are not one."""
    if trial.form.body:
        yield from (_applying(trial, body) for body in bodies[_kind(trial)])
        return
    yield trial
    for name, length in trial.style.factors:
        yield replace(trial, attributes=f"{{{name} = dense<{_FACTOR}> : tensor<{length}xi64>}}")


def _type(kind: str, axes: int | None, dtype: str) -> str:
    return dtype if axes is None else f"{kind}<{'?x' * axes}{dtype}>"


_REFUSED = "upstream refuses it"


def import_dump(
    name: str, definition: Source, passes: str, tell: Callable[[str], None] = lambda _: None
) -> ImportedDialect:
    """Import a dialect from TableGen's records and the passes that lower its operations to Linalg or to loops.

    How far that is, is told now and then.

    Raises:
        LiftError: TL534, TL536 where the definition is none or no operation gets a meaning; TL537, TL538 where the
            passes or mlir-opt are missing.

    """
    require_tools()
    operations = read_dump(definition.text, definition.name)
    without = {operation.name: operation.obstacle for operation in operations if operation.obstacle}
    search = _Import(passes, lambda having: tell(f"{having} of {len(operations)} operations have a meaning"))
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

    def __init__(self, passes: str, tell: Callable[[int], None]) -> None:
        self.passes = passes
        self.tell = tell  # how many operations have instances
        self.instances: list[Instance] = []
        self.reasons: dict[str, str] = {}
        self._known: set[tuple[str, ...]] = set()
        self._tried: set[str] = set()
        self._lowered: dict[tuple[object, ...], Instance] = {}  # by how the operation is used, and what it becomes

    def family(self, operations: Sequence[TableOperation], family: Family) -> set[str]:
        """Try operations in every way with the first typing, then with those alike; return which have instances."""
        tried = chosen([t for o in operations for t in each_result(open_trials(o, family.typing))])
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
        found = [Way((t, t.moved(1))) for o in waiting for t in each_result(numbered_trials(o, typing))]
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
        self.tell(len({instance.operation for instance in self.instances}))
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
        used = (way.trial.attributes, way.trial.lists, way.trial.place)
        known = self._lowered.get((used, *(text.replace(double, single) for text in texts)))
        if known is not None and not any(single in text for text in texts):
            again: Instance = INSTANCES.read(
                Instance, json.loads(json.dumps(INSTANCES.write(known)).replace(single, double))
            )
            return again
        found = self._lowered[used, *texts] = way.meaning(texts)
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
