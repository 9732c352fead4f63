"""The other files of a project, where a function or a constant is defined that a file only declares.

Files whose text has the name are parsed, each once and by its own flags, and the one definition is taken that a linker
would take.  Where there are several, where a linker may take another (`weak`), or where the two files mean different
things by one type, none is; then it is told why.
"""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clang.cindex import CursorKind, LinkageKind, TypeKind

from tensorlift.diagnostics import LiftError
from tensorlift.frontends.c import libclang
from tensorlift.frontends.c import reader as c_reader

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from tensorlift.frontends.c.reader import ParsedFile

_KINDS = {CursorKind.FUNCTION_DECL, CursorKind.VAR_DECL}
_RENAMING = re.compile(r"#[ \t]*pragma[ \t]+(?:weak|redefine_extname|extern_prefix)\b[^\n]*")
_FUNCTIONS = {TypeKind.FUNCTIONPROTO, TypeKind.FUNCTIONNOPROTO}
_MOST_BYTES = 64 << 20
_DIGITS = 16


@dataclass(frozen=True, slots=True)
class OtherFile:
    """A file of a project, and how it is read; ``machine`` are the flags that change what types are.

    ``is_ambiguous`` where it is compiled in more ways than one.
    """

    name: str
    include_dirs: tuple[str, ...] = ()
    include_files: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    std: str | None = None
    machine: tuple[str, ...] = ()
    is_ambiguous: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """A definition, and the file that it stands in."""

    parsed: ParsedFile
    cursor: Any


@dataclass(slots=True)
class Elsewhere:
    """Finds what the other files of a project define; ``asked`` has a digest of what each answer rests on."""

    main: ParsedFile
    files: Sequence[OtherFile]  # the main one may be among them
    asked: dict[str, str] = field(default_factory=dict)
    taken: dict[OtherFile, None] = field(default_factory=dict)  # the files that something was found in
    _answers: dict[str, Found | str] = field(default_factory=dict)

    def definition(self, declaration: Any) -> Found | str:
        """Give the definition of what one of the files declares, else why none is taken; "" where none is known."""
        if not self.files or declaration.linkage is not LinkageKind.EXTERNAL or _is_of_system(declaration):
            return ""
        name = declaration.spelling
        if name not in self._answers:
            self._answers[name] = self._answer(name)
        found = self._answers[name]
        if isinstance(found, str):
            return found
        attribute = libclang.binding_attribute(declaration)
        if attribute:
            return f"`{name}` is declared with the attribute `{attribute}`"
        if not same_type(found.cursor.type, declaration.type):
            return f"`{name}` has other types in `{found.parsed.name}`"
        return found

    def _answer(self, name: str) -> Found | str:
        self.asked[name], naming = evidence(name, self.files)
        found, reasons, taken = list(_definitions(self.main, name)), list[str](), dict[OtherFile, None]()
        for file, text in naming:
            if os.path.realpath(file.name) == self._own:
                continue
            try:
                defined = list(_definitions(_parsed(file, text), name))
            except LiftError as error:
                return f"`{file.name}`, where `{name}` stands, is not read: {error.diagnostics[0].message}"
            reasons += [why for one in defined if (why := self._unusable(file, text, one))]
            found += defined
            taken |= dict.fromkeys([file] if defined else [])
        if len(found) > 1:
            return f"`{name}` is defined in {' and in '.join(f'`{one.parsed.name}`' for one in found)}"
        if reasons or not found:
            return reasons[0] if reasons else ""
        self.taken |= taken
        return found[0]

    @property
    def _own(self) -> str:
        return os.path.realpath(self.main.name)

    @property
    def _machine(self) -> tuple[str, ...]:
        return next((file.machine for file in self.files if os.path.realpath(file.name) == self._own), ())

    def _unusable(self, file: OtherFile, text: str, found: Found) -> str:
        """Say why a definition may not be what is called, or may mean something else here."""
        name, where = found.cursor.spelling, f"`{file.name}`, which defines `{found.cursor.spelling}`,"
        if file.is_ambiguous:
            return f"{where} is compiled in several ways"
        if file.machine != self._machine:
            return f"{where} is compiled with other flags: {' '.join(sorted({*file.machine} ^ {*self._machine}))}"
        if renaming := _RENAMING.search(text):
            return f"{where} has a `{' '.join(renaming[0].split())}`"
        attribute = libclang.binding_attribute(found.cursor)
        if attribute:
            return f"`{name}` has the attribute `{attribute}` in `{file.name}`"
        try:
            lacking = found.parsed.reach is not None and bool(found.parsed.reach.warnings())
        except LiftError:
            lacking = True
        return f"{where} does not parse: {found.parsed.errors[0].message}" if lacking else ""


