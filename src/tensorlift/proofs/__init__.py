"""The gatekeeper: emitted text is proved equal to its source's definitions, or not accepted."""

from tensorlift.proofs.certificate import Certificate
from tensorlift.proofs.check import check
from tensorlift.proofs.failure import CheckFailure

__all__ = ["Certificate", "CheckFailure", "check"]
