"""Deciding a certificate again, without any of the search that found the program.

What a certificate says of calls: its preconditions on sizes are those of the proof, and its guards follow from them.

A guard that does not follow would raise where the certificate promises a result.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tensorlift.comprehension.definition import without_quotients
from tensorlift.comprehension.places import PlaceRead, cell_at, cells_plus, is_inside, limit_of, places_read
from tensorlift.contract.language import (
    INTEGER,
    NUMBER,
    Condition,
    Inside,
    IsArray,
    IsScalar,
    ReadInside,
    Separate,
    Sum,
)
from tensorlift.contract.notation import parse_condition
from tensorlift.diagnostics import LiftError
from tensorlift.ir.memory import NUMPY_TYPES
from tensorlift.ops.dtypes import is_integer
from tensorlift.poly.domain import Domain, at_least
from tensorlift.proofs.certificate import MEMREF, Certificate, certificate_from_json, same_summary, seal_of
from tensorlift.proofs.check import check
from tensorlift.proofs.conditions import in_sizes, on_sizes
from tensorlift.proofs.entry import Caller
from tensorlift.proofs.failure import CERTIFICATE, CheckFailure
from tensorlift.proofs.read_back import Emitted, check_read_back_as
from tensorlift.proofs.unit import read_unit
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tensorlift.comprehension.definition import Summary
    from tensorlift.proofs.summaries import ReadBack
    from tensorlift.targets.target import Target

    Reader = Callable[..., ReadBack]


def check_sizes(read: Certificate) -> None:
    """Demand that the preconditions on sizes are those under which the program was proved.

    Raises:
        CheckFailure: where one is missing, or not needed.

    """
    derived = read.summary.derived
    needed = without_quotients(read.summary.context, derived)
    shapes = [extent for info in read.summary.arrays.values() if info.is_parameter for extent in info.shape]
    listed = Domain.of(*(at_least(extent, 0) for extent in shapes))  # as those of any array
    for text in read.preconditions:
        condition = on_sizes(parse_condition(text), read.summary)
        if condition is not None and not needed.is_subset(condition):
            raise CheckFailure(CERTIFICATE, f"the proof needs no precondition {text}")
        listed = listed if condition is None else listed & condition
    _check_places(read)
    if not listed.implies(*(demand for size in derived for demand in size.demands)):
        raise CheckFailure(CERTIFICATE, "the certificate leaves out that sizes can be divided")
    listed = listed & Domain.of(*(fact for size in derived for fact in size.facts if size.demands))
    if not listed.is_subset(needed):
        raise CheckFailure(CERTIFICATE, "the certificate leaves out a precondition of the proof")


def _check_places(read: Certificate) -> None:
    """Demand that a precondition keeps inside what the source reads at places that depend on data."""
    stated = [in_sizes(parse_condition(text), read.summary) for text in read.preconditions]
    for definition in read.summary.definitions():
        for piece, term in definition.pieces:
            for found in places_read(term, definition.domain & piece, definition.indices):
                cell = cell_at(found, definition, read.summary)
                if not any(_keeps_inside(known, found, cell, read.summary) for known in (None, *stated)):
                    raise CheckFailure(CERTIFICATE, "the certificate leaves out that places are inside of an array")


def _keeps_inside(known: Condition | None, read: PlaceRead, cell: tuple[str, int], summary: Summary) -> bool:
    """Tell whether a precondition, or the type of a place, keeps a read inside."""
    extent = limit_of(read, cell, summary)
    if is_inside(read, extent):
        return True
    if isinstance(known, Inside):
        limit = Sum.of(*((factor, (size,)) for size, factor in extent.terms), (extent.constant, ()))
        found = cells_plus(read.place, {d.name: d for d in summary.definitions()})
        return found is not None and (found[0].array, found[1], limit) == (known.array, known.added, known.limit)
    return isinstance(known, ReadInside) and not read.is_any and known.array == cell[0]


def check_guards_follow(read: Certificate) -> None:
    """Demand that each guard follows from the preconditions, or from what the parameters are.

    Raises:
        CheckFailure: where one does not.

    """
    stated = [in_sizes(parse_condition(text), read.summary) for text in read.preconditions]
    for guard in read.guards:
        if not _follows(guard, stated, read.summary):
            raise CheckFailure(CERTIFICATE, f"no precondition says that {guard}, which a guard checks")


def _follows(guard: Condition, stated: list[Condition], summary: Summary) -> bool:
    if isinstance(guard, IsArray | IsScalar):
        return _is_type(guard, summary)
    if isinstance(guard, Separate):
        pair = {summary.source_name(name) for name in (guard.array, *guard.others)}
        return any(
            isinstance(known, Separate)
            and known.array in pair
            and pair <= {known.array, *known.others}
            and (guard.or_same or not known.or_same)
            for known in stated
        )
    condition = on_sizes(guard, summary)
    if condition is not None:
        return summary.context.is_subset(condition)
    return in_sizes(guard, summary) in stated


def _is_type(guard: IsArray | IsScalar, summary: Summary) -> bool:
    """Tell whether a parameter is of the type that a guard demands."""
    name = summary.source_name(guard.name)
    info = summary.arrays.get(name)
    if isinstance(guard, IsArray):
        return info is not None and (guard.dtype, guard.rank) == (str(NUMPY_TYPES[info.dtype]), len(info.shape))
    if info is not None:
        return not info.shape and guard.dtype == NUMBER
    is_whole = name in summary.sizes or is_integer(summary.scalars.get(name, "f64"))
    return guard.dtype == (INTEGER if is_whole else NUMBER)


_DIGEST = re.compile("[0-9a-f]{64}")


def verify(
    certificate: Certificate | Mapping[str, Any],
    find_target: Callable[[str], Target] = get_target,
    derive: Callable[[], Summary] | None = None,
    read_back: Reader | None = None,
) -> None:
    """Prove a certificate's program once more, and compare all that it says with what was found.

    What was assumed of the source can only be found out where that is at hand; its digest must be named, preconditions
    on sizes must be those of the proof, and guards must follow from the preconditions.  ``derive`` gives the summary of
    the source anew: it must be the certificate's.  ``read_back`` reads programs, the function in them that is named,
    for some sizes, where the programs of a target are proved by that.

    Raises:
        CheckFailure: where the certificate is damaged, is not that of the source, or does not hold.

    """
    try:
        read = certificate if isinstance(certificate, Certificate) else certificate_from_json(certificate)
        target = find_target("linalg" if read.target == MEMREF else read.target)
        again = proved_again(read, target, read_back)
    except LiftError:
        raise
    except Exception as error:  # noqa: BLE001 - definitions that contradict themselves can fail anywhere
        raise CheckFailure(CERTIFICATE, f"the certificate's definitions are damaged: {error}") from None
    if not _DIGEST.fullmatch(read.source_digest):
        raise CheckFailure(CERTIFICATE, "the certificate does not name its source by a SHA-256")
    for what in ("level", "numerics", "obligations", "cases"):
        if getattr(again, what) != getattr(read, what):
            raise CheckFailure(CERTIFICATE, f"the certificate claims other {what} than were proved")
    check_sizes(read)
    check_guards_follow(read)
    if derive is not None and not same_summary(derive(), read.summary):
        raise CheckFailure(CERTIFICATE, "the certificate's definitions are not those of the source")
    if not isinstance(certificate, Certificate):
        _check_labels(certificate, read)


def proved_again(read: Certificate, target: Target, read_back: Reader | None = None) -> Certificate:
    """Prove the program of a certificate, whatever else the certificate says.

    Raises:
        CheckFailure: where it does not hold.

    """
    if not target.reads_back and read.target != MEMREF:
        return check(read.program, read.entry, read.summary, target, read.cuts, guards=read.guards)
    if read_back is None:
        raise CheckFailure(CERTIFICATE, f"nothing reads programs for the target '{target.name}' here")
    if target.reads_back:
        read_unit(read.program, read.entry)  # before a parser takes it for C
    emitted = Emitted(read.program, read.entry, read.cuts)
    caller = Caller(read.places, read.strides, read.preconditions, read.structures)
    return check_read_back_as(read_back, emitted, read.summary, target.name, caller)[0]


def _check_labels(data: Mapping[str, Any], read: Certificate) -> None:
    if data.get("function") != read.summary.name:
        raise CheckFailure(CERTIFICATE, f"the certificate is of {read.summary.name}, not of {data.get('function')}")
    if data.get("seal") != seal_of(data):
        raise CheckFailure(CERTIFICATE, "the certificate was changed after it was written")
