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
    from collections.abc import Iterator

    from tensorlift.record import FunctionRecord
    from tensorlift.source import Source

_SUFFIX = "_lifted"
_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
_SHARED = re.compile(r"#ifndef (TENSORLIFT_\w+)\n.*?\n}\n#endif\n+", re.DOTALL)  # stands once in a file
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
    program = function.program.strip()
    entry = entry_function(function.name, program).name
    lines, kept = program.split("\n"), list[str]()
    tops = ast.parse(program).body
    for at, one in enumerate(tops):
        before = tops[at - 1].end_lineno or 0 if at else 0
        own = lines[before : one.end_lineno]
        if isinstance(one, ast.Import | ast.ImportFrom) and re.search(rf"(?m)^{re.escape(own[-1])}\s*$", text):
            continue
        if words & ({*_bound(one)} - {entry}):
            return ""
        kept += own
    head = re.compile(rf"^def {re.escape(entry)}\(", re.MULTILINE)
    return head.sub(f"def {name}(", "\n".join(kept).strip(), count=1)


def _bound(statement: ast.stmt) -> Iterator[str]:
    """Give the names that a statement of a module binds."""
    match statement:
        case ast.Import(names) | ast.ImportFrom(names=names):
            yield from ((one.asname or one.name).partition(".")[0] for one in names)
        case ast.FunctionDef(name):
            yield name
        case _:
            yield from (one.id for one in ast.walk(statement) if isinstance(one, ast.Name))


def _c(function: FunctionRecord, text: str, words: set[str], name: str) -> str:
    """Leave out the function with C's signature around a program: in this file that is the source itself."""
    given, entry = function.program.strip(), function.name
    around = re.search(rf"^.*\b{entry}_original\(.*\);$", given, re.MULTILINE)
    if around is not None:
        given, entry = given[: around.start()].strip(), f"{entry}{_SUFFIX}"
    given = _SHARED.sub(lambda found: "" if found[1] in words else found[0], given)
    helpers = {*_HEAD.findall(given)} - {entry}
    if "#include <cblas.h>" in given and words & _COMPLEX:
        return ""
    if {*_MACRO.findall(text)} & {*re.findall(r"\w+", given)} or words & helpers:
        return ""
    head = re.compile(rf"^(\w[\w ]*[ *]){entry}\(", re.MULTILINE)
    return head.sub(rf"\g<1>{name}(", given, count=1)
