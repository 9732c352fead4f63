"""The function that an emitted program defines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorlift.diagnostics import refuse
from tensorlift.report.program import PYTHON, entry_name, language
from tensorlift.runtime.libraries import require_library

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.record import FunctionRecord


def executable(function: FunctionRecord, target: str) -> Callable[..., Any]:
    """Give the function that a lifted program defines.

    Raises LiftError TL508 where it is not written in Python, TL607 where the library that it needs is missing.
    """
    if language(target) is not PYTHON:
        message = f"a program for the target '{target}' cannot be called from Python"
        raise refuse("TL508", message, function.location, "use its text, the attribute 'source'")
    require_library(target)
    namespace: dict[str, Any] = {"__name__": f"lifted_{function.name}"}
    code = compile(function.program, f"<lifted {function.name}>", "exec")
    exec(code, namespace)  # noqa: S102 - the program was written by this library and passed its own checks
    found: Callable[..., Any] = namespace[entry_name(function.name, function.program)]
    return found
