"""A live Python function with its lifted program in its place: what ``@lift`` makes of a function.

A function whose annotations tell what every parameter is, is lifted once.  Otherwise it is lifted for the kinds of
arguments that calls pass, each combination once, at its first call; before that, at decoration, for what its use
suggests, so that what cannot be lifted in any case is refused there.
"""

from __future__ import annotations

import functools
import inspect
import threading
import warnings
from typing import TYPE_CHECKING, Any

from tensorlift.calls import kept
from tensorlift.calls.complex_numbers import in_parts, pairs_of, ways_of
from tensorlift.calls.errors import FallbackWarning
from tensorlift.calls.execute import executable
from tensorlift.calls.foreign import as_numpy, is_foreign
from tensorlift.calls.kept import Kept
from tensorlift.calls.kinds import Argument, Kind, check_alive, fit, float_named, kind_of, parse_kind, refined
from tensorlift.calls.program import LiftedProgram, PythonInterface
from tensorlift.calls.quick import NOT_QUICK, binder, no_quick_way, quick_way
from tensorlift.calls.sent import reduced
from tensorlift.diagnostics import Diagnostic, LiftError
from tensorlift.record import FunctionRecord, Level, Verdict
from tensorlift.report.notebook import show_functions
from tensorlift.report.terminal import explain
from tensorlift.runtime.libraries import over_numpy, untraced
from tensorlift.source import Source, source_from_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tensorlift.contract.interface import Precondition
    from tensorlift.frontends.python import LiveFunction
    from tensorlift.frontends.read_function import ReadFunction
    from tensorlift.interface import Lifting
    from tensorlift.ir.function import FunctionView

# Reasons to refuse a function whatever its arguments are: others may hold for what it was assumed to take alone.
_IN_ANY_CASE = {
    f"TL{number}" for number in (110, 120, 122, *range(165, 172), 173, 174, 175, 179, 182, 183, 184, 185, 508)
}
_INTERNAL = "TL9"  # begins the codes of internal errors, which are not kept
_LIFTING = threading.RLock()  # one function is lifted at a time, whatever threads call
_MOST_WAYS = 16  # that are quick, one for each kinds of arguments


