"""Certificates in files: one by itself, or those inside a JSON report of `lift`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tensorlift.diagnostics import LiftError, refuse
from tensorlift.source import read_source

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorlift.record import Json


def read_certificates(name: str) -> list[tuple[str, Mapping[str, Json]]]:
    """Read the certificates of a file, each with the name of its function; refuse a file that holds none."""
    try:
        content = json.loads(read_source(name).text)
    except (ValueError, RecursionError) as error:
        raise _no_certificate(name, f"it is not JSON ({error})") from error
    if not isinstance(content, dict):
        raise _no_certificate(name, "it is not a JSON object")
    if "functions" not in content:
        return [(str(content.get("function", name)), content)]
    found = [(str(f["name"]), f["certificate"]) for f in _functions(content) if f.get("certificate")]
    if not found:
        raise _no_certificate(name, "none of its functions has a certificate")
    return found


def _functions(report: Mapping[str, Json]) -> list[dict[str, Mapping[str, Json]]]:
    functions = report["functions"]
    if not isinstance(functions, list):
        return []
    return [f for f in functions if isinstance(f, dict) and isinstance(f.get("certificate"), dict) and "name" in f]


def _no_certificate(name: str, reason: str) -> LiftError:
    remedy = "give a report that 'tensorlift lift --json' wrote, or one certificate out of it"
    return refuse("TL507", f"'{name}' holds no certificate: {reason}", remedy=remedy)
