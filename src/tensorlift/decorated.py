"""A live Python function with its lifted program in its place: what ``@lift`` makes of a function.

A function whose annotations tell what every parameter is, is lifted once.  Otherwise it is lifted for the kinds of
arguments that calls pass, each combination once, at its first call; before that, at decoration, for what its use
suggests, so that what cannot be lifted in any case is refused there.
"""

from __future__ import annotations

import functools
import inspect
import warnings
from contextlib import contextmanager, suppress
from types import MethodType
from typing import TYPE_CHECKING, Any

from tensorlift.calls.complex_numbers import parts_of
from tensorlift.calls.errors import FallbackWarning
from tensorlift.calls.kinds import float_named
from tensorlift.calls.objects import bind, check_bound, held_by, is_object
from tensorlift.calls.quick import NOT_QUICK, Taken, no_quick_way, quick_way
from tensorlift.calls.sent import reduced
from tensorlift.diagnostics import Diagnostic, LiftError
from tensorlift.record import FunctionRecord, Level, Verdict
from tensorlift.report.notebook import show_functions
from tensorlift.report.terminal import explain
from tensorlift.runtime.libraries import compilable
from tensorlift.source import Source, source_from_text
from tensorlift.specialised import Form, Variation, is_plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tensorlift.calls.kinds import Argument, Kind
    from tensorlift.calls.program import LiftedProgram
    from tensorlift.contract.interface import Precondition
    from tensorlift.frontends.python import LiveFunction
    from tensorlift.frontends.python.fields import Field

    _Prepared = tuple[Form, dict[str, Any], tuple[LiftedProgram, dict[str, Kind], dict[str, Argument]]]

_MOST_WAYS = 16  # that are quick, one for each kinds of arguments
_MOST_FORMS = 32  # where each integer makes one
_CONSTANTS: tuple[tuple[type, ...], ...] = ((), (bool,), (bool, int))


