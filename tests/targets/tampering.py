"""Programs that are not what was emitted, for the checker to refuse."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.lifts import lifted_text

from tensorlift.proofs.certificate import certificate_from_json
from tensorlift.proofs.failure import CheckFailure
from tensorlift.proofs.verify import verify as decide
from tensorlift.readback import read_back


def refusal(source: str, *changes: tuple[str, str], target: str = "c") -> str:
    """Lift C, put other text for some that the program has, and return why the checker refuses it."""
    certificate = certificate_from_json(lifted_text(source, target).certificate or {})
    text = certificate.program
    for old, new in changes:
        assert old in text, text
        text = text.replace(old, new)
    with pytest.raises(CheckFailure) as caught:
        decide(replace(certificate, program=text), read_back=read_back)
    return caught.value.reason
