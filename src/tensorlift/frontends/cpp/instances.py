"""The functions of a C++ file that can be lifted: definitions, and the instances of templates.

libclang shows no cursor for an explicit instantiation.  Therefore the text that is parsed holds, right behind each, a
pointer to the instance, from which the cursor of the instance is reached.  Instances that the file itself uses are
found at their calls.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clang.cindex import CursorKind

from tensorlift.frontends.c import libclang

if TYPE_CHECKING:
    from collections.abc import Iterator

_COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
_INSTANTIATION = re.compile(r"(?<![\w:])template\s+(?!<)(?!class\b|struct\b)([^;{}]*?)\(([^;{}]*)\)\s*;")
_NAME = re.compile(r"[\w:]+\s*$")
_POINTER = "tensorlift_instance_"
_DEFINED = {CursorKind.FUNCTION_DECL, CursorKind.FUNCTION_TEMPLATE}
_KINDS = _DEFINED | {CursorKind.NAMESPACE, CursorKind.LINKAGE_SPEC, CursorKind.UNEXPOSED_DECL, CursorKind.VAR_DECL}


@dataclass(frozen=True, slots=True)
class Instance:
    """A function that can be lifted, under a name of its own."""

    name: str
    spelling: str
    cursor: Any


@dataclass(frozen=True, slots=True)
class Template:
    """A function template that nothing instantiates."""

    name: str
    cursor: Any


def with_pointers(text: str) -> str:
    """Put a pointer to each explicit instantiation behind it, on the same line."""
    blank = _COMMENT_OR_STRING.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
    parts: list[str] = []
    end = 0
    for number, match in enumerate(_INSTANTIATION.finditer(blank)):
        result, name = _split(match[1])
        if not result or not name:
            continue
        parts += [text[end : match.end()], f" static {result} (*{_POINTER}{number})({match[2]}) = &{name};"]
        end = match.end()
    return "".join([*parts, text[end:]])


def _split(declared: str) -> tuple[str, str]:
    """Split ``std::vector<T> f<T>`` into the type and the name with its arguments."""
    declared = declared.rstrip()
    place = len(declared)
    if declared.endswith(">"):
        depth = 0
        for place in range(len(declared) - 1, -1, -1):
            depth += {">": 1, "<": -1}.get(declared[place], 0)
            if depth == 0:
                break
    name = _NAME.search(declared[:place])
    start = name.start() if name else 0
    return declared[:start].strip(), declared[start:]


def instances(unit: Any, filename: str) -> tuple[list[Instance], list[Template]]:
    """List the functions of the main file with distinct names, and the templates without an instance."""
    found: dict[int, Any] = {}
    templates: list[Any] = []
    work = list(reversed(libclang.children(unit.cursor)))
    while work:
        cursor = work.pop()
        kind = cursor.kind
        if kind not in _KINDS or (kind in _DEFINED and not cursor.is_definition()) or not _in_file(cursor, filename):
            continue
        if kind is CursorKind.FUNCTION_DECL:
            found[cursor.data[0]] = cursor
            _add_used(cursor, found, filename)
        elif kind is CursorKind.FUNCTION_TEMPLATE:
            templates.append(cursor)
        elif kind is not CursorKind.VAR_DECL:
            work.extend(reversed(libclang.children(cursor)))
        elif cursor.spelling.startswith(_POINTER):
            _add_used(cursor, found, filename)
    cursors = sorted(found.values(), key=lambda c: (c.location.line, c.location.column))
    used = {(c.location.line, c.location.column) for c in cursors}
    unused = [Template(t.spelling, t) for t in templates if (t.location.line, t.location.column) not in used]
    return _named([c for c in cursors if c.spelling != "main"]), unused


def _add_used(cursor: Any, found: dict[int, Any], filename: str) -> None:
    """Add the instances of templates of the file that a function uses."""
    for use in libclang.descendants(cursor, CursorKind.DECL_REF_EXPR):
        callee = libclang.referenced(use)
        if callee.kind is CursorKind.FUNCTION_DECL and _is_instance(callee) and _in_file(callee, filename):
            definition = callee.get_definition()
            if definition is not None and definition.data[0] not in found:
                found[definition.data[0]] = definition
                _add_used(definition, found, filename)


def _is_instance(cursor: Any) -> bool:
    return bool(cursor.get_num_template_arguments() > 0)


def _in_file(cursor: Any, filename: str) -> bool:
    file = cursor.location.file
    return file is not None and file.name == filename


def _named(cursors: list[Any]) -> list[Instance]:
    """Give every function a name of its own: that of the source, with types where several share it."""
    names = [cursor.spelling for cursor in cursors]
    taken: set[str] = set()
    found: list[Instance] = []
    for cursor in cursors:
        name = cursor.spelling
        if not name.isidentifier():
            continue  # an operator
        if names.count(name) > 1:
            name = "_".join([name, *_type_words(cursor)])
        base, count = name, 1
        while name in taken:
            count += 1
            name = f"{base}_{count}"
        taken.add(name)
        found.append(Instance(name, cursor.spelling, cursor))
    return found


def _type_words(cursor: Any) -> Iterator[str]:
    """Iterate over the words that tell instances and overloads apart."""
    count = cursor.get_num_template_arguments()
    if count > 0:
        types = [cursor.get_template_argument_type(position).spelling for position in range(count)]
        values = [str(cursor.get_template_argument_value(position)) for position in range(count)]
        texts = [text or value for text, value in zip(types, values, strict=True)]
    else:
        texts = [argument.type.get_canonical().spelling for argument in cursor.get_arguments()]
    for text in texts:
        short = re.sub(r"std::|const |, std::allocator<[^<>]*>", "", text)
        yield from re.findall(r"\w+", short)
