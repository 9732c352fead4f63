"""Macros that may be others when a file is compiled: those of the command line, of headers, and under conditions.

A program holds for the macros as they were when it was lifted, so that each that its statements used is stated with it.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from clang.cindex import CursorKind

from tensorlift.frontends.c import libclang

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

SPELLED = (
    "#ifndef TENSORLIFT_TEXT",
    "#define TENSORLIFT_SPELLED(...) #__VA_ARGS__",
    "#define TENSORLIFT_TEXT(...) TENSORLIFT_SPELLED(__VA_ARGS__)",
    "#endif",
)
_WITHOUT_ASSERTIONS = {"NDEBUG": '#ifndef NDEBUG\n#error "lift again: NDEBUG is not defined"\n#endif'}
_CONDITION = re.compile(rb"^[ \t]*#[ \t]*(if|ifdef|ifndef|endif)\b", re.MULTILINE)
_NAMED = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
_WORD = re.compile(r"[A-Za-z_]\w*")
_OF_PLACES = ("__FILE__", "__LINE__")  # macros of compilers that are others in each place
_DEFINED = re.compile(r"\s*\w+((?:\\\r?\n|[^\n])*)")


@dataclass(frozen=True, slots=True)
class _Macro:
    """A macro of the file itself: whether it stands under a condition, and what it names."""

    conditional: bool
    words: tuple[str, ...]


class Macros:
    """The macros that a file uses, and where."""

    def __init__(self, text: str, filename: str, arguments: Sequence[str]) -> None:
        """Read a file that parses."""
        self._text, self._filename, self._arguments = text, filename, arguments
        unit = libclang.parse(text, filename, arguments, record_macros=True)
        found = libclang.children(unit.cursor)
        source, words = text.encode(), set(_WORD.findall(text))
        self._own: dict[str, _Macro] = {}
        self._outside: set[str] = set()
        for cursor in (c for c in found if c.kind is CursorKind.MACRO_DEFINITION and c.spelling in words):
            self._define(cursor, source, _bundled())
        self._found = found
        used = [c for c in found if c.kind is CursorKind.MACRO_INSTANTIATION and _file(c) == filename]
        self._places = [(cursor.extent.start.offset, cursor.spelling) for cursor in used]
        self._ends: dict[int, int] = {cursor.extent.start.offset: cursor.extent.end.offset for cursor in used}

    def _define(self, cursor: Any, source: bytes, bundled: Collection[str]) -> None:
        file, name = _file(cursor), cursor.spelling
        if file == self._filename:
            start = cursor.extent.start.offset
            match = _DEFINED.match(source[start:].decode(errors="replace"))
            body = match[1] if match else ""
            directives = [one[1] for one in _CONDITION.finditer(source, 0, start)]
            depth = len(directives) - 2 * directives.count(b"endif")
            self._own[name] = _Macro(depth > 0, tuple(_WORD.findall(body)))
        elif file is None or not (name in bundled and _is_foreign(file)):
            self._outside.add(name)

    def stated(self, start: int, end: int) -> dict[str, str]:
        """State the macros that the text from an offset to another uses, and that may change.

        The lines, by the name of the macro, compile only where it is what it was.
        """
        used = [name for place, name in self._places if start <= place < end]
        names = sorted({name for name in used if self._may_change(name, frozenset()) and not self._is_of_system(name)})
        found = self._spelled(names) if names else {}
        return found | (_WITHOUT_ASSERTIONS if "assert" in used and "NDEBUG" in self._definitions else {})

    def end(self, start: int, end: int) -> int:
        """Give the end of the text between two offsets, the whole of a macro that it is made by."""
        return max(end, self._ends.get(start, end))

    @cached_property
    def _definitions(self) -> dict[str, Any]:
        return {c.spelling: c for c in self._found if c.kind is CursorKind.MACRO_DEFINITION}

    def pragma_in(self, start: int, end: int) -> str:
        """Name a macro that a text from an offset to another uses and that holds a pragma; nothing if there is none."""
        used = (name for place, name in self._places if start <= place < end)
        return next((name for name in used if self._holds_pragma(name, frozenset())), "")

    def _holds_pragma(self, name: str, inside: frozenset[str]) -> bool:
        if name in inside or name not in self._definitions:
            return False
        words = {token.spelling for token in self._definitions[name].get_tokens()} - {name}
        return "_Pragma" in words or any(self._holds_pragma(word, inside | {name}) for word in words)

    def _is_of_system(self, name: str) -> bool:
        """Whether a macro has parameters and comes from a header of the system: compilers spell these in their ways."""
        file = _file(self._definitions[name])
        return file is not None and _is_foreign(file) and libclang.has_parameters(self._definitions[name])

    def _used(self, name: str) -> str:
        """Spell a use of a macro."""
        if not libclang.has_parameters(self._definitions[name]):
            return name
        words = [token.spelling for token in self._definitions[name].get_tokens()]
        count = sum(word != "," for word in words[2 : words.index(")")])
        return f"{name}({', '.join(f'tensorlift_argument_{k}' for k in range(count))})"

    def _may_change(self, name: str, inside: frozenset[str]) -> bool:
        if name in inside:
            return False
        own = self._own.get(name)
        if own is None:
            return name in self._outside
        return own.conditional or any(self._may_change(word, inside | {name}) for word in own.words)

    def _spelled(self, names: Sequence[str]) -> dict[str, str]:
        hidden = {name: sorted(self._standard(name, set())) for name in names}
        lines = [*SPELLED, *(f"#define {name} {name}" for name in _OF_PLACES)]  # so that they stand as they are
        for k, name in enumerate(names):
            lines += _under(hidden[name], f"const char tensorlift_{k}[] = TENSORLIFT_TEXT({self._used(name)});")
        unit = libclang.parse("\n".join([self._text, *lines]) + "\n", self._filename, self._arguments)
        values = {c.spelling: c for c in libclang.children(unit.cursor) if c.kind is CursorKind.VAR_DECL}
        texts = (libclang.children(values[f"tensorlift_{k}"])[-1].spelling for k in range(len(names)))
        return {
            n: "\n".join(_under(hidden[n], _same(n, self._used(n), text))) for n, text in zip(names, texts, strict=True)
        }

    def _standard(self, name: str, seen: set[str]) -> set[str]:
        """List the macros of compilers and of the standard that a macro names: each compiler spells them in its way."""
        seen.add(name)
        found: set[str] = set()
        for word in {token.spelling for token in self._definitions[name].get_tokens()} & set(self._definitions) - seen:
            file = _file(self._definitions[word])
            is_ours = file is None and not word.startswith("__")
            if is_ours or not (file is None or (word in _bundled() and _is_foreign(file))):
                found |= self._standard(word, seen)
            else:
                found.add(word)
        return found


def _same(name: str, used: str, text: str) -> str:
    """Write a line that compiles only where a macro is what it was when used; the text is a string literal."""
    if not {*_OF_PLACES}.isdisjoint(_WORD.findall(text)):
        text = f"TENSORLIFT_TEXT({ast.literal_eval(text)})"
    is_same = f"__builtin_strcmp(TENSORLIFT_TEXT({used}), {text}) == 0"
    return f'__extension__ _Static_assert({is_same}, "lift again: {name} is another");'


def _under(hidden: Sequence[str], line: str) -> list[str]:
    """Write a line in which some macros are not expanded."""
    pushed = [one for name in hidden for one in (f'#pragma push_macro("{name}")', f"#undef {name}")]
    return [*pushed, line, *(f'#pragma pop_macro("{name}")' for name in hidden)]


@cache
def _bundled() -> frozenset[str]:
    """List the macros that the bundled headers define: C or POSIX says what they are, whoever spells them."""
    texts = (path.read_text(encoding="utf-8") for path in libclang.INCLUDE.rglob("*.h"))
    return frozenset(name for text in texts for name in _NAMED.findall(text))


def _is_foreign(file: str) -> bool:
    return libclang.is_bundled(file) or libclang.is_system(file)


def _file(cursor: Any) -> str | None:
    file = cursor.location.file
    return None if file is None else str(file.name)
