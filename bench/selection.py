"""Which of the reference kernels a benchmark takes: ``--suite`` and ``--kernel``, all of them by default."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

KERNELS = Path(__file__).parent / "kernels"


def add_selection(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose kernels."""
    parser.add_argument("--suite", action="append", default=[], help="only this suite")
    parser.add_argument("--kernel", action="append", default=[], help="only this kernel")


def listed() -> list[dict[str, Any]]:
    """Return all entries of the index."""
    return list(json.loads((KERNELS / "index.json").read_text(encoding="utf-8")))


def selected(options: argparse.Namespace, entries: list[dict[str, Any]] | None = None) -> list[dict[str, Any]]:
    """Return the entries that were chosen, of a list or of the index, in its order; without any, end with a message."""
    entries = listed() if entries is None else entries
    by_suite = [e for e in entries if not options.suite or e["suite"] in options.suite]
    chosen = [e for e in by_suite if not options.kernel or e["name"] in options.kernel]
    if not chosen:
        sys.exit("no kernel has that name")
    return chosen
