"""The cases of a differential test: inputs on which the source has a meaning, what they give, and the tally of them.

The interpreter chooses the data: inputs on which the source has no defined meaning, such as a division by zero, are
drawn again with no zeros, then all positive.  So neither side is ever run, or compared, where C promises nothing.

The last case has corners among its numbers where the source has a meaning on them: constants that the source compares
with, extremes of types, and what no narrower type holds (``corners``), or else the smaller ones of them.

A difference in floats tells nothing where the source itself is unstable, as Gram-Schmidt is on dependent columns: if
the last bits of the inputs, or of its sums, change the interpreter's results by as much as the tolerance, the case is
not counted.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field, replace
from itertools import cycle, product
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np
from xdsl.dialects.builtin import FloatAttr

from tensorlift.diagnostics import refuse
from tensorlift.ir.arithmetic import evaluator, of_numbers, unsteady
from tensorlift.ir.function import FunctionView
from tensorlift.ir.interpreter import Interpreter, InterpreterError, TooLongError, UndefinedError
from tensorlift.ir.literal_interpreter import EndedError
from tensorlift.runtime.compare import Array, Tolerance, compare
from tensorlift.runtime.data import BITS, LARGE_STYLES, STYLES, Corners, Style, adds_floats, nudged, random_arguments
from tensorlift.runtime.places import Places

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from random import Random

    from xdsl.ir import Operation

    from tensorlift.runtime.literal import LiteralRun

    Sizes = Mapping[str, int]

_DIRECTIONS = ((1,), (-1,), (1, -1, 1))  # of the last bits of one float after the other
MOST_ITERATIONS = 1 << 18  # of one run of the interpreter, which takes some microseconds for each
_MOST_UNBOUNDED = 1 << 16  # where a loop need not end


@dataclass(frozen=True, slots=True)
class Called:
    """What one call leaves: every array by name after it, and the returned scalar, if any, without dimensions."""

    arrays: Mapping[str, Array]
    value: Array | np.generic | None


@dataclass(frozen=True, slots=True)
class Failure:
    """One case that failed: at which sizes, in whose eyes (``interpreter`` or ``compiled``), and how."""

    sizes: Sizes
    against: str
    message: str

    def __str__(self) -> str:
        """Spell it on one line."""
        sizes = ", ".join(f"{name} = {value}" for name, value in self.sizes.items())
        return f"{sizes or 'no sizes'}: {self.message}"


@dataclass(frozen=True, slots=True)
class DifferentialReport:
    """What a differential test found; nothing was tested where ``cases`` is 0."""

    against: str
    cases: int
    worst_error: float
    sizes: tuple[Sizes, ...]
    failures: tuple[Failure, ...] = ()
    undefined: tuple[Sizes, ...] = ()

    def shows_nothing(self, flags: Collection[str] = ()) -> bool:
        """Tell whether something was empty wherever something was tested; flags are sizes of nothing."""
        return all(0 in (size for name, size in sizes.items() if name not in flags) for sizes in self.sizes)

    @property
    def passed(self) -> bool:
        """Whether something was tested and nothing failed."""
        return self.cases > 0 and not self.failures


@dataclass(slots=True)
class Case:
    """One set of inputs, as drawn in a style, with the arrays and the value that the source leaves.

    ``as_read`` is what its loop IR leaves: the same, unless the front end read it wrongly.
    """

    sizes: Sizes
    arguments: dict[str, Any]
    expected: Called
    as_read: Called
    interpreter: Interpreter
    style: Style

    def is_unstable(self, tolerance: Tolerance) -> bool:
        """Tell whether changing the last bits of inputs, or of sums, changes the results by as much as may be off.

        Where the source adds no floats, nothing can be added in another order, and whole numbers stay; where it makes
        none narrower either, none is rounded elsewhere.  Where the loop IR itself gives other results than the source,
        that is no matter of last bits.
        """
        if self._differs(self.as_read.arrays, self.as_read.value, tolerance):
            return False
        view, adds = self.interpreter.view, adds_floats(self.interpreter.view)
        if self._changes(self.interpreter, tolerance, lambda value: nudged(value, whole=adds)):
            return True
        narrows = any(op.name == "arith.truncf" for op in view.operations)
        evaluators = [unsteady(cycle(directions), BITS) for directions in _DIRECTIONS if adds or narrows]
        return any(self._changes(Interpreter(view, evaluate=evaluate), tolerance, copy) for evaluate in evaluators)

    def _changes(self, interpreter: Interpreter, tolerance: Tolerance, change: Callable[[Any], Any]) -> bool:
        """Tell whether an interpreter gives other results on inputs that were changed."""
        arguments = {name: change(value) for name, value in self.arguments.items()}
        try:
            value = interpreter(arguments).value
        except (InterpreterError, ValueError):
            return True
        return self._differs(arguments, value, tolerance)

    def _differs(self, after: Mapping[str, Any], value: object, tolerance: Tolerance) -> bool:
        """Tell whether results are others than those of the source."""
        written = self.interpreter.view.written
        pairs: list[tuple[str, Any, Any]] = [(name, self.expected.arrays[name], after[name]) for name in written]
        if self.expected.value is not None:
            pairs.append(("the result", self.expected.value, value))
        return any(compare(name, expected, given, tolerance).complaint for name, expected, given in pairs)


@dataclass(slots=True)
class Tally:
    """Collects the outcome of cases."""

    against: str
    tolerance: Tolerance
    cases: list[Sizes] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    undefined: list[Sizes] = field(default_factory=list)
    unstable: list[Sizes] = field(default_factory=list)
    worst: float = 0.0

    def fail(self, sizes: Sizes, message: str, against: str = "") -> None:
        """Note a case that failed."""
        self.failures.append(Failure(dict(sizes), against or self.against, message))

    def compare(self, case: Case, pairs: Iterable[tuple[str, Any, Any]], against: str = "") -> None:
        """Compare what was given with what is expected, name by name, unless the source is unstable there."""
        differences = [compare(name, expected, given, self.tolerance) for name, expected, given in pairs]
        complaints = [difference.complaint for difference in differences if difference.complaint]
        if complaints and case.is_unstable(self.tolerance):
            self.unstable.append(case.sizes)
            return
        self.worst = max([self.worst, *(difference.error for difference in differences)])
        for complaint in complaints:
            self.fail(case.sizes, complaint, against)

    def judge(self, case: Case, expected: Called, outputs: Sequence[str], reply: Sequence[Any] | str) -> None:
        """Compare what a program gave for a case, or note how it broke its contract."""
        if isinstance(reply, str):
            self.fail(case.sizes, reply)
        else:
            self.compare(case, result_pairs(expected, outputs, reply))

    def report(self) -> DifferentialReport:
        """Say what was found so far."""
        done = tuple(sizes for sizes in self.cases if sizes not in self.unstable)
        return DifferentialReport(
            self.against, len(done), self.worst, done, tuple(self.failures), tuple(self.undefined)
        )


@dataclass(frozen=True, slots=True)
class Reference:
    """What a program is compared with: the interpreter of the loop IR, and of the literal IR where there is one.

    Inputs on which one of them takes more than ``most_iterations`` are not used.
    """

    interpreter: Interpreter
    literal: LiteralRun | None = None
    most_iterations: int = MOST_ITERATIONS

    @property
    def view(self) -> FunctionView:
        """The function that is compared."""
        return self.interpreter.view


def reference(function: Operation | FunctionView, literal: LiteralRun | None = None) -> Reference:
    """Interpret a source that is compared with its program: on numbers, unless it names what is none."""
    view = FunctionView.of(function)
    constants = (op.properties["value"] for op in view.operations if op.name == "arith.constant")
    names_nan = any(isinstance(value, FloatAttr) and isnan(value.value.data) for value in constants)
    most = _MOST_UNBOUNDED if any(op.name == "scf.while" for op in view.operations) else MOST_ITERATIONS
    return Reference(Interpreter(view, most, evaluator if names_nan else of_numbers), literal, most)


def draw_cases(source: Reference, sizes: Iterable[Sizes], rng: Random, tally: Tally) -> list[Case]:
    """Draw inputs for each size set on which the function has a meaning; note those for which there are none.

    Sizes at which the interpreter takes too long are left out, and after each the others may take a quarter of the
    iterations, as what never ends may do so at all of them; raises LiftError TL611 where it does.
    """
    cases, too_long = [], False
    wanted = list(sizes)
    for position, at in enumerate(wanted):
        corners = Corners.levels(source.view) if position and position == len(wanted) - 1 else ()
        try:
            case = _case(source, at, rng, tally, corners)
        except TooLongError:
            too_long = True
            source = replace(source, most_iterations=source.most_iterations // 4)
        else:
            cases += [] if case is None else [case]
    if too_long and not cases:
        message = "the source takes too long to be tested at the least sizes that the preconditions allow"
        raise refuse("TL611", message, source.view.location, "use smaller constants in extents and bounds")
    return cases


def _case(
    source: Reference, sizes: Sizes, rng: Random, tally: Tally, corners: Sequence[tuple[Style, Corners]]
) -> Case | None:
    """Draw inputs in the first style in which results are finite numbers, or else in the first that has results.

    Corners are tried first.
    """
    fault: Exception | None = None
    found: Case | None = None
    places = Places(source.view)
    with_corners = [(style, places.shares[0], level) for style, level in corners]
    for style, share, mixed in (*with_corners, *product(LARGE_STYLES, places.shares, (None,))):
        if style not in STYLES and found is None:
            break
        try:
            ranges = places.ranges(sizes, share)
            arguments = random_arguments(source.view.parameters, sizes, rng, style, ranges, mixed)
            after = {
                name: value.copy() if isinstance(value, np.ndarray) else value for name, value in arguments.items()
            }
            as_read = Called(after, source.interpreter(after, source.most_iterations).value)
            expected = _as_written(source, arguments) or as_read
        except (InterpreterError, ValueError) as error:
            fault = error
        else:
            case = Case(dict(sizes), arguments, expected, as_read, source.interpreter, style)
            has_nan = mixed is not None and mixed.has_nan  # which may be among the results
            if has_nan or all(map(_is_finite, (*expected.arrays.values(), expected.value))):
                return case
            found = found or case
    if found is not None:
        return found
    if isinstance(fault, UndefinedError | EndedError):
        tally.undefined.append(dict(sizes))
    else:
        tally.fail(sizes, str(fault), "interpreter")
    return None


def _as_written(source: Reference, arguments: Mapping[str, Any]) -> Called | None:
    """Run the literal IR; raises ``UndefinedError`` where C gives the arguments no meaning."""
    if source.literal is None:
        return None
    try:
        return Called(*source.literal(arguments, source.most_iterations))
    except TooLongError:
        return None


def _is_finite(value: object) -> bool:
    """Tell whether a number, or each of an array, is finite; None is nothing that is not."""
    return value is None or bool(np.all(np.isfinite(np.asarray(value))))


def result_pairs(expected: Called, outputs: Sequence[str], given: Sequence[Any]) -> list[tuple[str, Any, Any]]:
    """Pair what is expected with what was given: the outputs by name, then the returned value where there is one."""
    wanted: list[tuple[str, Any]] = [(name, expected.arrays[name]) for name in outputs]
    if len(given) > len(outputs):
        wanted.append(("the result", expected.value))
    return [(name, value, found) for (name, value), found in zip(wanted, given, strict=True)]


def result_count(view: FunctionView, outputs: Sequence[str]) -> int:
    """Count what the program returns: the written arrays and the C return value."""
    return len(outputs) + (view.result_dtype is not None)
