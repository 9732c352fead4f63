"""Deciding a certificate again, without any of the search that found the program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorlift.diagnostics import LiftError
from tensorlift.proofs.certificate import Certificate, certificate_from_json
from tensorlift.proofs.check import check
from tensorlift.proofs.failure import CERTIFICATE, CheckFailure
from tensorlift.proofs.serialise import same_summary
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tensorlift.comprehension.definition import Summary
    from tensorlift.targets.target import Target


def verify(
    certificate: Certificate | Mapping[str, Any],
    find_target: Callable[[str], Target] = get_target,
    derive: Callable[[], Summary] | None = None,
) -> None:
    """Prove a certificate's program once more.

    ``derive`` gives the summary of the source anew, where that is at hand: it must be the certificate's.

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
    if again.level != read.level or again.numerics != read.numerics:
        raise CheckFailure(CERTIFICATE, "the certificate claims another level or numerics contract than was proved")
    if derive is not None and not same_summary(derive(), read.summary):
        raise CheckFailure(CERTIFICATE, "the certificate's definitions are not those of the source")
