"""What the parser may take: files that are regular, macros that expand to a bounded text, and a few seconds.

The parser itself has no limits: it reads a device for ever, and holds all that macros expand to.  So what a source
names is looked at before, file by file, and how long its macros get is added up without expanding them.
"""

from __future__ import annotations

import itertools
import re
import stat
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tensorlift.diagnostics import Location
from tensorlift.refusals import refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_SECONDS = 7.0  # for the parser
_MOST_TOKENS = 5_000_000  # that macros expand to
_MOST_BYTES = 16 << 20  # of a file that is included
_DIRECTIVE = re.compile(r"^[ \t]*(?:#|%:|\?\?=)[ \t]*(include|include_next|import|embed|define)\b(.*)$", re.MULTILINE)
_NAMED = re.compile(r'["<]([^">\n]+)[">]')
_DEFINED = re.compile(r"\s*([A-Za-z_]\w*)(\(([^()]*)\))?(.*)", re.DOTALL)
_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|[A-Za-z_]\w*|[^\sA-Za-z_]')
_FEW, _SHORT = 4, 100  # macros, and their tokens, whose expansions are short whatever they are


class _Size(NamedTuple):
    """How many tokens a macro expands to: so many, and so many for each token of its arguments."""

    own: int
    each: int


class _Macro(NamedTuple):
    parameters: frozenset[str] | None  # None: it takes none
    body: list[str]


def check_reading(text: str, filename: str, arguments: Sequence[str]) -> None:
    """Demand that what a parser would read is bounded.

    Raises:
        LiftError: TL102 for an include of what is no regular file, TL106 for files or macros that get too large.

    """
    folders = [Path(a[2:]) for a in arguments if a.startswith("-I") and len(a) > 2]  # noqa: PLR2004 - the flag itself
    named = [Path(b) for a, b in itertools.pairwise(arguments) if a == "-include"]
    macros: dict[str, list[_Macro]] = {}
    for define in (a[2:] for a in arguments if a.startswith("-D")):
        _define(define.replace("=", " ", 1), macros)
    seen: set[Path] = set()
    start = Location(filename, 1, 1)
    for name in named:
        _check_file(name, [Path(), *folders], start, seen, macros)
    texts = _check_text(text, Path(filename).parent, folders, filename, seen, macros)
    _check_macros(texts, macros, start)


def has_directives(text: str) -> bool:
    """Tell whether a text may hold directives of the preprocessor."""
    return "#" in text or "%:" in text or "??=" in text


def _check_text(  # noqa: PLR0913, PLR0917 - a text, where it stands, and what is found
    text: str, here: Path, folders: Sequence[Path], file: str, seen: set[Path], macros: dict[str, list[_Macro]]
) -> str:
    """Look at the directives of a text, and at the files that it includes; give it without directives."""
    if not has_directives(text):
        return text
    joined = text.replace("\\\r\n", "").replace("\\\n", "")
    for found in _DIRECTIVE.finditer(joined):
        place = Location(file, joined.count("\n", 0, found.start()) + 1, 1)
        if found[1] == "define":
            _define(found[2], macros)
        for name in _NAMED.findall(found[2]):
            _check_file(Path(name), [here, *folders], place, seen, macros, folders)
    return _DIRECTIVE.sub("", joined)


def _check_file(  # noqa: PLR0913, PLR0917 - a name, where it may stand, and what is found
    name: Path,
    places: Iterable[Path],
    place: Location,
    seen: set[Path],
    macros: dict[str, list[_Macro]],
    folders: Sequence[Path] = (),
) -> None:
    for folder in places:
        path = folder / name
        try:
            status = path.stat()
        except (OSError, ValueError):
            continue
        if stat.S_ISDIR(status.st_mode) or path in seen:
            continue
        seen.add(path)
        if not stat.S_ISREG(status.st_mode):
            raise refusal("header", place, f"'{name}' is no regular file")
        if status.st_size > _MOST_BYTES:
            raise refusal("too-large", place, f"'{name}' has more than {_MOST_BYTES} bytes")
        _check_text(path.read_text("utf-8", "replace"), path.parent, folders, str(path), seen, macros)


