"""Trials with numbers as extents for operations whose definition says how many axes their operands have.

Which extents go together is found out: all are different at first, and a message of upstream that names two of them, or
one of the result and what it should be, makes these equal.  How an extent of the result follows from the others is seen
from several sets of numbers.

Lowering trials by upstream's passes: those of the dialect that the user names, then memory and affine loops.
"""

from __future__ import annotations

import ast
import itertools
import operator
import re
from bisect import bisect_right
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from tensorlift.diagnostics import refuse
from tensorlift.dialects.trials import FRESH, OPEN, REST, SETS, extents_of
from tensorlift.poly.affine import Affine
from tensorlift.runtime.mlir.tools import find_tools, lowered_parts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tensorlift.dialects.trials import Trial
    from tensorlift.runtime.mlir.tools import Tools

    Attempt = Callable[[Sequence[Trial]], tuple[set[int], dict[int, str]]]


_TO_LOOPS = (
    "func.func(convert-elementwise-to-linalg),canonicalize,cse,"
    "one-shot-bufferize{bufferize-function-boundaries=true function-boundary-type-conversion=identity-layout-map},"
    "canonicalize,func.func(linalg-generalize-named-ops,convert-linalg-to-affine-loops),fold-memref-alias-ops,"
    "resolve-ranked-shaped-type-result-dims,canonicalize,cse"
)
_NAME = re.compile(r"func\.func @trial(\d+)\(")
_MESSAGE = re.compile(r"^<stdin>:(\d+):\d+: error: (.*)$", re.MULTILINE)
_TOGETHER = 512  # texts given to upstream at once
_WRONG_PASSES = re.compile(r"PassPipeline Parser:[\d:]+ error: (.*)")


class Written(Protocol):
    """What can be spelled as a function of a name."""

    def text(self, name: str) -> str:
        """Spell the function."""


def require_tools() -> Tools:
    """Return upstream's tools.

    Raises:
        LiftError: TL538, where they are missing.

    """
    tools = find_tools()
    if tools is None:
        message = "importing a dialect by its passes needs mlir-opt, which is not installed"
        raise refuse("TL538", message, remedy="install it: apt install mlir-22-tools")
    return tools


def verified(trials: Sequence[Written]) -> tuple[set[int], dict[int, str]]:
    """Return the places of the trials that upstream's verifier takes, and what is said of the others.

    Raises:
        LiftError: TL538, where there is no mlir-opt.

    """
    found, errors = _passed(trials, "builtin.module()")
    return set(found), errors


def lowered(trials: Sequence[Written], passes: str) -> tuple[dict[int, str], dict[int, str]]:
    """Return the trials as functions of affine loops on memory by their places, and what is said of the others.

    Raises:
        LiftError: TL537, where a pass is not known; TL538, where there is no mlir-opt.

    """
    return _passed(trials, f"builtin.module({passes},{_TO_LOOPS})")


def _passed(trials: Sequence[Written], pipeline: str) -> tuple[dict[int, str], dict[int, str]]:
    texts = [trial.text(f"trial{place}") for place, trial in enumerate(trials)]
    found: dict[int, str] = {}
    said: dict[int, str] = {}
    for start in range(0, len(texts), _TOGETHER):
        _pass(range(start, min(start + _TOGETHER, len(texts))), texts, pipeline, found, said)
    return found, said


def _pass(places: range, texts: Sequence[str], pipeline: str, found: dict[int, str], said: dict[int, str]) -> None:
    """Give some texts to upstream at once, or in two halves where it breaks down."""
    chosen = texts[places.start : places.stop]
    done = lowered_parts("// -----\n".join(chosen), pipeline, require_tools())
    if done is None:
        if len(places) == 1:
            said[places.start] = "mlir-opt broke down"
            return
        middle = (places.start + places.stop) // 2
        for half in (range(places.start, middle), range(middle, places.stop)):
            _pass(half, texts, pipeline, found, said)
        return
    parts, errors = done
    wrong = _WRONG_PASSES.search(errors)
    if wrong is not None:
        message = f"the passes are not taken: {wrong[1]}"
        raise refuse("TL537", message, remedy="name passes of 'mlir-opt --help', in order, separated by commas")
    # Under one name, so that what is computed alike is seen to be the same text.
    for part in parts:
        name = _NAME.search(part)
        if name is not None:
            found[int(name[1])] = _NAME.sub("func.func @trial(", part)
    starts = list(itertools.accumulate((text.count("\n") + 1 for text in chosen[:-1]), initial=1))
    for line, message in _MESSAGE.findall(errors):
        said.setdefault(places.start + bisect_right(starts, int(line)) - 1, message)


