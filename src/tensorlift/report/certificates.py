"""Certificates in files: one by itself, or those inside a JSON report of `lift`, with what the report says beside."""

from __future__ import annotations

import json
from dataclasses import dataclass
from types import NoneType
from typing import TYPE_CHECKING, Any

from tensorlift.diagnostics import Diagnostic, LiftError, refuse
from tensorlift.source import read_source

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tensorlift.record import Json

# What a report and a certificate both say, by its key in the report.
_BOTH = {"program": "program", "name": "function", "target": "target", "level": "level", "numerics": "numerics"}


@dataclass(frozen=True, slots=True)
class Claim:
    """A certificate with the name of its function, and the function's part of the report that it stands in, if any.

    ``digest`` is what the report says of the source; ``certificate`` is None where a program has none.
    """

    name: str
    certificate: Mapping[str, Json] | None
    function: Mapping[str, Any] | None = None
    digest: str | None = None

    def problems(self) -> tuple[Diagnostic, ...]:
        """List what the report says otherwise than the certificate."""
        remedy = "take the report as 'tensorlift lift --json' wrote it"
        return tuple(
            Diagnostic("TL511", f"the report does not go with its certificate: {problem}", remedy=remedy)
            for problem in self._found()
        )

    def _found(self) -> Iterator[str]:
        said, certificate = self.function, self.certificate
        if said is None:
            return
        if certificate is None:
            yield "it has a program, and no certificate of it"
            return
        for key, other in _BOTH.items():
            if said.get(key) != certificate.get(other):
                yield f"it has another {key}"
        if self.digest != certificate.get("source_sha256"):
            yield "it is of another source"
        listed = said.get("preconditions")
        texts = (
            [one.get("text") if isinstance(one, dict) else None for one in listed] if isinstance(listed, list) else 0
        )
        if texts != certificate.get("preconditions"):
            yield "it has other preconditions"


def read_claims(name: str) -> list[Claim]:
    """Read the certificates of a file; refuse a file that holds none."""
    try:
        content = json.loads(read_source(name).text, object_pairs_hook=_without_doubles)
    except (ValueError, RecursionError) as error:
        raise _no_certificate(name, f"it is not JSON ({error})") from error
    if not isinstance(content, dict):
        raise _no_certificate(name, "it is not a JSON object")
    if "functions" not in content:
        return [Claim(str(content.get("function", name)), content)]
    source = content.get("source")
    digest = source.get("sha256") if isinstance(source, dict) else None
    claims = [
        Claim(str(function["name"]), function["certificate"] or None, function, digest)
        for function in _functions(content)
        if function["certificate"] or function.get("program")
    ]
    if not any(claim.certificate for claim in claims):
        raise _no_certificate(name, "none of its functions has a certificate")
    return claims


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of pairs; one that has a key twice means something else to every reader."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an object has a key twice")
    return found


def _functions(report: Mapping[str, Json]) -> list[dict[str, Any]]:
    functions = report["functions"]
    if not isinstance(functions, list):
        return []
    found = [f for f in functions if isinstance(f, dict) and "name" in f]
    return [{"certificate": None, **f} for f in found if isinstance(f.get("certificate"), dict | NoneType)]


def _no_certificate(name: str, reason: str) -> LiftError:
    remedy = "give a report that 'tensorlift lift --json' wrote, or one certificate out of it"
    return refuse("TL507", f"'{name}' holds no certificate: {reason}", remedy=remedy)
