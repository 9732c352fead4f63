"""Calls an emitted NumPy program by parameter name and checks that it keeps to its contract.

The contract: it takes arrays and scalars by source name, leaves its arguments alone, and returns the written arrays in
source order, then the returned scalar, as fresh values that share no memory with the arguments.
"""

from __future__ import annotations

import inspect
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Program = Callable[..., Any]


class ContractError(Exception):
    """Raised where an emitted program breaks its contract; the text says how."""


def load_program(text: str, entry: str) -> Program:
    """Execute the text of an emitted program in a namespace of its own and give its entry function."""
    namespace: dict[str, Any] = {"__name__": "lifted", "np": np}
    exec(compile(text, "<lifted>", "exec"), namespace)  # noqa: S102 - the text is our own emitter's
    function: Program = namespace[entry]
    return function


def call_program(program: Program, arguments: Mapping[str, Any], outputs: int) -> list[Any]:
    """Call a program with those of ``arguments`` that it takes and give its ``outputs`` results.

    Raises ContractError where it changes an argument, raises, or returns an argument's memory.
    """
    taken = arguments_for(program, arguments)
    before = {name: value.tobytes() for name, value in taken.items() if isinstance(value, np.ndarray)}
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # of a mean over nothing
            returned = program(**taken)
    except Exception as error:  # noqa: BLE001 - whatever it raises, the program is wrong
        raise ContractError(f"the program raises {type(error).__name__}: {error}") from None
    results = as_list(returned, outputs)
    for name, bytes_before in before.items():
        if taken[name].tobytes() != bytes_before:
            raise ContractError(f"the program changes its argument {name}")
        if any(isinstance(result, np.ndarray) and np.may_share_memory(result, taken[name]) for result in results):
            raise ContractError(f"a result shares the memory of the argument {name}")
    return results


def arguments_for(program: Program, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Give those of ``arguments``, by their names in the source, that a program takes, by the names of its parameters.

    Raises ContractError where it takes another one.
    """
    return {name: _find(name, arguments) for name in _parameters(program)}


def _parameters(program: Program) -> tuple[str, ...]:
    """List the names of a program's parameters; a signature from `inspect` would take longer than running it."""
    names: tuple[str, ...] | None = getattr(program, "parameters", None)  # of a program that is no function of Python
    if names is None:
        code = inspect.unwrap(program).__code__
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return names


def _find(name: str, arguments: Mapping[str, Any]) -> Any:
    """Find the argument of a parameter; a name that Python or the program needs has a trailing underscore."""
    for spelling in (name, name.rstrip("_")):
        for source_name, value in arguments.items():
            if spelling in {source_name, source_name.replace(".", "_")}:
                return value
    raise ContractError(f"the program's parameter {name} is no parameter of the source")


def as_list(returned: Any, outputs: int) -> list[Any]:
    """List the results of a program; raises ContractError where it gives another number of them, or no numbers."""
    results = results_of(returned, outputs)
    for result in results:
        if not isinstance(result, np.ndarray | np.generic | int | float):
            raise ContractError(f"the program returns a {type(result).__name__}")
    return results


def results_of(returned: Any, outputs: int) -> list[Any]:
    """List the results of a program, of any library; raises ContractError where it gives another number of them."""
    if outputs == 0 and returned is None:
        return []
    results = list(returned) if isinstance(returned, tuple) and outputs != 1 else [returned]
    if len(results) != outputs:
        raise ContractError(f"the program returns {len(results)} values, not {outputs}")
    return results
