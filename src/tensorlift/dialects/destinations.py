"""Trials of operations in destination style, ``NAME ins(..) outs(..)``, whose definition says little of their operands.

How many operands are read, of how many axes each, and what its region may be is tried: upstream's verifier takes some,
and says of others how many axes it wants.  All extents are open.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tensorlift.comprehension.instance import DestinationForm
from tensorlift.dialects.lowering import verified
from tensorlift.targets.linalg.writer import FLOAT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tensorlift.dialects.tablegen import Destination, TableOperation

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