class LiftedFunction:
    """A Python function that runs its lifted program; called as the original is."""

    def __init__(
        self,
        function: Callable[..., Any],
        target: str,
        *,
        fallback: bool = False,
        cache: bool = True,
        dtype: Any = None,
    ) -> None:
        """Lift the function as far as its annotations tell its types; raises LiftError unless ``fallback``.

        With ``cache`` lifts are kept on disk, and found there.  ``dtype`` is the type of floats that nobody tells.
        """
        from tensorlift.targets import get_target, target_names

        functools.update_wrapper(self, function)
        self.original = function
        self.target = target
        self.fallback = fallback
        self._choices: dict[str, Any] = {"fallback": fallback, "cache": cache, "dtype": dtype}
        self._float = float_named(dtype)
        self._programs: dict[tuple[tuple[str, str], ...], LiftedProgram | LiftError] = {}
        self._kinds: dict[str, Kind | None] = {}
        self._live: LiveFunction | None = None
        self._is_refused = False
        self._warned = set[object]()
        self._name = str(getattr(function, "__name__", type(function).__name__))
        self._record = FunctionRecord(self._name, Verdict.REFUSED, target=target)
        if target not in target_names():
            get_target(target)
        self._enter = untraced(self._called) if target == "torch" else self._called
        self._quick, self._tried = no_quick_way, set[object]()
        try:
            self._begin()
        except LiftError as error:
            self._refuse(error)

    @property
    def record(self) -> FunctionRecord:
        """The run record of the latest lifting."""
        return self._record

    @property
    def source(self) -> str:
        """The program of the latest lifting; empty where it was refused."""
        return self._record.program

    @property
    def verdict(self) -> Verdict:
        """The verdict of the latest lifting."""
        return self._record.verdict

    @property
    def level(self) -> Level | None:
        """The level of the latest lifting."""
        return self._record.level

    @property
    def preconditions(self) -> tuple[Precondition, ...]:
        """What calls must guarantee to the program of the latest lifting; every call is checked."""
        return self._record.preconditions

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What the latest lifting found."""
        return self._record.diagnostics

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Run the lifted program as the original would run.

        Raises ArgumentTypeError or ArgumentValueError where a call passes what the program does not take, LiftError
        where the function cannot be lifted for it; with ``fallback`` the original runs instead, with a warning.
        """
        return self._enter(*arguments, **named)

    def _called(self, *arguments: Any, **named: Any) -> Any:
        found = self._quick(*arguments, **named)
        return self._checked_call(*arguments, **named) if found is NOT_QUICK else found

    def _checked_call(self, *arguments: Any, **named: Any) -> Any:
        if self._is_refused:
            return self.original(*arguments, **named)
        values = self._bind(*arguments, **named)
        try:
            self._refresh()
            program, kinds, given = self._prepare(values)
            program.check(given)
        except LiftError as error:
            if not self.fallback:
                raise self._explained(error) from None
            self._warn(error)
            return self.original(*arguments, **named)
        self._add_quick_way(program, kinds, given)
        return program.run(given)

    def _add_quick_way(self, program: LiftedProgram, kinds: Mapping[str, Kind], given: Mapping[str, Argument]) -> None:
        """Let later calls with arguments of the same types go the quick way, where there is one."""
        known = tuple(type(argument.given) for argument in given.values()), tuple(kinds.values())
        if known in self._tried or len(self._tried) >= _MOST_WAYS or self._live is None:
            return
        self._tried.add(known)
        meanings = [(*captured.look_up, captured.value) for captured in self._live.captured]
        made = quick_way(self._live.name, self._signature, program, kinds, given, meanings, self._quick)
        self._quick = made or self._quick

    def _forget(self) -> None:
        """Forget the programs, and what was made of them."""
        self._programs.clear()
        self._quick = no_quick_way
        self._tried.clear()

    def __copy__(self) -> LiftedFunction:
        """Give the function itself, as copies of functions are."""
        return self

    def __deepcopy__(self, memo: object) -> LiftedFunction:
        """Give the function itself, as copies of functions are."""
        return self

    def __reduce__(self) -> str | tuple[Any, ...]:
        """Pickle by name where the function has one, else with what it was made of; see `tensorlift.calls.sent`."""
        return reduced(self, LiftedFunction, self._choices, () if self._live is None else self._live.places)

    def __repr__(self) -> str:
        """Name the function and its verdict."""
        return f"<LiftedFunction {self._name} to {self.target}: {self.verdict}>"

    def _repr_html_(self) -> str:
        """Show the program with its verdict in a notebook."""
        return show_functions((self._record,), self._text(), lines=self._lines(), written="python")

    def _begin(self) -> None:
        """Find the function and lift what can be lifted before the first call."""
        from tensorlift.frontends.python import find_function

        live = self._live = find_function(self.original)
        self._signature = inspect.signature(live.function)
        self._bind = binder(live.name, self._signature)
        self._kinds = {name: parse_kind(text) if text else None for name, text in live.told().items()}
        self._dtypes = live.told_dtypes()
        assumed = live.assumed()
        told = {name: assumed[name].replace("float64", self._float) for name in self._open()}
        try:
            self._program(told)
        except LiftError as error:
            if not told or any(d.code in _IN_ANY_CASE for d in error.diagnostics):
                raise
            self._programs.clear()  # a call may pass other kinds

    def _refresh(self) -> None:
        """Lift anew where a name of another scope has come to mean something else."""
        if self._live is not None and not self._live.is_current:
            self._forget()
            self._begin()

    def _refuse(self, error: LiftError) -> None:
        """Raise the error, or warn and let the original run from now on."""
        explained = self._explained(error)
        if not self.fallback:
            raise explained from None
        self._is_refused = True
        location = error.diagnostics[0].location
        if not self._record.diagnostics:
            self._record = FunctionRecord(
                self._name, Verdict.REFUSED, location, target=self.target, diagnostics=error.diagnostics
            )
        place = (location.file, location.line) if location else (__file__, 1)
        warnings.warn_explicit(self._warning(error), None, *place)

    def _open(self) -> list[str]:
        """List the parameters that no annotation tells."""
        return [name for name, kind in self._kinds.items() if kind is None]

    def _prepare(self, values: Mapping[str, Any]) -> tuple[LiftedProgram, dict[str, Kind], dict[str, Argument]]:
        """Find the program for the arguments of a call, with their kinds, and convert them."""
        assert self._live is not None
        for name, value in values.items():
            check_alive(value, name)
        foreign = {name: value for name, value in values.items() if is_foreign(value, self.target)}
        values = dict(values) | {name: as_numpy(value, name, self.target) for name, value in foreign.items()}
        described = self._live.split.described
        parts = in_parts(values, described)
        kinds = {name: self._kind(parts[name], name) for name in self._kinds}
        given = {name: fit(parts[name], kind, name) for name, kind in kinds.items()}
        for name in pairs_of(described):
            given[name] = Argument(values[name], given[name].held)
        for name in foreign.keys() & given.keys():
            given[name] = Argument(foreign[name], given[name].held, is_foreign=True)
        told = {name: kind.text for name, kind in kinds.items() if kind is not self._kinds[name]}
        return self._program(told), kinds, given

    def _kind(self, value: Any, name: str) -> Kind:
        """Give the kind that an argument is taken for: the annotated one, if it computes as that does."""
        kind = self._kinds[name]
        return parse_kind(kind_of(value, name, self._dtypes.get(name, ""))) if kind is None else refined(value, kind)

    def _program(self, told: Mapping[str, str]) -> LiftedProgram:
        """Give the program for kinds of the parameters whose annotations do not tell them, or another one."""
        key = tuple(told.items())
        known = self._programs.get(key)
        if known is None:
            with _LIFTING:
                known = self._programs.get(key) or self._outcome({name: text for name, text in key if text})
                self._programs[key] = known
        if isinstance(known, LiftError):
            raise known
        return known

    def _outcome(self, told: Mapping[str, str]) -> LiftedProgram | LiftError:
        try:
            return self._lift(told)
        except LiftError as error:
            return error

    def _lift(self, told: Mapping[str, str]) -> LiftedProgram:
        assert self._live is not None
        source = [self.target, list(told.items()), self._live.described()]
        found = kept.find(source) if self._choices["cache"] else None
        if found is None:
            found = self._lifted_now(self._live, told)
            if self._choices["cache"] and not any(d.code.startswith(_INTERNAL) for d in found.record.diagnostics):
                kept.keep(source, found)
        function = self._record = found.record
        if found.interface is None:
            raise LiftError(*function.diagnostics)
        program = executable(function, self.target)
        return LiftedProgram(function, found.interface, program, over_numpy(program, self.target))

    def _lifted_now(self, live: LiveFunction, told: Mapping[str, str]) -> Kept:
        """Lift the function."""
        from tensorlift.languages.python import read_live
        from tensorlift.pipeline import LiftOptions, lift_read

        lifting: dict[str, Lifting] = {}

        def read() -> list[ReadFunction]:
            return [read_live(live, told)]

        (function,) = lift_read(self._text(), LiftOptions((live.name,), self.target), read, lifting).functions
        return Kept(function, _interface(lifting[live.name].view, live) if function.lifted else None)

    def _explained(self, error: LiftError) -> LiftError:
        """Give the error a text that shows the lines of the source."""
        return type(error)(*error.diagnostics, text=explain(error.diagnostics, self._text()).rstrip())

    def _text(self) -> Source:
        live = self._live
        return source_from_text("", "") if live is None else source_from_text(live.text, live.module.filename)

    def _lines(self) -> tuple[int, int] | None:
        """Give the first and the last line of the function in its text."""
        if self._live is None:
            return None
        node = self._live.node
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        return first, node.end_lineno or first

    def _warn(self, error: LiftError) -> None:
        """Warn the caller that the original runs, once for each reason."""
        reason = error.diagnostics[0].code, error.diagnostics[0].location
        if reason not in self._warned:
            self._warned.add(reason)
            warnings.warn(self._warning(error), stacklevel=_depth())

    def _warning(self, error: LiftError) -> FallbackWarning:
        return FallbackWarning(f"`{self._name}` runs as it was written: {error.diagnostics[0]}")


def _depth() -> int:
    """Count the frames from that of the caller to the first that is not ours."""
    depth, frame = 1, inspect.currentframe()
    while (frame := frame and frame.f_back) is not None and frame.f_globals.get("__name__", "").startswith(
        "tensorlift."
    ):
        depth += 1
    return depth


def _interface(view: FunctionView, live: LiveFunction) -> PythonInterface:
    """Say how the source is called, from its loop IR."""
    names = live.told()
    own = {parameter.name: parameter for parameter in view.parameters if parameter.name in names}
    return PythonInterface(
        {name: tuple(map(str, p.extents or ())) for name, p in own.items() if p.role == "array"},
        tuple(name for name, p in own.items() if p.role != "array"),
        view.returns,
        live.returns_tuple,
        pairs_of(live.split.described),
        ways_of(live.split.described),
    )