_ROUNDS = 12
_MORE = (0, 1, 2)  # than a number of a set: what windows that step further fill, of operations that have steps
_NUMBER = re.compile(r"(?<![#\w.])\d+")
_STEPS = re.compile(r"array<i64: (\d+)")
_INFERRED = re.compile(r"inferred type\(s\) 'tensor<(\d+(?:x\d+)*)x[a-z]\w*>'")
_DIMENSION = re.compile(r"expected dimension (\d+) of \w+ type to be static value of (\d+)")
_COMPUTED = re.compile(r"(\d+) != ([\d()+* -]+)")
_OPERATORS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}
_WIDE = 3
_FACTORS = (1, 2, 3)
_NEAR = range(-8, 9)


def chosen(tried: Sequence[Trial]) -> list[Trial]:
    """Return trials that upstream takes, with lists of integers that are zero where they may be.

    What a list leaves out must follow: with numbers as extents the verifier takes one extent there and no other.  Of
    open extents it says nothing, so that what it takes with no numbers is left out too.
    """
    free = [trial for trial in tried if not _STEPS.search(trial.attributes)]
    resting = [trial for trial in free if any(REST in own.numbers for own in trial.lists)]
    right, _ = verified([_at_number(trial) for trial in resting])
    wrong, _ = verified([_at_number(trial, 1) for trial in resting])
    refused = {trial for place, trial in enumerate(resting) if place not in right - wrong}
    refused |= _of_no_numbers([trial for trial in free if not (trial.lists or trial.operation.is_repeated)])
    free = [trial for trial in free if trial not in refused]
    stepping = [trial for trial in tried if _STEPS.search(trial.attributes)]
    places, _ = verified(stepping)
    least: dict[str, tuple[int, ...]] = {}
    for place in sorted(places):
        name, steps = stepping[place].operation.name, _steps(stepping[place])
        least[name] = tuple(map(min, least.get(name, steps), steps))
    taken = [stepping[place] for place in sorted(places)]
    return free + [t for t in taken if _is_plain(_steps(t), least[t.operation.name])]


def _of_no_numbers(tried: Sequence[Trial]) -> set[Trial]:
    """Return the trials that the verifier refuses with numbers, of operations of which it takes others.

    All extents are alike, or those that it names.
    """
    alike, _ = verified([_at_number(trial) for trial in tried])
    others = [trial for place, trial in enumerate(tried) if place not in alike]
    settled = _settled([_start(trial, 0) for trial in others], verified)
    refused = {trial for place, trial in enumerate(others) if place not in settled}
    having = {trial.operation.name for trial in tried if trial not in refused}
    return {trial for trial in refused if trial.operation.name in having}


def _at_number(trial: Trial, more: int = 0) -> Trial:
    """Give all open extents one number, those of the result so much more."""
    number = extents_of(0)[0]

    def put(extents: tuple[int | str, ...], value: int) -> tuple[int | str, ...]:
        return tuple(value if extent == OPEN else extent for extent in extents)

    return replace(trial, shapes=tuple(put(s, number) for s in trial.shapes), result=put(trial.result, number + more))


def _is_plain(steps: tuple[int, ...], least: tuple[int, ...]) -> bool:
    """Tell whether lists are zero where they may be, and only the first of the others is three."""
    pairs = list(zip(steps, least, strict=True))
    others = [step for step, start in pairs if start]
    return all(start or not step for step, start in pairs) and max(others[1:], default=0) < _WIDE


def _steps(trial: Trial) -> tuple[int, ...]:
    return tuple(map(int, _STEPS.findall(trial.attributes)))


def numbered(tried: Sequence[Trial], attempt: Attempt) -> Iterator[tuple[Trial, ...]]:
    """Yield trials with open extents as ones at each set of numbers, those that ``attempt`` and the verifier take.

    Both return the places of trials that are taken, and what is said of the others.
    """
    first: dict[int, Trial] = {}
    for more in _MORE:
        steps = [more == 0 or _STEPS.search(trial.attributes) is not None for trial in tried]
        waiting = [place for place, may in enumerate(steps) if may and place not in first]
        settled = list(_settled([_start(tried[place], more) for place in waiting], verified).items())
        taken = _settled([trial for _, trial in settled], attempt)
        first |= {waiting[settled[k][0]]: trial for k, trial in taken.items()}
    found = [first[place] for place in sorted(first)]
    others = [trial.moved(number) for trial in found for number in range(1, SETS)]
    again = _settled(others, verified)
    count = SETS - 1
    for place, trial in enumerate(found):
        own = [again.get(k) for k in range(place * count, (place + 1) * count)]
        moved = [other for other in own if other is not None]
        if len(moved) == count:
            yield trial, *moved


