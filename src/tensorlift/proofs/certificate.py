"""Certificates: everything that is needed to decide again that a program is right, as data."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tensorlift.conditions.data import condition_data, condition_from_data
from tensorlift.ir.cut import Cut
from tensorlift.proofs.failure import CERTIFICATE, CheckFailure
from tensorlift.proofs.serialise import summary_from_json, summary_to_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorlift.comprehension.definition import Summary
    from tensorlift.conditions.language import Condition

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
    obligations: Mapping[str, int] | None = None
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
        content = {
            "certificate": CERTIFICATE_VERSION,
            "function": self.summary.name,
            "source_sha256": self.source_digest,
            "target": self.target,
            "level": self.level,
            "numerics": self.numerics,
            "preconditions": list(self.preconditions),
            "guards": [condition_data(guard) for guard in self.guards],
            "entry": self.entry,
            "program": self.program,
            "cuts": [list(cut) for cut in self.cuts],
            "obligations": dict(self.obligations or {}),
            "cases": self.cases,
            "summary": summary_to_json(self.summary),
            **({"strides": {name: list(listed) for name, listed in self.strides.items()}} if self.strides else {}),
            **({"places": dict(self.places)} if self.places else {}),
        }
        return {**content, "seal": seal_of(content)}

    def to_json(self) -> str:
        """Give the certificate as JSON text."""
        return json.dumps(self.as_json(), indent=1, ensure_ascii=False) + "\n"


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
        return Certificate(
            summary_from_json(data["summary"]),
            str(data["program"]),
            str(data["entry"]),
            str(data["target"]),
            tuple(Cut(int(line), str(variable), str(name)) for line, variable, name in data["cuts"]),
            dict(data["obligations"]),
            int(data["cases"]),
            tuple(data["preconditions"]),
            str(data["source_sha256"]),
            str(data["numerics"]),
            str(data["level"]),
            tuple(map(condition_from_data, data["guards"])),
            {name: tuple(map(str, listed)) for name, listed in data.get("strides", {}).items()},
            {str(name): str(place) for name, place in data.get("places", {}).items()},
        )
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RuntimeError) as error:
        raise CheckFailure(CERTIFICATE, f"the certificate is damaged: {error}") from None