def evidence(name: str, files: Iterable[OtherFile]) -> tuple[str, list[tuple[OtherFile, str]]]:
    """List the files whose text has a name, each with its text, and give a digest of all of them."""
    word, digest, found = re.compile(rf"\b{re.escape(name)}\b"), hashlib.sha256(), []
    for file in files:
        text = _text(file.name)
        if name in text and word.search(text):
            digest.update(f"{file}\0{text}\0".encode("utf-8", "surrogatepass"))
            found.append((file, text))
    return digest.hexdigest()[:_DIGITS], found


def _text(name: str) -> str:
    """Read a file as it is now; one that is not there has no text."""
    try:
        told = Path(name).stat()
    except OSError:
        return ""
    return _read(name, told.st_mtime_ns, told.st_size) if told.st_size <= _MOST_BYTES else ""


@lru_cache(maxsize=4096)
def _read(name: str, _changed: int, _size: int) -> str:
    try:
        data = Path(name).read_bytes()
    except OSError:
        return ""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


@lru_cache(maxsize=64)
def _parsed(file: OtherFile, text: str) -> ParsedFile:
    return c_reader.parse_c(
        text,
        file.name,
        include_dirs=file.include_dirs,
        include_files=file.include_files,
        defines=file.defines,
        std=file.std,
    )


def _definitions(parsed: ParsedFile, name: str) -> Iterator[Found]:
    """Yield the definitions of a name in a file that other files may mean by it.

    One that is `inline` may be for its own file only, as it is in C99 where no declaration says `extern`.
    """
    for cursor in libclang.children(parsed.unit.cursor):
        if cursor.spelling == name and cursor.kind in _KINDS and cursor.linkage is LinkageKind.EXTERNAL:
            is_inline = cursor.kind is CursorKind.FUNCTION_DECL and libclang.is_inline(cursor)
            if cursor.is_definition() and not is_inline:
                yield Found(parsed, cursor)


def _is_of_system(declaration: Any) -> bool:
    file = declaration.location.file
    return file is None or libclang.is_bundled(file.name) or libclang.is_system(file.name)


def same_type(one: Any, other: Any, around: Collection[str] = ()) -> bool:
    """Whether two types of different files are one, structures with all of their members at the same places.

    Qualifiers do not matter; what a pointer among the members points to is compared by its name.
    """
    one, other = one.get_canonical(), other.get_canonical()
    if {one.kind, other.kind} <= _FUNCTIONS:
        return _same_function(one, other, around)
    if one.kind is not other.kind or one.is_volatile_qualified() != other.is_volatile_qualified():
        return False
    match one.kind:
        case TypeKind.POINTER:
            mine, theirs = one.get_pointee().get_canonical(), other.get_pointee().get_canonical()
            if mine.kind in {TypeKind.RECORD, *_FUNCTIONS} and around:
                return mine.kind is theirs.kind and _name(mine) == _name(theirs)
            return same_type(mine, theirs, around)
        case TypeKind.RECORD:
            return _same_record(one, other, around)
        case TypeKind.ENUM:
            mine, theirs = one.get_declaration().enum_type, other.get_declaration().enum_type
            return same_type(mine, theirs, around)
        case kind if kind in libclang.ARRAYS:
            is_long = kind is not TypeKind.CONSTANTARRAY or one.element_count == other.element_count
            return is_long and same_type(one.element_type, other.element_type, around)
    return _name(one) == _name(other)


def _same_function(one: Any, other: Any, around: Collection[str]) -> bool:
    """Whether functions take and return the same; of one that is declared as `f()`, no parameters are known."""
    mine, theirs = (list(each.argument_types()) if _is_prototype(each) else [] for each in (one, other))
    return (
        not (libclang.is_variadic(one) or libclang.is_variadic(other))
        and len(mine) == len(theirs)
        and same_type(one.get_result(), other.get_result(), around)
        and all(same_type(a, b, around) for a, b in zip(mine, theirs, strict=True))
    )


def _is_prototype(function: Any) -> bool:
    return bool(function.kind is TypeKind.FUNCTIONPROTO)


def _same_record(one: Any, other: Any, around: Collection[str]) -> bool:
    name = _name(one)
    if min(one.get_size(), other.get_size()) < 0:  # a structure of which one file knows nothing but the name
        return name == _name(other)
    mine, theirs = (list(each.get_fields()) for each in (one, other))
    return (
        name == _name(other)
        and one.get_size() == other.get_size() > 0
        and one.get_align() == other.get_align()
        and [_place(a) for a in mine] == [_place(b) for b in theirs]
        and all(same_type(a.type, b.type, {*around, name}) for a, b in zip(mine, theirs, strict=True))
    )


def _place(member: Any) -> tuple[str, int, int]:
    return member.spelling, member.get_field_offsetof(), member.get_bitfield_width() if member.is_bitfield() else -1


def _name(record: Any) -> str:
    """Name a structure without its qualifiers."""
    return re.sub(r"\b(?:const|volatile|restrict)\b ?", "", record.spelling).strip()