# -- macros


def _define(text: str, macros: dict[str, list[_Macro]]) -> None:
    match = _DEFINED.fullmatch(text)
    if match is not None:
        listed = (
            None
            if match[2] is None
            else frozenset(p.strip().replace("...", "__VA_ARGS__") for p in match[3].split(","))
        )
        macros.setdefault(match[1], []).append(_Macro(listed, _TOKEN.findall(match[4])))


def _check_macros(text: str, macros: dict[str, list[_Macro]], start: Location) -> None:
    """Add up what the macros of a text expand to; of several definitions, the longest counts."""
    listed = [macro for several in macros.values() for macro in several]
    longest = max((len(macro.body) for macro in listed), default=0)
    if len(macros) < _FEW and longest < _SHORT and all(macro.parameters is None for macro in listed):
        return
    sizes = _Sizes(macros)
    if sizes.of(_TOKEN.findall(text), frozenset()).own > _MOST_TOKENS:
        raise refusal("too-large", start, f"its macros expand to more than {_MOST_TOKENS} tokens")


class _Sizes:
    def __init__(self, macros: dict[str, list[_Macro]]) -> None:
        self.macros = macros
        self.known: dict[str, _Size] = {}
        self.active: set[str] = set()

    def macro(self, name: str) -> _Size:
        """Give the size of a macro; one inside of itself is not expanded."""
        if name not in self.known:
            self.active.add(name)
            found = [self.of(macro.body, macro.parameters or frozenset()) for macro in self.macros[name]]
            self.active.discard(name)
            self.known[name] = _Size(max(size.own for size in found), max(size.each for size in found))
        return self.known[name]

    def of(self, tokens: Sequence[str], parameters: frozenset[str]) -> _Size:
        """Give the size of tokens; those of arguments are counted together."""
        stack, pending = [_Size(0, 0)], list[_Size | None]()  # sizes of what is open, and the macros that opened it
        called: _Size | None = None
        for word in tokens:
            if word == "(":
                pending.append(called)
                stack.append(_Size(1, 0))
                called = None
                continue
            called = None
            if word == ")" and pending:
                inside, macro = stack.pop(), pending.pop()
                own, each = inside.own + 1, inside.each
                if macro is not None:
                    own, each = own * max(macro.each, 1), each * max(macro.each, 1)
                self._add(stack, own, each)
            elif word in parameters:
                self._add(stack, 0, 1)
            elif word in self.macros and word not in self.active:
                called = self.macro(word)
                self._add(stack, called.own, 0)
            else:
                self._add(stack, 1, 0)
        while pending:  # what is never closed
            inside, _ = stack.pop(), pending.pop()
            self._add(stack, inside.own, inside.each)
        return stack[0]

    @staticmethod
    def _add(stack: list[_Size], own: int, each: int) -> None:
        top = stack[-1]
        stack[-1] = _Size(min(top.own + own, 1 << 62), min(top.each + each, 1 << 62))


# -- time


def in_time(parse: Callable[[], Any], filename: str) -> Any:
    """Run the parser in a thread of its own, and give up on it after some seconds; raises ``LiftError`` TL106."""
    found: list[Any] = []
    fault: list[BaseException] = []

    def run() -> None:
        try:
            found.append(parse())
        except BaseException as error:  # noqa: BLE001 - raised again in the caller's thread
            fault.append(error)

    thread = threading.Thread(target=run, name="parser", daemon=True)
    thread.start()
    thread.join(_SECONDS)
    if thread.is_alive():
        raise refusal("too-large", Location(filename, 1, 1), f"the parser takes more than {_SECONDS:g} seconds")
    if fault:
        raise fault[0]
    return found[0]
