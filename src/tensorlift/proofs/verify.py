"""Deciding a certificate again, without any of the search that found the program."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tensorlift.diagnostics import LiftError
from tensorlift.proofs.certificate import MEMREF, Certificate, certificate_from_json, seal_of
from tensorlift.proofs.check import check
from tensorlift.proofs.claims import check_guards_follow, check_sizes
from tensorlift.proofs.entry import Caller
from tensorlift.proofs.failure import CERTIFICATE, CheckFailure
from tensorlift.proofs.read_back import Emitted, check_read_back
from tensorlift.proofs.serialise import same_summary
from tensorlift.proofs.unit import read_unit
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tensorlift.comprehension.definition import Summary
    from tensorlift.comprehension.domain import Domain
    from tensorlift.proofs.summaries import ReadBack
    from tensorlift.targets.target import Target

    Reader = Callable[[str, str, Domain], ReadBack]

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
    program = read_back(read.program, read.entry, read.summary.context)
    emitted = Emitted(read.program, read.entry, read.cuts)
    caller = Caller(read.places, read.strides, read.preconditions)
    return check_read_back(program, emitted, read.summary, target.name, caller)


def _check_labels(data: Mapping[str, Any], read: Certificate) -> None:
    if data.get("function") != read.summary.name:
        raise CheckFailure(CERTIFICATE, f"the certificate is of {read.summary.name}, not of {data.get('function')}")
    if data.get("seal") != seal_of(data):
        raise CheckFailure(CERTIFICATE, "the certificate was changed after it was written")
