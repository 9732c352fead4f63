"""A plain, slow interpreter of the loop IR on NumPy data: the living definition of what a loop program means.

A function is first compiled to Python closures, one per operation, over a flat frame of values (``execution``); running
it calls them in order.  Arrays are copied into flat lists, and those that may be stored to are copied back at the end.
Every access is checked against the extents and every read against undefined memory: either is a fault of the program.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorlift.ir.arithmetic import evaluator, width_of, within_64_bits, wrapper
from tensorlift.ir.execution import Budget, Compiler, InterpreterError, TooLongError, UndefinedError
from tensorlift.ir.function import FunctionView, Parameter, tables_of
from tensorlift.ir.memory import NUMPY_TYPES, Memory
from tensorlift.ops.dtypes import FLOATS, round_float

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from xdsl.ir import Operation

    from tensorlift.ir.arithmetic import Evaluator

    Argument = int | float | np.generic | np.ndarray[Any, np.dtype[Any]]

__all__ = ["Interpreter", "InterpreterError", "Result", "TooLongError", "UndefinedError", "interpret"]

_UNBOUNDED = 1 << 62


@dataclass(frozen=True, slots=True)
class Result:
    """What a run leaves besides the arrays: the returned scalar in its own type, None where nothing is returned."""

    value: np.generic | None


def interpret(func_op: Operation, arguments: Mapping[str, Argument]) -> Result:
    """Run a function once; see ``Interpreter``."""
    return Interpreter(func_op)(arguments)


class Interpreter:
    """One function, compiled once and run as often as wanted."""

    def __init__(
        self,
        function: Operation | FunctionView,
        most_iterations: int = _UNBOUNDED,
        evaluate: Callable[[Operation], Evaluator | None] = evaluator,
    ) -> None:
        """Compile; raises InterpreterError where an operation is not part of the loop IR.

        ``most_iterations`` bounds those of one run, of all loops together; ``evaluate`` gives scalar operations a
        meaning.
        """
        self.view = FunctionView.of(function)
        self._most, self._budget = most_iterations, Budget(most_iterations)
        has_limit = any(requirement.kind == "integers" for requirement in self.view.requires)
        compiler = Compiler(self._budget, within_64_bits(evaluate) if has_limit else evaluate)
        self._slots = [compiler.slot(value) for value in self.view.body.args]
        self._body = compiler.block(self.view.body)
        self._frame = compiler.frame()
        for table in tables_of(self.view):  # which nothing writes
            cells = [wrapper(table.value.type)(v) if isinstance(v, int) else v for v in table.values()]
            self._frame[compiler.slot(table.value)] = Memory(cells, table.extents)

    def __call__(self, arguments: Mapping[str, Argument], most_iterations: int | None = None) -> Result:
        """Run on arguments by source name: sizes and scalars as numbers, arrays in logical shape, changed in place.

        ``most_iterations`` are those of this run, where they are others than those of all.

        Raises ValueError where an argument has the wrong type or shape, InterpreterError where the program goes wrong,
        UndefinedError among them where C gives the input no meaning, TooLongError where a run takes too long.
        """
        self._budget.left = self._most if most_iterations is None else most_iterations
        frame = self._frame.copy()
        sizes = {p.name: _as_int(arguments[p.name]) for p in self.view.parameters if p.role == "size"}
        arrays: list[tuple[Parameter, Memory]] = []
        for slot, parameter in zip(self._slots, self.view.parameters, strict=True):
            argument = arguments[parameter.name]
            if parameter.role == "array":
                memory = _copied_in(parameter, argument, sizes)
                arrays.append((parameter, memory))
                frame[slot] = memory
            else:
                frame[slot] = _scalar(parameter, argument)
        values = self._body(frame)
        self._copy_out(arrays, arguments)
        return Result(_returned(self.view.result_dtype, values[0]) if values else None)

    def _copy_out(self, arrays: list[tuple[Parameter, Memory]], arguments: Mapping[str, Argument]) -> None:
        for parameter, memory in arrays:
            if parameter.name in self.view.written:
                array = arguments[parameter.name]
                assert isinstance(array, np.ndarray)
                memory.write_back(array, one_bit=_is_one_bit(parameter))


def _as_int(argument: Argument) -> int:
    if not isinstance(argument, int | np.integer):
        raise ValueError(f"a size must be an integer, not {argument!r}")  # noqa: TRY004 - documented as ValueError
    return int(argument)


def _copied_in(parameter: Parameter, argument: Argument, sizes: Mapping[str, int]) -> Memory:
    expected = NUMPY_TYPES[parameter.dtype]
    if not isinstance(argument, np.ndarray) or argument.dtype != expected:
        raise ValueError(f"{parameter.name} must be an array of {expected}")
    if parameter.extents is not None:
        shape = tuple(extent.at(sizes) for extent in parameter.extents)
        if argument.shape != shape:
            raise ValueError(f"{parameter.name} must have shape {shape}, not {argument.shape}")
    return Memory.of(argument, one_bit=_is_one_bit(parameter))


def _is_one_bit(parameter: Parameter) -> bool:
    element: Any = parameter.value.type
    return width_of(element.get_element_type()) == 1


def _scalar(parameter: Parameter, argument: Argument) -> int | float:
    assert not isinstance(argument, np.ndarray)
    if parameter.role == "size":
        return int(argument)
    if parameter.dtype in FLOATS:
        return round_float(float(argument), parameter.dtype)
    return wrapper(parameter.value.type)(int(argument))


def _returned(dtype: str | None, value: float) -> np.generic:
    assert dtype is not None
    if dtype[0] == "u":
        value = int(value) & ((1 << int(dtype[1:])) - 1)
    result: np.generic = NUMPY_TYPES[dtype].type(value)
    return result
