"""The interpreter of literal IR: what a program means before anything is rewritten.

Memory is a list of Python numbers, ``None`` where nothing was written.  A run stops with ``UndefinedError`` where C
leaves its meaning undefined, with ``EndedError`` where the program ends itself, and with ``TooLongError`` after so many
branches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.dialects.memref import GlobalOp

from tensorlift.ir import literal_code
from tensorlift.ir.arithmetic import ArithmeticFault
from tensorlift.ir.elementary import FLOAT_FUNCTIONS
from tensorlift.ir.execution import InterpreterError, TooLongError, UndefinedError
from tensorlift.ir.literal_code import UNDEFINED, Ended, compile_functions, function_name
from tensorlift.ir.location import location_of
from tensorlift.ops.dtypes import round_float

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from tensorlift.diagnostics import Location

    Scalar = int | float
    Memory = list[Scalar | None]

__all__ = ["EndedError", "LiteralInterpreter", "TooLongError", "UndefinedError"]

_UNBOUNDED = 1 << 62
_FILE = "<literal IR>"
_HELPERS = {
    **{name: getattr(literal_code, name) for name in ("overflow", "outside", "unwritten", "unreadable", "end")},
    "memory_of": literal_code.memory_of,
    "nearest": round_float,
    "divide": FLOAT_FUNCTIONS["arith.divf"],
    "undefined": UNDEFINED,
}


class EndedError(InterpreterError):
    """Raised where the program ends itself, as ``abort`` and a failed assertion do."""


class LiteralInterpreter:
    """The functions of a ``module``, compiled once and run as often as wanted.

    ``memories`` holds the variables at file scope, by their symbols; those that are no constants have no values yet.
    """

    def __init__(self, module: ModuleOp) -> None:
        """Compile; raises ``InterpreterError`` where an operation is not part of literal IR."""
        self.module = module
        self.memories: dict[str, Memory] = {
            op.sym_name.data: _initial(op) for op in module.ops if isinstance(op, GlobalOp)
        }
        code = compile_functions(op for op in module.ops if isinstance(op, FuncOp) and op.body.blocks)
        self._origins = code.origins
        self._names: dict[str, Any] = {**code.names, **_HELPERS, "memories": self.memories}
        exec(compile("\n".join(code.lines), _FILE, "exec"), self._names)  # noqa: S102 - the text is written here

    def __call__(
        self, name: str, arguments: Sequence[Scalar | Memory], most_branches: int = _UNBOUNDED
    ) -> tuple[Scalar | Memory, ...]:
        """Run a function; memory among the arguments is changed in place.

        Raises ``UndefinedError``, ``EndedError`` or ``TooLongError`` where the run stops.
        """
        self._names["tick"] = iter(range(most_branches)).__next__
        try:
            found = self._names[function_name(name)](*arguments)
            results = found if isinstance(found, tuple) else () if found is None else (found,)
            if any(result is UNDEFINED for result in results):
                literal_code.unreadable()
        except (StopIteration, RecursionError):
            raise TooLongError from None
        except IndexError as error:
            raise UndefinedError("an access lies outside of the memory", self._place(error.__traceback__)) from None
        except ArithmeticFault as fault:
            raise UndefinedError(str(fault), self._place(fault.__traceback__)) from None
        except Ended as ended:
            raise EndedError(str(ended), self._place(ended.__traceback__)) from None
        return results

    def _place(self, trace: TracebackType | None) -> Location | None:
        """Find the operation that an exception came from: the innermost line of the text."""
        line = 0
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == _FILE:
                line = trace.tb_lineno
            trace = trace.tb_next
        origin = self._origins[line - 1] if line else None
        return location_of(origin) if origin is not None else None


def _initial(op: GlobalOp) -> Memory:
    """Give the values of a variable at file scope, or cells without a value."""
    values: Any = op.initial_value
    if isinstance(values, DenseIntOrFPElementsAttr):
        return list(values.get_values())
    memory: Any = op.type
    return [None] * memory.get_shape()[0]
