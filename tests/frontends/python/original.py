"""The loop IR of a Python function beside the function itself, run on the same arguments."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np

from tensorlift.contract.required import required
from tensorlift.ir.interpreter import Interpreter
from tensorlift.ir.text import functions
from tensorlift.languages.python import read_python
from tensorlift.runtime.data import random_arguments, seeded
from tensorlift.runtime.python_original_worker import work
from tensorlift.runtime.sizes import choose_sizes

if TYPE_CHECKING:
    from tensorlift.ir.function import FunctionView

    Outcome = dict[str, Any]


def function_op(source: str, name: str) -> Any:
    """Read one function of a source and give its operation; the diagnostics are raised."""
    (read,) = read_python(source, "k.py", function=name)
    assert read.module is not None, read.diagnostics
    (operation,) = functions(read.module)
    return operation


def both(source: str, name: str, cases: int = 4) -> list[tuple[Outcome, Outcome]]:
    """Give what the interpreter and Python leave in every array, and the returned value under the empty name."""
    operation = function_op(source, name)
    interpreter = Interpreter(operation)
    view = interpreter.view
    rng = seeded(7)
    return [
        _both(source, interpreter, random_arguments(view.parameters, sizes, rng, "positive"))
        for sizes in choose_sizes(view.parameters, required(view), rng, cases)
        if min(sizes.values(), default=1) > 0
    ]


def _both(source: str, interpreter: Interpreter, arguments: Outcome) -> tuple[Outcome, Outcome]:
    view = interpreter.view
    after = copy.deepcopy(arguments)
    value = interpreter(after).value
    arrays = {p.name for p in view.parameters if p.role == "array"}
    mine = {key: found for key, found in after.items() if key in arrays} | ({} if value is None else {"": value})
    return mine, _python(source, view, arguments)


def _python(source: str, view: FunctionView, arguments: Outcome) -> Outcome:
    """Call the original as the worker does, in this process."""
    from tensorlift.runtime import original  # noqa: PLC0415 - its private pieces describe the call

    facts = {
        "source": source,
        "function": view.name,
        "parameters": original._described(source, view),
        "returns": [name for name, _ in view.returns],
        "result": "f8" if view.result_dtype else "",
        "cases": 1,
    }
    stored = {f"0:{name}": np.asarray(value) for name, value in arguments.items()}
    with patch.dict(vars(np)):  # which the worker changes
        _, found = work(facts, stored)
    arrays = {p.name for p in view.parameters if p.role == "array"}
    return {name: found[f"0:{name}"] for name in arrays | ({""} if view.result_dtype else set())}
