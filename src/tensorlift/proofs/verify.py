"""Deciding a certificate again, without any of the search that found the program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import islpy as isl

from tensorlift.comprehension.domain import UNIVERSE, Domain
from tensorlift.conditions.language import AnyOf, Compare, Extent, Sum
from tensorlift.conditions.notation import parse_condition
from tensorlift.diagnostics import LiftError
from tensorlift.proofs.certificate import Certificate, certificate_from_json, seal_of
from tensorlift.proofs.check import check
from tensorlift.proofs.failure import CERTIFICATE, CheckFailure
from tensorlift.proofs.serialise import same_summary
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tensorlift.comprehension.definition import Summary
    from tensorlift.conditions.language import Atom
    from tensorlift.targets.target import Target


def verify(
    certificate: Certificate | Mapping[str, Any],
    find_target: Callable[[str], Target] = get_target,
    derive: Callable[[], Summary] | None = None,
) -> None:
    """Prove a certificate's program once more, and compare all that it says with what was found.

    What was assumed of the source and which source it was cannot be found out again: the seal shows that nobody changed
    them, and preconditions on sizes must be those of the proof.  ``derive`` gives the summary of the source anew, where
    that is at hand: it must be the certificate's.

    Raises:
        CheckFailure: where the certificate is damaged, is not that of the source, or does not hold.

    """
    try:
        read = certificate if isinstance(certificate, Certificate) else certificate_from_json(certificate)
        target = find_target(read.target)
        again = check(read.program, read.entry, read.summary, target, read.cuts, guards=read.guards)
    except LiftError:
        raise
    except Exception as error:  # noqa: BLE001 - definitions that contradict themselves can fail anywhere
        raise CheckFailure(CERTIFICATE, f"the certificate's definitions are damaged: {error}") from None
    for what in ("level", "numerics", "obligations", "cases"):
        if getattr(again, what) != getattr(read, what):
            raise CheckFailure(CERTIFICATE, f"the certificate claims other {what} than were proved")
    _check_sizes(read)
    if derive is not None and not same_summary(derive(), read.summary):
        raise CheckFailure(CERTIFICATE, "the certificate's definitions are not those of the source")
    if not isinstance(certificate, Certificate):
        _check_labels(certificate, read)


def _check_labels(data: Mapping[str, Any], read: Certificate) -> None:
    if data.get("function") != read.summary.name:
        raise CheckFailure(CERTIFICATE, f"the certificate is of {read.summary.name}, not of {data.get('function')}")
    if data.get("seal") != seal_of(data):
        raise CheckFailure(CERTIFICATE, "the certificate was changed after it was written")


def _check_sizes(read: Certificate) -> None:
    """Demand that the preconditions on sizes are those under which the program was proved."""
    context, derived = read.summary.context, [d.name for d in read.summary.derived]
    needed = context.project_out(*derived) if derived else context
    listed = UNIVERSE
    for text in read.preconditions:
        condition = _on_sizes(text, read.summary)
        if condition is not None and not needed.is_subset(condition):
            raise CheckFailure(CERTIFICATE, f"the proof needs no precondition {text}")
        listed = listed if condition is None else listed & condition
    if read.source_digest and not listed.is_subset(needed):
        raise CheckFailure(CERTIFICATE, "the certificate leaves out a precondition of the proof")


def _on_sizes(text: str, summary: Summary) -> Domain | None:
    """Read a precondition as a condition on sizes, None where it is one on memory or no affine one."""
    try:
        return Domain(isl.Set(f"[{', '.join(summary.sizes)}] -> {{ : {_without_extents(text, summary)} }}"))
    except isl.Error:
        return None


def _without_extents(text: str, summary: Summary) -> str:
    """Replace the extents of arrays in a condition by the sizes that they are."""
    condition = parse_condition(text)
    if not isinstance(condition, Compare | AnyOf):
        return text
    values: dict[Atom, Sum] = {
        Extent(name, axis): Sum.of(*((factor, (size,)) for size, factor in extent.terms), (extent.constant, ()))
        for name, array in summary.arrays.items()
        for axis, extent in enumerate(array.shape)
    }
    return str(condition.substitute(values))
