"""The public `lift` function and its result."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tensorlift.diagnostics import LiftError, refuse
from tensorlift.report.program import PYTHON, entry_name, join_programs, language
from tensorlift.source import looks_like_text, read_source, source_from_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tensorlift.diagnostics import Diagnostic
    from tensorlift.record import FunctionRecord, Level, LiftRecord, Precondition, Verdict


class Lifted:
    """What lifting gave: the emitted program with its verdict; callable where it holds a single Python function."""

    def __init__(self, record: LiftRecord) -> None:
        """Wrap the run record that the pipeline made."""
        self.record = record

    @property
    def functions(self) -> tuple[FunctionRecord, ...]:
        """The records of the functions, in source order."""
        return self.record.functions

    @property
    def source(self) -> str:
        """The emitted program, all lifted functions in one text."""
        return join_programs([f.program for f in self.functions if f.lifted], self.record.target)

    @property
    def verdict(self) -> Verdict:
        """The worst verdict of the functions."""
        return self.record.verdict

    @property
    def level(self) -> Level | None:
        """The weakest level of the lifted functions."""
        return self.record.level

    @property
    def preconditions(self) -> tuple[Precondition, ...]:
        """What the callers of the functions must guarantee."""
        return tuple(p for f in self.functions for p in f.preconditions)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Everything that was found, source first."""
        return self.record.all_diagnostics

    def __getitem__(self, name: str) -> Lifted:
        """Give one function by its name in the source; raise KeyError where there is none."""
        for function in self.functions:
            if function.name == name:
                return Lifted(replace(self.record, functions=(function,)))
        raise KeyError(name)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Run the emitted function; raise `LiftError` where the function was refused."""
        return self._function(*arguments, **named)

    def __repr__(self) -> str:
        """Name the functions and their verdicts."""
        verdicts = ", ".join(f"{f.name}: {f.verdict}" for f in self.functions)
        return f"<Lifted {self.record.file} to {self.record.target}: {verdicts}>"

    @cached_property
    def _function(self) -> Callable[..., Any]:
        if len(self.functions) != 1:
            names = ", ".join(f.name for f in self.functions)
            raise TypeError(f"this result holds several functions: choose one by its name, of {names}")
        (function,) = self.functions
        if not function.lifted:
            raise LiftError(*function.diagnostics)
        if language(self.record.target) is not PYTHON:
            message = f"a program for the target '{self.record.target}' cannot be called from Python"
            raise refuse("TL508", message, function.location, "use its text, the attribute 'source'")
        return _execute(function)


def lift(  # noqa: PLR0913 - each keyword is one independent choice of the caller
    path_or_source: str | os.PathLike[str],
    *,
    function: str | Sequence[str] | None = None,
    to: str = "numpy",
    include_dirs: Sequence[str] = (),
    defines: Sequence[str] = (),
    std: str | None = None,
    test: bool = False,
) -> Lifted:
    """Lift the functions of a C source, or those named by ``function``, to the target ``to``.

    A string that holds a newline or a brace is source text, any other the path of a file.  ``defines`` are macros,
    ``NAME`` or ``NAME=VALUE``; ``std`` is a C standard such as ``c99``.  With ``test`` the programs also run against
    the compiled source.

    Raises:
        LiftError: the request is wrong (no such file, function or target), or the source is not valid.  A function that
            is refused raises nothing here: its verdict says so, and calling it raises.

    """
    from tensorlift.pipeline import LiftOptions, lift_source

    source = (
        source_from_text(path_or_source)
        if isinstance(path_or_source, str) and looks_like_text(path_or_source)
        else read_source(os.fspath(path_or_source))
    )
    names = (function,) if isinstance(function, str) else tuple(function or ())
    record = lift_source(source, LiftOptions(names, to, tuple(include_dirs), tuple(defines), std, test=test))
    if record.diagnostics and not record.functions:
        raise LiftError(*record.diagnostics)
    return Lifted(record)


def _execute(function: FunctionRecord) -> Callable[..., Any]:
    namespace: dict[str, Any] = {"__name__": f"lifted_{function.name}"}
    code = compile(function.program, f"<lifted {function.name}>", "exec")
    exec(code, namespace)  # noqa: S102 - the program was written by this library and passed its own checks
    found: Callable[..., Any] = namespace[entry_name(function.name, function.program)]
    return found
