"""Emitted programs as text: which language a target writes, and how several functions become one file."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tensorlift.source import language_of

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Language:
    """A language that programs are written in, as people and highlighters call it, with its comments and files."""

    title: str
    name: str
    comment: str
    suffix: str


PYTHON = Language("Python", "python", "#", ".py")
_MLIR = Language("MLIR", "mlir", "//", ".mlir")
_C = Language("C", "c", "//", ".c")
_LANGUAGES = {"numpy": PYTHON, "jax": PYTHON, "torch": PYTHON, "c": _C}


def language(target: str) -> Language:
    """Give the language of a target: MLIR but for those that write Python or C, imported dialects included."""
    return _LANGUAGES.get(target, _MLIR)


_HIGHLIGHTED_AS = {"c++": "cpp"}


def source_language(file: str) -> str:
    """Give the name by which highlighters call the language of a source."""
    language = language_of(file)
    return _HIGHLIGHTED_AS.get(language, language)


def join_programs(programs: Sequence[str], target: str) -> str:
    """Make one file of the programs of several functions; Python's imports stand once, at the top."""
    if language(target) is not PYTHON:
        return "\n".join(f"{program.strip()}\n" for program in programs)
    imports: dict[str, None] = {}
    bodies = []
    for program in programs:
        lines = program.strip().splitlines()
        imports.update(dict.fromkeys(line for line in lines if _is_import(line)))
        bodies.append("\n".join(line for line in lines if not _is_import(line)).strip())
    head = ["\n".join(sorted(imports, key=_import_order))] if imports else []
    return "\n\n\n".join([*head, *bodies]) + "\n" if bodies else ""


def entry_name(name: str, program: str) -> str:
    """Give the name under which a Python program defines a source function; a reserved name has a ``_`` after it."""
    return entry_function(name, program).name


def entry_function(name: str, program: str) -> ast.FunctionDef:
    """Find the definition of a source function in a Python program; raises KeyError where there is none."""
    defined = {node.name: node for node in ast.parse(program).body if isinstance(node, ast.FunctionDef)}
    return defined[name] if name in defined else defined[f"{name}_"]


def parameter_names(name: str, program: str, target: str) -> tuple[str, ...]:
    """List the parameters of the function that a program defines for a source function, as it spells them."""
    if language(target) is PYTHON:
        arguments = entry_function(name, program).args
        return tuple(a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs))
    header = next(line for line in program.splitlines() if line.startswith(f"func.func @{name}("))
    return tuple(re.findall(r"%([\w$.-]+):", header))


def _is_import(line: str) -> bool:
    return line.startswith(("import ", "from "))


def _import_order(line: str) -> tuple[bool, bool, str]:
    return not line.startswith("from __future__ "), line.startswith("from "), line
