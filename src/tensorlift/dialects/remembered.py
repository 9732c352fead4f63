"""Imports that are remembered: what was imported from the same definition by the same code is read from a file.

A file is named after everything on which an import depends: the definition, the passes, upstream's version, and the
sources of tensorlift itself.  One that cannot be read is made again.
"""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from tensorlift.diagnostics import LiftError
from tensorlift.dialects.windows import require_tools
from tensorlift.targets.imported.record import dialect_from_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.source import Source
    from tensorlift.targets.imported.record import ImportedDialect


_PACKAGE = Path(__file__).parent.parent


def remembered(name: str, definition: Source, passes: str, make: Callable[[], ImportedDialect]) -> ImportedDialect:
    """Return a dialect as it was imported before, else as ``make`` imports it now.

    Raises:
        LiftError: TL538, where upstream's tools are missing; and as ``make`` does.

    """
    file = _folder() / f"{_digest(name, definition.name, definition.text, passes, require_tools().llvm)}.json"
    with suppress(OSError, UnicodeDecodeError, LiftError):
        return dialect_from_json(file.read_text(encoding="utf-8"), str(file))
    text = make().to_json()
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        own = file.with_suffix(f".{os.getpid()}")
        own.write_text(text, encoding="utf-8")
        own.replace(file)  # so that nobody reads half of it
    return dialect_from_json(text, str(file))  # as it is read the next time, so that both write the same


def _folder() -> Path:
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "tensorlift" / "dialects"


def _digest(*parts: str) -> str:
    digest = sha256()
    for part in parts:
        digest.update(f"{len(part)} {part}".encode())
    for file in sorted(_PACKAGE.rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()
