"""A program as code behind its source: under a name of its own, and none of its names means another thing there.

It is given only where the source is in the language of the program, C or Python, and the program is proved.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from tensorlift.record import Level, Verdict
from tensorlift.report.program import PYTHON, entry_function, language
from tensorlift.source import language_of

if TYPE_CHECKING:
    from tensorlift.record import FunctionRecord
    from tensorlift.source import Source

_SUFFIX = "_lifted"
_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
_SHARED = re.compile(r"#ifndef (TENSORLIFT_\w+)\n.*?\n}\n#endif\n+", re.DOTALL)  # stands once in a file
_OURS = {"apart", "on_threads"}
_CALL = re.compile(r"\b(\w+)\(")
_COMPLEX = {"I", "complex", "imaginary"}  # macros for what follows where cblas.h includes complex.h
_HEAD = re.compile(r"^(?:[A-Za-z_][\w ]*[ *])(\w+)\(", re.MULTILINE)  # of a function in C


def insertion(function: FunctionRecord, source: Source) -> str:
    """Give the lines to put behind a function; none where they would not mean there what they mean alone."""
    written = language(function.target)
    is_offered = function.verdict not in {Verdict.REFUSED, Verdict.UNCHANGED} and function.level is Level.PROVED
    if not is_offered or written.name != language_of(source.name):
        return ""
    words = {*re.findall(r"\w+", source.text)}
    name = f"{function.name}{_SUFFIX}"
    while name in words:
        name += "_"
    return (_python if written is PYTHON else _c)(function, source.text, words, name)


def _python(function: FunctionRecord, text: str, words: set[str], name: str) -> str:
    """Leave out imports that the file has; any other name of the program must be new there, and a builtin be none."""
    program = function.program.strip()
    entry = entry_function(function.name, program).name
    lines, kept = program.split("\n"), list[str]()
    file, tops = ast.parse(text), ast.parse(program).body
    known, imported = _bound(file), {told for one in file.body for told in _imports(one).values()}
    before = 0
    for one in tops:
        names = _imports(one)
        if any(known.get(alias, {told}) != {told} for alias, told in names.items()):
            return ""
        if not names or not {*names.values()} <= imported:
            kept += lines[before : one.end_lineno]
        before = one.end_lineno or 0
        helpers = {one.name for one in tops if isinstance(one, ast.FunctionDef)} - {entry}
    inside = list(ast.walk(ast.parse(program)))
    own = _bound(ast.parse(program)).keys() | {one.arg for one in inside if isinstance(one, ast.arg)}
    used = {one.id for one in inside if isinstance(one, ast.Name)}
    if "*" in known or words & helpers or (used - own) & known.keys():
        return ""
    head = re.compile(rf"^def {re.escape(entry)}\(", re.MULTILINE)
    return head.sub(f"def {name}(", "\n".join(kept).strip(), count=1)


def _bound(tree: ast.AST) -> dict[str, set[str]]:
    """Give the names that are bound anywhere, but for parameters, each with how: by which imports, or otherwise."""
    found: dict[str, set[str]] = {}
    for one in ast.walk(tree):
        for alias, told in _imports(one).items():
            found.setdefault(alias, set()).add(told)
        match one:
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
                found.setdefault(name, set()).add("")
            case ast.Name(name, ast.Store()):
                found.setdefault(name, set()).add("")
    return found


def _imports(statement: ast.AST) -> dict[str, str]:
    """Give the names that an import binds, each with an import of it alone."""
    if not isinstance(statement, ast.Import | ast.ImportFrom):
        return {}
    found = {}
    for one in statement.names:
        if isinstance(statement, ast.ImportFrom):
            alone: ast.stmt = ast.ImportFrom(statement.module, [one], statement.level)
        else:
            alone = ast.Import([one])
        found[one.asname or one.name.partition(".")[0]] = ast.unparse(alone)
    return found


def _c(function: FunctionRecord, text: str, words: set[str], name: str) -> str:
    """Leave out the function with C's signature around a program: in this file that is the source itself."""
    given, entry = function.program.strip(), function.name
    around = re.search(rf"^.*\b{entry}_original\(.*\);$", given, re.MULTILINE)
    if around is not None:
        given, entry = given[: around.start()].strip(), f"{entry}{_SUFFIX}"
    given = _SHARED.sub(lambda found: "" if found[1] in words else found[0], given)
    helpers, here = {*_HEAD.findall(given)} - {entry}, {*_HEAD.findall(text)} - _OURS
    if "#include <cblas.h>" in given and words & _COMPLEX:
        return ""
    if here & {*_CALL.findall(given)} - {entry}:
        return ""
    if {*_MACRO.findall(text)} & {*re.findall(r"\w+", given)} or words & helpers:
        return ""
    head = re.compile(rf"^(\w[\w ]*[ *]){entry}\(", re.MULTILINE)
    return head.sub(rf"\g<1>{name}(", given, count=1)
