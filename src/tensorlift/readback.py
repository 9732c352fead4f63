"""Reading emitted programs back with a front end, where their language has one: what they mean is what they compute."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from tensorlift.contract.gather import preconditions_of
from tensorlift.diagnostics import Diagnostic, LiftError, Severity, located
from tensorlift.frontends.c.reader import parse_c
from tensorlift.ir.function import FunctionView, function_named, functions, structures_of
from tensorlift.ir.lost_bits import Integers
from tensorlift.languages.c import read_parsed_c
from tensorlift.normalise.loop_ir import C
from tensorlift.proofs.entry import Caller
from tensorlift.proofs.failure import OBLIGATION, UNREADABLE, CheckFailure
from tensorlift.proofs.read_back import Emitted as Text
from tensorlift.proofs.read_back import Handed, check_read_back_as
from tensorlift.proofs.summaries import ReadBack
from tensorlift.summarize import summarise
from tensorlift.summarize.reader import read_function
from tensorlift.summarize.statements import loops_in, written
from tensorlift.targets.c.pragmas import START, with_pragmas
from tensorlift.targets.c.signature import Signature, notations_of, quotients_of, signature_of
from tensorlift.targets.c.text import ORIGINAL
from tensorlift.threads import FILE, Program, check_independent, marked_loops, pragmas_for

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorlift.comprehension.definition import LoopPlace, Summary
    from tensorlift.contract.interface import Precondition
    from tensorlift.interface import Emitted
    from tensorlift.normalise.execution import Language
    from tensorlift.poly.domain import Domain
    from tensorlift.proofs import Certificate


def read_back(  # noqa: PLR0913 - a program, and how it is read
    text: str,
    entry: str,
    within: Domain | None = None,
    wrapping: frozenset[int] = frozenset(),
    kept: frozenset[Handed] = frozenset(),
    *,
    divides_sizes: bool = True,
) -> ReadBack:
    """Read one function of an emitted program in C, and summarise it, every closed form proved by induction.

    Of the sizes nothing is assumed but that they are ``within`` those of the source, where these are known; then no
    arithmetic on them may lose bits.  What is computed at the widths in ``wrapping`` may not overflow: there the source
    says what happens, and C does not.  Loops that hand on what is ``kept`` stay, as those of the source.  With
    ``divides_sizes`` quotients of sizes are sizes, else data.

    Raises:
        CheckFailure: where the front end or summarising refuses it.

    """
    try:
        marked = marked_loops(text)
        program = _read_exactly(text, entry, wrapping, replace(C, divides_sizes=divides_sizes), wide=within is not None)
        check_independent(marked, program)
        view = program.view
        if within is not None:
            within = within.project_out(*(name for name in within.variables() if name not in view.size_names))
        stay = dict.fromkeys(_handing_on(view, kept), "stays in the source")
        summary = summarise(view, distribute=False, for_loops=True, within=within, kept=stay, places=True)
    except CheckFailure:
        raise
    except LiftError as refusal:
        raise _failure(refusal.diagnostics) from None
    needs = tuple(p.text for p in preconditions_of(view, summary) if p.kind != "size")  # sizes are in the context
    return ReadBack(summary, strides_of(view), needs, view)


def _handing_on(view: FunctionView, kept: frozenset[Handed]) -> list[LoopPlace]:
    """Return the places of the loops that hand on numbers or arrays, each with one of them."""
    if not kept:
        return []
    loops = [(depth, loop, set(written((loop,)))) for depth, loop in loops_in(read_function(view).body)]
    found = [(loop, names) for depth, loop, stored in loops for at, names in kept if depth == at and names <= stored]
    return [(loop.location, name) for loop, names in found for name in sorted(names)]


def with_threads(emitted: Emitted, *, divides_sizes: bool) -> tuple[Text, FunctionView | None, frozenset[int]]:
    """Mark the loops of a program in C that several threads are worth; give its function, None if it has none.

    There, a call of BLAS is the loops that it stands for.  The lines there of the loops for threads are given.
    """
    view, pragmas = None, dict[int, str]()
    with suppress(LiftError):  # the proof says why
        program = _read(emitted.text, emitted.entry, replace(C, divides_sizes=divides_sizes))
        view, pragmas = program.view, pragmas_for(program)
    text, cuts = with_pragmas(emitted.text, emitted.cuts, pragmas)
    return Text(text, emitted.entry, cuts), view, frozenset(k for k, found in pragmas.items() if START in found)


def _read_exactly(text: str, entry: str, wrapping: frozenset[int], language: Language, *, wide: bool) -> Program:
    """Read a program, of whose data nothing overflows where the source wraps, with ``wide`` positions as they are.

    Where types may not hold them, they are read as what wraps.
    """
    program = _read(text, entry, language)
    integers = Integers(program.literal, program.view.size_names)
    wraps = wide and integers.lost_position() is not None
    line = integers.overflow(wrapping)
    if line is not None:
        raise CheckFailure(OBLIGATION, "integers with a sign may overflow, which the source wraps", line)
    line = integers.lost_position(wraps=True) if wraps else None
    if line is not None:
        raise CheckFailure(OBLIGATION, "a size or a position may not fit its type", line)
    return _read(text, entry, language, wraps=True) if wraps else program


def _read(text: str, entry: str, language: Language, *, wraps: bool = False) -> Program:
    """Read a program; its arrays have the shapes that are declared where accesses agree on no other one."""
    parsed = parse_c(text, FILE)
    if parsed.errors:
        raise LiftError(*parsed.errors)
    refused: tuple[Diagnostic, ...] = ()
    for keeps_rank in (False, True):
        (function,) = read_parsed_c(parsed, entry, wraps=wraps, keeps_rank=keeps_rank, language=language)
        if function.module is not None and function.literally is not None:
            (func_op,) = functions(function.module)
            return Program(parsed, FunctionView(func_op), function_named(function.literally(), entry))
        refused = refused or function.diagnostics
    raise _failure(refused)


@dataclass(frozen=True)
class InPlace:
    """A function of a source whose program works in the caller's memory."""

    view: FunctionView
    summary: Summary
    preconditions: tuple[Precondition, ...]
    wrapping: frozenset[int] = frozenset()  # widths at which the source says what happens beyond the range

    @cached_property
    def _signature(self) -> Signature | LiftError | None:
        """How C calls the function, or why it cannot; None where the source is in another language."""
        if self.view.prototype or not all(p.c_type for p in self.view.parameters):
            return None
        try:
            quotients = quotients_of(self.summary)
            quotients |= notations_of(self.summary, quotients)
            return signature_of(self.view, [p.condition for p in self.preconditions], quotients)
        except LiftError as refusal:
            return refusal

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Why no function with the signature of the source is written."""
        found = self._signature
        listed = found.diagnostics if isinstance(found, LiftError) else ()
        return tuple(replace(d, severity=Severity.WARNING) for d in located(listed, self.view.location))

    @property
    def places(self) -> Mapping[str, str]:
        """How C reaches what a program takes; nothing where no function with the signature of the source is written."""
        return self._signature.places if isinstance(self._signature, Signature) else {}

    def called(self) -> tuple[Mapping[str, str], Mapping[str, tuple[str, ...]], str, tuple[str, ...]] | None:
        """Give how C reaches what a program takes, strides, how the original is declared, structures, if C calls it."""
        if not isinstance(self._signature, Signature):
            return None
        declared = f"{self._signature.declared(self._signature.name + ORIGINAL)};"
        return self._signature.places, strides_of(self.view), declared, self._signature.structures

    def memory(self) -> dict[str, Any]:
        """Give what the emitter must know of the memory that a program is called with."""
        if not isinstance(self._signature, Signature):
            return {"strides": {}, "wrapping": self.wrapping}
        conditions = [p.condition for p in self.preconditions]
        found = {"strides": strides_of(self.view), "signature": self._signature, "conditions": conditions}
        return {**found, "wrapping": self.wrapping}

    def proved(self, emitted: Emitted, target: str) -> tuple[Certificate, FunctionView]:
        """Prove a program as it is read back, and give its function; raises CheckFailure."""
        strides, structures = (strides_of(self.view), structures_of(self.view)) if self.places else ({}, ())
        caller = Caller(self.places, strides, [p.text for p in self.preconditions], structures)
        text = Text(emitted.text, emitted.entry, emitted.cuts)
        return check_read_back_as(partial(read_back, wrapping=self.wrapping), text, self.summary, target, caller)


def strides_of(view: FunctionView) -> dict[str, tuple[str, ...]]:
    """Give the strides of the arrays that are not dense."""
    return {p.name: p.strides for p in view.parameters if p.role == "array" and p.strides is not None}


def _failure(diagnostics: tuple[Diagnostic, ...]) -> CheckFailure:
    first = diagnostics[0]
    line = first.location.line if first.location is not None and first.location.file == FILE else None
    return CheckFailure(UNREADABLE, f"the program cannot be read back: {first.message}", line)
