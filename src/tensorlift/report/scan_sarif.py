"""A scan as SARIF 2.1.0, which code-scanning pages read: what does not lift as it might, and what must change.

Functions without loops over arrays are left out, as are those that lift without a loop.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from tensorlift import __version__
from tensorlift.record import Verdict
from tensorlift.report.scan import first_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tensorlift.scanned import Entry

_LEVELS = {Verdict.HYBRID: "note", Verdict.UNCHANGED: "warning", Verdict.REFUSED: "warning"}
# The code of the note on a loop that stays: entries do not name it.
_STAYS = "TL220"
_NAMED = re.compile(r"'[^']*'|`[^`]*`")


def scan_sarif(entries: Sequence[Entry]) -> str:
    """Write a log with one run; the same entries give the same bytes."""
    told = [entry for entry in entries if entry.verdict in _LEVELS and entry.loops is not False]
    groups: dict[str, list[Entry]] = {}
    for entry in told:
        groups.setdefault(_rule_of(entry), []).append(entry)
    groups = dict(sorted(groups.items()))
    driver = {
        "name": "tensorlift",
        "version": __version__,
        "rules": [_rule(name, group) for name, group in groups.items()],
    }
    seen = Counter[str]()
    results = [_result(entry, list(groups), seen) for entry in told]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    }
    return json.dumps(log, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _rule_of(entry: Entry) -> str:
    return entry.code or _STAYS


def _rule(name: str, group: Sequence[Entry]) -> dict[str, object]:
    what = "a loop stays in the program" if name == _STAYS else _most_common(first_line(one.reason) for one in group)
    rule: dict[str, object] = {"id": name, "shortDescription": {"text": what}}
    remedy = _most_common(one.remedy for one in group if one.remedy)
    return rule | ({"help": {"text": remedy}} if remedy else {})


def _most_common(texts: Iterable[str]) -> str:
    """Give the text that most of them are, names left open; '' where there are none."""
    found = Counter(_NAMED.sub("…", text) for text in texts)
    return min(found, key=lambda text: (-found[text], text), default="")


def _result(entry: Entry, rules: Sequence[str], seen: Counter[str]) -> dict[str, object]:
    rule = _rule_of(entry)
    what = f"`{entry.name}` is {entry.verdict}" if entry.name else "the file is refused"
    remedy = f"\n{entry.remedy}" if entry.remedy else ""
    location: dict[str, object] = {
        "physicalLocation": {
            "artifactLocation": _artifact(entry.file),
            "region": {"startLine": entry.at or entry.line},
        }
    }
    if entry.name:
        location["logicalLocations"] = [{"name": entry.name, "kind": "function"}]
    whose = f"{entry.file}\0{entry.name}\0{rule}"  # lines may move
    seen[whose] += 1
    digest = hashlib.sha256(f"{whose}\0{seen[whose]}".encode("utf-8", "surrogateescape")).hexdigest()
    return {
        "ruleId": rule,
        "ruleIndex": rules.index(rule),
        "level": _LEVELS[entry.verdict],
        "message": {"text": f"{what}: {entry.reason}{remedy}" if entry.reason else what},
        "locations": [location],
        "partialFingerprints": {"function/v1": digest},
    }


def _artifact(file: str) -> dict[str, str]:
    """Give the address of a file: from the root of the sources, but for one that is named from that of the disk."""
    path = Path(file)
    return {"uri": path.as_uri()} if path.is_absolute() else {"uri": quote(path.as_posix()), "uriBaseId": "%SRCROOT%"}