def _start(trial: Trial, more: int) -> Trial:
    """Give every extent a number of its own."""
    numbers = iter(extents_of(0))
    shapes = tuple(tuple(next(numbers) + more if e == OPEN else e for e in shape) for shape in trial.shapes)
    result = tuple(FRESH + axis if e == OPEN else e for axis, e in enumerate(trial.result))
    return replace(trial, shapes=shapes, result=result)


def _settled(tried: Sequence[Trial], attempt: Attempt) -> dict[int, Trial]:
    """Return trials by their places that are taken, after what messages ask for."""
    found: dict[int, Trial] = {}
    waiting = dict(enumerate(tried))
    known = set(enumerate(tried))  # or messages that contradict each other would be followed in every round
    for _ in range(_ROUNDS):
        if not waiting:
            break
        places = list(waiting)
        taken, said = attempt(list(waiting.values()))
        found |= {places[k]: waiting[places[k]] for k in taken}
        asked = {places[k]: _asked(waiting[places[k]], message) for k, message in said.items()}
        waiting = {place: trial for place, trial in asked.items() if trial is not None and (place, trial) not in known}
        known |= set(waiting.items())
    return {place: _completed(trial) for place, trial in found.items()}


def _completed(trial: Trial) -> Trial:
    """Return a trial in which extents of the result of which nothing was said are those of the first operand."""
    if not trial.shapes or len(trial.shapes[0]) != len(trial.result):
        return trial
    pairs = zip(trial.result, trial.shapes[0], strict=True)
    return replace(trial, result=tuple(own if isinstance(e, int) and e >= FRESH else e for e, own in pairs))


def _asked(trial: Trial, message: str) -> Trial | None:
    """Return a trial in which two of the numbers in a message are the same: one of the result is as another.

    A message may also say what the result is, or an extent of it by its axis.
    """
    inferred, extent = _INFERRED.search(message), _DIMENSION.search(message)
    if inferred is not None:
        whole = tuple(map(int, inferred[1].split("x")))
        return None if whole == trial.result else replace(trial, result=whole)
    if extent is not None:
        axis = int(extent[1])
        return _replaced(trial, trial.result[axis], int(extent[2])) if axis < len(trial.result) else None
    numbers = [int(number) for number in _NUMBER.findall(message)]
    operands = {e for shape in trial.shapes for e in shape}
    own = next((n for n in numbers if n >= FRESH and n in trial.result), None)
    if own is None:
        known = list(dict.fromkeys(n for n in numbers if n in operands or n in trial.result))
        return _replaced(trial, known[-1], known[0]) if len(known) > 1 else None
    computed = _COMPUTED.search(message)
    others = [n for n in numbers if n not in (own, 0)]
    wanted = next((n for n in others if n in operands and n > 1), next(iter(others), None))
    if computed is not None and int(computed[1]) == own:
        wanted = _value(ast.parse(computed[2].strip(), mode="eval").body)
    return None if wanted is None else _replaced(trial, own, wanted)


def _value(node: ast.AST) -> int | None:
    """Return the value of a sum of products of numbers, None for anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if not isinstance(node, ast.BinOp) or type(node.op) not in _OPERATORS:
        return None
    left, right = _value(node.left), _value(node.right)
    return None if left is None or right is None else _OPERATORS[type(node.op)](left, right)


def _replaced(trial: Trial, old: int | str, new: int) -> Trial:
    def put(extents: tuple[int | str, ...]) -> tuple[int | str, ...]:
        return tuple(new if e == old else e for e in extents)

    return replace(trial, shapes=tuple(map(put, trial.shapes)), result=put(trial.result))


def relation(result: Sequence[int], operands: Mapping[str, Sequence[int]]) -> tuple[int, Affine] | None:
    """Return a factor and an expression of operands' extents that is so many times one of the result, in all sets.

    The expression has one or two extents; None where there is none.
    """
    for factor, (name, own) in itertools.product(_FACTORS, operands.items()):
        rests = [factor * wanted - extent for wanted, extent in zip(result, own, strict=True)]
        if _is_near(rests):
            return factor, Affine.var(name) + rests[0]
        for times, (other, more) in itertools.product((-1, 1, -2, 2, -3, 3), operands.items()):
            less = [rest - times * extent for rest, extent in zip(rests, more, strict=True)]
            if other != name and _is_near(less):
                return factor, Affine.var(name) + Affine.var(other) * times + less[0]
    return None


def _is_near(numbers: Sequence[int]) -> bool:
    return numbers[0] in _NEAR and len(set(numbers)) == 1