class _OnlyRaisesError(Exception):
    """Raised for arguments with which the original raises, whatever else they are."""


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
        self._forms: dict[Variation, Form] = {}
        self._live: LiveFunction | None = None
        self._is_refused = False
        self._warned = set[object]()
        self._name = str(getattr(function, "__name__", type(function).__name__))
        self._record = FunctionRecord(self._name, Verdict.REFUSED, target=target)
        if target not in target_names():
            get_target(target)
        self._is_plain = False
        self._constants: tuple[type, ...] = ()  # types whose values are constants, where the function has no form else
        self._enter = compilable(self._called, lambda: self._is_plain) if target == "torch" else self._called
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

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """Be a method of the class that defines it."""
        return self if instance is None else MethodType(self, instance)

    def _called(self, *arguments: Any, **named: Any) -> Any:
        found = self._quick(*arguments, **named)
        return self._checked_call(*arguments, **named) if found is NOT_QUICK else found

    def _checked_call(self, *arguments: Any, **named: Any) -> Any:
        if self._is_refused:
            return self.original(*arguments, **named)
        values = self._plain.bind(*arguments, **named)
        try:
            self._refresh()
            fields = self._plain.fields(values)
            objects, values = (values, _with_fields(values, fields)) if fields else ({}, values)
            form, types, (program, kinds, given) = self._prepared(values, fields)
            check_bound(fields, program)
            program.check(given)
        except _OnlyRaisesError:
            return self.original(*arguments, **named)
        except LiftError as error:
            if not self.fallback:
                raise self._explained(error) from None
            self._warn(error)
            return self.original(*arguments, **named)
        assert self._live is not None
        numbers = {name: (values[name], parts) for name, parts in parts_of(form.live.split.described).items()}
        is_tuple = self._live.returns_tuple
        self._add_quick_way(Taken(program, kinds, given, types, numbers, objects, fields, is_tuple))
        if fields:
            returned = [kind for _, kind in program.interface.returns]
            return _with_bound(objects, fields, program.run(given), returned, is_tuple=is_tuple)
        return program.run(given)

    def _prepared(self, values: Mapping[str, Any], fields: Sequence[Field]) -> _Prepared:
        """Find the form and the program for a call, where truth values, then integers, are constants if that helps."""
        try:
            return self._varied(values, fields, self._constants if len(self._forms) < _MOST_FORMS else ())
        except LiftError as error:
            if type(error) is not LiftError or len(self._forms) >= _MOST_FORMS:
                raise
            for types in _CONSTANTS[_CONSTANTS.index(self._constants) + 1 :]:
                if any(type(value) is types[-1] for value in values.values()):
                    with suppress(LiftError):
                        found = self._varied(values, fields, types)
                        self._constants = types
                        return found
            raise

    def _varied(self, values: Mapping[str, Any], fields: Sequence[Field], constants: tuple[type, ...]) -> _Prepared:
        variation = self._plain.variation(values, constants, {field.name for field in fields if field.is_bound})
        with self._recorded(form := self._form(variation._replace(fields=tuple(fields)))):
            if form.live.only_raises:
                raise _OnlyRaisesError
            types = {name: values[name] for name, _ in variation.types}
            return form, types, form.prepare({name: value for name, value in values.items() if name not in types})

    def _add_quick_way(self, taken: Taken) -> None:
        """Let later calls with arguments of the same types go the quick way, where there is one."""
        types = tuple(type(argument.given) for argument in taken.arguments.values())
        passed = [type(value) for value, _ in taken.numbers.values()]
        held = [(type(value), len(value) if isinstance(value, tuple) else 0) for value in taken.objects.values()]
        known = types, tuple(taken.kinds.values()), str(taken.types), str(passed), str(held), str(taken.fields)
        if known in self._tried or len(self._tried) >= _MOST_WAYS or self._live is None:
            return
        self._tried.add(known)
        meanings = [(*captured.look_up, captured.value) for captured in self._live.captured]
        made = quick_way(self._live.name, self._plain.signature, taken, meanings, self._quick)
        self._quick = made or self._quick

    def _forget(self) -> None:
        """Forget the programs, and what was made of them."""
        self._forms.clear()
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

        self._live = find_function(self.original)
        plain = self._plain = self._form(Variation())
        defaults = {p.name: p.default for p in plain.signature.parameters.values() if p.default is not p.empty}
        known = plain.variation(defaults).types
        if self._live.may_have_objects or any(map(is_object, defaults.values())) or not plain.texts <= {*dict(known)}:
            return  # a call says what they are
        try:
            self._lift_assumed(Variation(known))
        except LiftError:
            if self._live.may_be_complex:
                self._forms = {Variation(): plain}  # a call says what is complex
                return
            for types in _CONSTANTS[1:]:
                if any(type(value) is types[-1] for value in defaults.values()):
                    with suppress(LiftError):
                        self._lift_assumed(Variation(plain.variation(defaults, types).types))
                        self._constants = types
                        return
            raise

    def _lift_assumed(self, variation: Variation) -> None:
        with self._recorded(form := self._form(variation)):
            if not form.live.only_raises:
                form.lift_assumed()

    def _form(self, variation: Variation) -> Form:
        """Give the function in a form."""
        assert self._live is not None
        if variation not in self._forms:
            live = self._live.varied(dict(variation.types), dict(variation.annotations), variation.fields)
            self._forms[variation] = Form(live, self.target, self._choices, self._float)
        return self._forms[variation]

    @contextmanager
    def _recorded(self, form: Form) -> Iterator[None]:
        """Take the record of what a form lifts meanwhile."""
        before = form.record
        try:
            yield
        finally:
            if form.record is not None and form.record is not before:
                self._record = form.record
                self._is_plain = is_plain(form.record)

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


def _with_fields(values: Mapping[str, Any], fields: Sequence[Field]) -> dict[str, Any]:
    """Give the arguments of a call with what objects hold in place of these."""
    owners = {field.owner for field in fields}
    held = {field.name: held_by(values, field.owner, field.path) for field in fields}
    return {name: value for name, value in values.items() if name not in owners} | held


def _with_bound(
    values: Mapping[str, Any], fields: Sequence[Field], found: Any, kinds: Sequence[str], *, is_tuple: bool
) -> Any:
    """Bind the fields that a function binds, which its program returns last; give what the function itself returns."""
    bound = [field for field in fields if field.is_bound]
    if not bound:
        return found
    for field, value, kind in zip(bound, found[-len(bound) :], kinds[-len(bound) :], strict=True):
        bind(values, field, value, kind)
    rest = found[: -len(bound)]
    return None if not rest else rest if is_tuple else rest[0]


def _depth() -> int:
    """Count the frames from that of the caller to the first that is not ours."""
    depth, frame = 1, inspect.currentframe()
    while (frame := frame and frame.f_back) is not None and frame.f_globals.get("__name__", "").startswith(
        "tensorlift."
    ):
        depth += 1
    return depth
