"""The public `lift` function and its result."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, overload

from tensorlift.calls.execute import executable
from tensorlift.diagnostics import Diagnostic, LiftError
from tensorlift.record import LiftRecord
from tensorlift.report.notebook import show_functions
from tensorlift.report.program import entry_name, join_programs
from tensorlift.source import looks_like_text, read_source, source_from_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tensorlift.contract.interface import Precondition
    from tensorlift.decorated import LiftedFunction
    from tensorlift.record import FunctionRecord, Level, Verdict
    from tensorlift.source import Source


class Lifted:
    """What lifting gave: the emitted program with its verdict; callable where it holds a single Python function."""

    def __init__(self, record: LiftRecord, text: Source | None = None) -> None:
        """Wrap the run record that the pipeline made of a text."""
        self.record = record
        self._text = text

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
    def restricted(self) -> bool:
        """Whether the preconditions of a function leave out sizes that the source takes."""
        return any(f.restricted for f in self.functions)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Everything that was found, source first."""
        return self.record.all_diagnostics

    def __getitem__(self, name: str) -> Lifted:
        """Give one function by its name in the source; raise KeyError where there is none."""
        for function in self.functions:
            if function.name == name:
                return Lifted(replace(self.record, functions=(function,)), self._text)
        raise KeyError(name)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Run the emitted function; raise `LiftError` where the function was refused."""
        return self._function(*arguments, **named)

    @property
    def adapter_source(self) -> str:
        """The emitted program with its adapters and what they call, in one text; raises LiftError without any."""
        from tensorlift.contract.adapter import helpers

        lifted = [f for f in self.functions if f.lifted]
        if not any(f.adapter for f in lifted):
            raise LiftError(*(d for f in self.functions for d in f.without_adapter or f.diagnostics))
        parts = [helpers(), *(f.program for f in lifted), *(f.adapter for f in lifted if f.adapter)]
        return join_programs(parts, self.record.target)

    def adapter(self, original: Any = None) -> Callable[..., Any]:
        """Give the function with the signature of the C original, over flat memory.

        It takes numbers, and for pointers NumPy arrays or ctypes pointers, which it writes as C does.  Where a
        precondition does not hold it calls ``original``, a function of ctypes; without one it raises ValueError.
        Raises LiftError where there is no such function.
        """
        return partial(self._adapter, original=original)

    def _only(self) -> tuple[FunctionRecord, ...]:
        if len(self.functions) != 1:
            names = ", ".join(f.name for f in self.functions)
            raise TypeError(f"this result holds several functions: choose one by its name, of {names}")
        return self.functions

    def __repr__(self) -> str:
        """Name the functions and their verdicts."""
        verdicts = ", ".join(f"{f.name}: {f.verdict}" for f in self.functions) or self.verdict
        return f"<Lifted {self.record.file} to {self.record.target}: {verdicts}>"

    def _repr_html_(self) -> str:
        """Show in a notebook the source, and beside it the programs with their verdicts, or why there are none."""
        return show_functions(self.functions, self._text or source_from_text(""), self.record.diagnostics)

    @cached_property
    def _adapter(self) -> Callable[..., Any]:
        (function,) = self._only()
        namespace: dict[str, Any] = {"__name__": f"adapted_{function.name}"}
        exec(compile(self.adapter_source, f"<adapted {function.name}>", "exec"), namespace)  # noqa: S102 - written here
        adapter: Callable[..., Any] = namespace[f"{entry_name(function.name, function.program)}_adapter"]
        return adapter

    @cached_property
    def _function(self) -> Callable[..., Any]:
        (function,) = self._only()
        if not function.lifted:
            raise LiftError(*function.diagnostics)
        return executable(function, self.record.target)


_OF_FUNCTIONS = {"fallback", "dtype"}  # choices for Python functions, ...
_OF_ALL = {"cache"}  # ... and for these and sources
_READING = re.compile(
    r"#\s*(?:include|embed)|__has_include|^\s*(?:include\s*['\"]|use\b)", re.MULTILINE | re.IGNORECASE
)  # what reads other files


@overload
def lift(
    path_or_source: str | os.PathLike[str],
    *,
    function: str | Sequence[str] | None = None,
    to: str = "numpy",
    include_dirs: Sequence[str] = (),
    defines: Sequence[str] = (),
    std: str | None = None,
    test: bool = False,
    guards: bool = False,
    sizes: Mapping[str, int] | None = None,
    cache: bool = True,
) -> Lifted: ...
@overload
def lift(
    python_function: Callable[..., Any],
    /,
    *,
    to: str = "numpy",
    fallback: bool = False,
    cache: bool = True,
    dtype: Any = None,
) -> LiftedFunction: ...
@overload
def lift(
    *, to: str = "numpy", fallback: bool = False, cache: bool = True, dtype: Any = None
) -> Callable[[Callable[..., Any]], LiftedFunction]: ...
def lift(path_or_source: Any = None, /, *, to: str = "numpy", **choices: Any) -> Any:
    """Lift a Python function, as a decorator does, or the functions of a source, to the target ``to``.

    ``@lift``, ``@lift(to=..., fallback=...)`` and ``lift(function)`` give a function that runs its lifted program in
    place of the original; with ``fallback`` the original runs, with a warning, where the program cannot.  Lifts are
    kept on disk and found there by later runs, unless ``cache`` is false or ``TENSORLIFT_CACHE`` is ``off``.  ``dtype``
    is the type of floats that parameters are taken for before a call or an annotation tells theirs.

    A string that holds a newline or a brace is C source text; any other string or path names a file in C, Python or
    MLIR.  ``function`` names the functions to lift, ``defines`` are macros, ``NAME`` or ``NAME=VALUE``; ``std`` is a C
    standard such as ``c99``.  With ``test`` the programs also run against the source.  With ``guards`` they check their
    arguments, and raise ValueError where a precondition does not hold.  ``sizes`` are those of a program whose shapes
    are static, as StableHLO's are.

    Raises:
        LiftError: the request is wrong (no such file, function or target), or the source is not valid.  A function of a
            source that is refused raises nothing here: its verdict says so, and calling it raises.  A Python function
            that is refused raises at once, unless ``fallback`` is set.

    """
    is_source = isinstance(path_or_source, str | os.PathLike)
    for name in choices:
        if name not in _OF_ALL and (name in _OF_FUNCTIONS) is is_source:
            kinds = ["for source text or files", "for Python functions"]
            wanted, given = reversed(kinds) if is_source else kinds
            raise TypeError(f"'{name}' is {wanted}, not {given}")
    if is_source:
        return _lift_source(path_or_source, to=to, **choices)
    from tensorlift.decorated import LiftedFunction

    def decorate(python_function: Callable[..., Any]) -> LiftedFunction:
        return LiftedFunction(python_function, to, **choices)

    return decorate if path_or_source is None else decorate(path_or_source)


def _lift_source(path_or_source: str | os.PathLike[str], **choices: Any) -> Lifted:
    source = (
        source_from_text(path_or_source)
        if isinstance(path_or_source, str) and looks_like_text(path_or_source)
        else read_source(os.fspath(path_or_source))
    )
    lifted = lift_text(source, **choices)
    if lifted.record.diagnostics and not lifted.functions:
        raise LiftError(*lifted.record.diagnostics)
    return lifted


def lift_text(  # noqa: PLR0913 - each keyword is one independent choice of the caller
    source: Source,
    *,
    to: str = "numpy",
    function: str | Sequence[str] | None = None,
    include_dirs: Sequence[str] = (),
    defines: Sequence[str] = (),
    std: str | None = None,
    test: bool = False,
    guards: bool = False,
    sizes: Mapping[str, int] | None = None,
    cache: bool = True,
) -> Lifted:
    """Lift the functions of a source as `lift` does; one that is not valid raises nothing, its verdict says so."""
    from tensorlift.calls import kept

    names = (function,) if isinstance(function, str) else tuple(function or ())
    options = {
        "functions": names,
        "target": to,
        "include_dirs": tuple(include_dirs),
        "defines": tuple(defines),
        "std": std,
        "test": test,
        "guards": guards,
        "adapter": True,
        "sizes": tuple((sizes or {}).items()),
    }
    keeps = cache and _stands_alone(source, options)
    key = [source.name, source.text, options]
    found = kept.find(key, LiftRecord) if keeps else None
    if found is None:
        found = _lifted_now(source, options)
        if keeps:
            kept.keep(key, found)
    return Lifted(found, source)


def _stands_alone(source: Source, options: Mapping[str, Any]) -> bool:
    """Tell whether a lift depends on no other file, and runs nothing that is asked for."""
    from tensorlift.targets import target_names

    is_asked = options["test"] or options["include_dirs"]
    return not is_asked and options["target"] in target_names() and _READING.search(source.text) is None


def _lifted_now(source: Source, options: Mapping[str, Any]) -> LiftRecord:
    from tensorlift.pipeline import LiftOptions, lift_source

    return lift_source(source, LiftOptions(**options))
