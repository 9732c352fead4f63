"""What a source means when it is read again, to be compared with a certificate.

A program may keep loops that have a closed form, be written for some sizes, or hold for fewer sizes than the source:
the certificate says so, and its preconditions state it.  So the source is summarised in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tensorlift.comprehension.definition import Definition, Item, KeptLoop, LoopPlace, Summary, summary_at
from tensorlift.contract.gather import preconditions_of
from tensorlift.diagnostics import LiftError
from tensorlift.first_half import FirstHalf, decide_first_half
from tensorlift.ir.function import FunctionView, functions
from tensorlift.pipeline import LiftOptions, read_functions
from tensorlift.proofs.certificate import same_summary
from tensorlift.proofs.failure import CERTIFICATE, CheckFailure
from tensorlift.readback import InPlace
from tensorlift.session import SESSION
from tensorlift.summarize import summarise
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tensorlift.contract.interface import Precondition
    from tensorlift.frontends.read_function import ReadFunction
    from tensorlift.proofs import Certificate
    from tensorlift.source import Source

_TRIES = 24  # ways to keep loops


@dataclass(frozen=True, slots=True)
class Reading:
    """A function of a source as it was read again."""

    function: ReadFunction
    view: FunctionView
    summary: Summary
    preconditions: tuple[Precondition, ...]

    def half(self) -> FirstHalf:
        """Decide whether the function computes what the definitions say."""
        return decide_first_half(self.function, self.view, self.summary)

    def needs(self, certificate: Certificate) -> bool:
        """Tell whether the function needs what a certificate states, and is called as the certificate says."""
        if tuple(p.text for p in self.preconditions) != certificate.preconditions:
            return False
        if not get_target(certificate.target).reads_back:
            return True
        called = InPlace(self.view, self.summary, self.preconditions).called()
        if called is None:
            return not certificate.places and not certificate.strides and not certificate.structures
        places, strides, declared, structures = called
        is_same = dict(places) == dict(certificate.places) and strides == dict(certificate.strides)
        is_same = is_same and structures == certificate.structures
        return is_same and declared in certificate.program.split("\n")


_CHOICES: tuple[dict[str, Any], ...] = (
    {},
    {"divides_sizes": False},
    {"generalise": False},
    {"generalise": False, "replaces": True},
)


def reading_of(certificate: Certificate, source: Source, options: LiftOptions) -> Reading:
    """Read the function of a certificate in a source; demand that it means and needs what the certificate says.

    Raises:
        LiftError: where it does not, or cannot be read.

    """
    found: Reading | None = None
    refused: LiftError | None = None
    for chosen in _CHOICES:
        try:
            for reading in _readings(certificate, source, replace(options, **chosen)):
                if reading.needs(certificate):
                    return reading
                found = found or reading
        except LiftError as error:
            refused = refused or error
    if found is None and refused is not None:
        raise refused
    if found is None:
        raise CheckFailure(CERTIFICATE, "the source, read again, has other definitions than the certificate")
    listed = "; ".join(p.text for p in found.preconditions) or "nothing"
    raise CheckFailure(CERTIFICATE, f"the source, read again, asks for something else of its callers: {listed}")


def _readings(certificate: Certificate, source: Source, options: LiftOptions) -> Iterator[Reading]:
    """Yield the readings of a function that mean what a certificate says."""
    name, target = certificate.summary.name, get_target(certificate.target)
    function, view = _function(name, read_functions(source, options), source.name)
    wanted = certificate.summary
    pending: list[dict[LoopPlace, str]] = [{}]
    for kept in pending:
        for within in (None, wanted.assumed):  # for all sizes, or for those alone that the certificate is for
            SESSION.restart()
            summary = summarise(
                view,
                within=within,
                nonempty=not target.takes_empty,
                kept=kept,
                for_loops=target.reads_back,
                places=True,
            )
            narrowed = _narrowed(summary, wanted, with_sizes=target.takes_sizes)
            if narrowed is not None and same_summary(narrowed, wanted):
                yield Reading(function, view, narrowed, preconditions_of(view, narrowed))
                break
        places = _more_to_keep(summary, wanted) if len(pending) < _TRIES else ()
        pending += [more for place in places if place not in kept and (more := {**kept, place: "stays"}) not in pending]


def _function(name: str, read: Sequence[ReadFunction], file: str) -> tuple[ReadFunction, FunctionView]:
    """Return the function of a name, which an operation of MLIR may have with other signs."""
    for function in read:
        if function.module is None and function.name == name:
            raise LiftError(*function.diagnostics)
        views = [] if function.module is None else [FunctionView(op) for op in functions(function.module)]
        if views and views[0].name == name:
            return function, views[0]
    raise CheckFailure(CERTIFICATE, f"'{file}' defines no function {name}")


def _narrowed(summary: Summary, wanted: Summary, *, with_sizes: bool) -> Summary | None:
    """Return the summary for the sizes of another one, which must be some of its own."""
    if with_sizes:
        fixed = {name: value for name in summary.sizes if (value := _fixed(wanted, name)) is not None}
        summary = summary_at(summary, {n: v for n, v in fixed.items() if _fixed(summary, n) is None})
    if not wanted.context.is_subset(summary.context) or not wanted.assumed.is_subset(summary.assumed):
        return None
    return replace(summary, context=wanted.context, assumed=wanted.assumed)


def _fixed(summary: Summary, size: str) -> int | None:
    """Return the only value that a size may have, None where it may have several."""
    values = [e.solve(size) for e in summary.context.equalities()]
    return next((value.constant for value in values if value is not None and value.is_constant), None)


def _more_to_keep(summary: Summary, wanted: Summary) -> list[LoopPlace]:
    """List the definitions that another summary has in a loop that stays."""
    missing = set(_carried(wanted.items)) - set(_carried(summary.items))
    return [(d.location, d.array) for d in _definitions(summary.items) if not missing or d.array in missing]


def _carried(items: Sequence[Item]) -> Iterator[str]:
    for item in items:
        if isinstance(item, KeptLoop):
            yield from (carried.array for carried in item.carried)
            yield from _carried(item.body)


def _definitions(items: Sequence[Item]) -> Iterator[Definition]:
    for item in items:
        if isinstance(item, Definition):
            yield item
        else:
            yield from _definitions(item.body)
