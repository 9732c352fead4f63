"""Certificates: everything that is needed to decide again that a program is right, as data."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tensorlift.codec import Codec, Form, Via
from tensorlift.comprehension.definition import Summary
from tensorlift.contract.language import Condition
from tensorlift.contract.notation import FORMS, VIA
from tensorlift.ir.cut import Cut
from tensorlift.proofs.failure import CERTIFICATE, CheckFailure
from tensorlift.proofs.serialise import summary_from_json, summary_to_json

if TYPE_CHECKING:
    from collections.abc import Mapping

CERTIFICATE_VERSION = 2
MEMREF = "memref"  # as target: operations on memory in the place of a loop nest, which a front end reads


@dataclass(frozen=True)
class Certificate:
    """A program, the summary that it was proved equal to, and on what terms.

    ``preconditions`` and ``source_digest`` are the pipeline's to fill in: they say what was assumed of the source and
    which source it was. ``guards`` are the conditions that the program checks of its arguments. ``obligations`` counts
    what was discharged, by kind; ``cases`` is the number of cases of the sizes.
    """

    summary: Summary
    program: str
    entry: str
    target: str
    cuts: tuple[Cut, ...] = ()
    obligations: Mapping[str, int] = field(default_factory=dict)
    cases: int = 1
    preconditions: tuple[str, ...] = ()
    source_digest: str = ""
    numerics: str = "real"
    level: str = "proved"
    guards: tuple[Condition, ...] = ()
    strides: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # of arrays in C's memory that are not dense
    places: Mapping[str, str] = field(default_factory=dict)  # how C reaches what a program in C takes

    def about(self, source_digest: str, preconditions: tuple[str, ...]) -> Certificate:
        """Return the certificate with the source that it is about and what is assumed of its use."""
        return replace(self, source_digest=source_digest, preconditions=preconditions)

    def as_json(self) -> dict[str, Any]:
        """Give the certificate as JSON values, in the order in which a reader wants them, under its seal."""
        content = {"certificate": CERTIFICATE_VERSION, **_CODEC.write(self)}
        return {**content, "seal": seal_of(content)}

    def to_json(self) -> str:
        """Give the certificate as JSON text."""
        return json.dumps(self.as_json(), indent=1, ensure_ascii=False) + "\n"


_CODEC = Codec(
    FORMS
    | {
        Certificate: Form(
            "function=summary.name source_sha256=source_digest target level numerics preconditions guards entry program"
            " cuts obligations cases summary strides? places?"
        ),
        Cut: Form("line variable definition", is_row=True),
    },
    VIA | {Summary: Via(lambda _, summary: summary_to_json(summary), Any, lambda _, data: summary_from_json(data))},
    Condition=Condition,
)


def seal_of(data: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a certificate's fields but the seal itself, whatever their order."""
    content = {key: value for key, value in data.items() if key != "seal"}
    return hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def certificate_from_json(data: Mapping[str, Any]) -> Certificate:
    """Read a certificate.

    Raises:
        CheckFailure: where it is damaged.

    """
    try:
        if data["certificate"] != CERTIFICATE_VERSION:
            raise CheckFailure(CERTIFICATE, f"certificates of version {data['certificate']} are not read here")
        read: Certificate = _CODEC.read(Certificate, data)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RuntimeError) as error:
        raise CheckFailure(CERTIFICATE, f"the certificate is damaged: {error}") from None
    return read
