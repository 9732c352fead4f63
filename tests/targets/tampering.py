"""Programs that are not what was emitted, for the checker to refuse."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tensorlift import lift
from tensorlift.proofs.certificate import certificate_from_json
from tensorlift.proofs.failure import CheckFailure
from tensorlift.proofs.verify import verify as decide
from tensorlift.readback import read_back


def require_refused(source: str, old: str, new: str) -> None:
    """Lift C to C, and require that the checker refuses the program with one text for another that it has."""
    certificate = certificate_from_json(lift(source, to="c").functions[0].certificate or {})
    assert old in certificate.program, certificate.program
    with pytest.raises(CheckFailure):
        decide(replace(certificate, program=certificate.program.replace(old, new)), read_back=read_back)
