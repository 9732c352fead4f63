"""Calls a function of a Python original on arrays, in a limited subprocess."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorlift.diagnostics import LiftError, refuse
from tensorlift.ir.memory import NUMPY_TYPES
from tensorlift.runtime.cases import Called
from tensorlift.runtime.workers import WorkerError, run_worker

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tensorlift.ir.function import FunctionView, Parameter
    from tensorlift.runtime.original import Original
    from tensorlift.runtime.sandbox import Limits

    Array = np.ndarray[Any, np.dtype[Any]]
    Arguments = Mapping[str, Any]

SUFFIX = ".py"
_LIST = re.compile(r"^['\"]?(?:\w+\.)*(?:list|List|Sequence)\b")


def run_python_original(
    original: Original, view: FunctionView, cases: Sequence[Arguments], limits: Limits
) -> list[Called | None]:
    """Run a Python file and call the function of ``view`` in it once for each case.

    A case gives every parameter by source name, arrays in logical shape; they are not changed.  What the function
    returns goes where ``tl.returns`` of the loop IR says.  A case in which it divides by zero or the like gives None.
    Raises LiftError: TL604 it raised, in every case if because of such numbers, crashed or ran out of time.
    """
    arrays = {
        f"{number}:{parameter.name}": np.asarray(case[parameter.name], NUMPY_TYPES[parameter.dtype])
        for number, case in enumerate(cases)
        for parameter in view.parameters
    }
    facts = {**python_facts(original, view), "cases": len(cases)}
    try:
        reply, results = run_worker("python_original_worker", facts, arrays, limits)
    except WorkerError as error:
        raise _failed(str(error), view) from None
    raised: dict[str, str] = reply["raised"]
    if len(raised) == len(cases):
        raise _failed(raised["0"], view)
    return [None if str(number) in raised else _called(view, results, number) for number in range(len(cases))]


def _failed(reason: str, view: FunctionView) -> LiftError:
    remedy = "run it with small arrays of the shapes that the preconditions ask for"
    return refuse("TL604", f"calling the original failed: {reason}", view.location, remedy)


def python_facts(original: Original, view: FunctionView) -> dict[str, Any]:
    """Say for the worker what is called, and how."""
    return {
        "source": original.text,
        "function": view.name,
        "parameters": _described(original.text, view),
        "returns": [name for name, _ in view.returns],
        "result": NUMPY_TYPES[view.result_dtype].str if view.result_dtype else "",
    }


def _described(source: str, view: FunctionView) -> list[dict[str, Any]]:
    """Describe the parameters of the Python function, in its order."""
    (function,) = (n for n in ast.parse(source).body if isinstance(n, ast.FunctionDef) and n.name == view.name)
    known = {parameter.name: parameter for parameter in view.parameters}
    arguments = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
    return [_describe(argument, known[argument.arg]) for argument in arguments]


def _describe(argument: ast.arg, parameter: Parameter) -> dict[str, Any]:
    annotation = "" if argument.annotation is None else ast.unparse(argument.annotation)
    is_list = bool(_LIST.match(annotation))
    return {"name": argument.arg, "array": parameter.role == "array", "list": is_list}


def _called(view: FunctionView, results: Mapping[str, Array], number: int) -> Called:
    arrays = {p.name: results[f"{number}:{p.name}"] for p in view.parameters if p.role == "array"}
    return Called(arrays, results[f"{number}:"] if view.result_dtype else None)
