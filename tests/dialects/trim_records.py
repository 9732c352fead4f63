"""Cut TableGen's records down to some operations: what `tablegen.py` reads of them, for tests to keep.

    llvm-tblgen --dump-json -I /usr/lib/llvm-22/include \
        /usr/lib/llvm-22/include/mlir/Dialect/Linalg/IR/LinalgStructuredOps.td |
        python tests/dialects/trim_records.py MatmulOp ReduceOp > linalg_records.json

The version of ``llvm-tblgen`` is that of the files; it is in Debian's package ``llvm-22``.
"""

from __future__ import annotations

import json
import sys
from typing import Any

_READ = (
    "!superclasses", "name", "opName", "opDialect", "arguments", "results", "regions", "traits", "constraint",
    "hasCustomAssemblyFormat", "storageType", "baseAttr", "defaultValue", "summary", "typeName", "parameters",
    "assemblyFormat", "enum", "attrName", "enumerants", "str", "cppType", "predicate",
    "children", "predExpr",
)  # fmt: skip


def trimmed(records: dict[str, Any], operations: list[str]) -> dict[str, Any]:
    """Return the records of some operations, with those that they refer to."""
    found: dict[str, Any] = {"!instanceof": {"Op": operations}}
    waiting = list(operations)
    while waiting:
        name = waiting.pop(0)
        if name not in found:
            # Traits are known by their names alone.
            found[name] = {field: _kept(records[name][field]) for field in _READ if field in records[name]}
            waiting += [other for field, value in found[name].items() if field != "traits" for other in _named(value)]
    return found


def _kept(value: Any) -> Any:
    """Leave out how values are printed."""
    if isinstance(value, dict):
        return {key: _kept(inner) for key, inner in value.items() if key in {"def", "args"}}
    return [_kept(inner) for inner in value] if isinstance(value, list) else value


def _named(value: Any) -> list[str]:
    """Return the records that a value refers to."""
    if isinstance(value, dict):
        return [value["def"]] if "def" in value else _named(value.get("args", []))
    return [name for inner in value for name in _named(inner)] if isinstance(value, list) else []


if __name__ == "__main__":
    json.dump(trimmed(json.load(sys.stdin), sys.argv[1:]), sys.stdout)
    sys.stdout.write("\n")
