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
_FULL = 1 << 62
_FEW, _SHORT = 4, 100  # macros, and their tokens, whose expansions are short whatever they are


class _Size(NamedTuple):
    """How many tokens something expands to: so many, and so many for each token of each argument of its macro."""

    own: int = 0
    uses: tuple[int, ...] = ()

    def plus(self, other: _Size, times: int = 1) -> _Size:
        """Add another size, several times."""
        own, uses = min(self.own + times * other.own, _FULL), self.uses
        if other.uses:
            pairs = itertools.zip_longest(uses, other.uses, fillvalue=0)
            uses = tuple(min(mine + times * one, _FULL) for mine, one in pairs)
        return _Size(own, uses)


class _Macro(NamedTuple):
    parameters: tuple[str, ...] | None  # None: it takes none
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
            None if match[2] is None else tuple(p.strip().replace("...", "__VA_ARGS__") for p in match[3].split(","))
        )
        macros.setdefault(match[1], []).append(_Macro(listed, _TOKEN.findall(match[4])))


def _check_macros(text: str, macros: dict[str, list[_Macro]], start: Location) -> None:
    """Add up what the macros of a text expand to; of several definitions, the longest counts."""
    listed = [macro for several in macros.values() for macro in several]
    longest = max((len(macro.body) for macro in listed), default=0)
    if len(macros) < _FEW and longest < _SHORT and all(macro.parameters is None for macro in listed):
        return
    sizes = _Sizes(macros)
    if sizes.of(_TOKEN.findall(text)).own > _MOST_TOKENS:
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
            found = [self.of(macro.body, macro.parameters or ()) for macro in self.macros[name]]
            self.active.discard(name)
            uses = itertools.zip_longest(*(size.uses for size in found), fillvalue=0)
            self.known[name] = _Size(max(size.own for size in found), tuple(map(max, uses)))
        return self.known[name]

    def of(self, tokens: Sequence[str], parameters: Sequence[str] = ()) -> _Size:
        """Give the size of tokens; what is open is a list of arguments, of one where no macro is called."""
        stack, pending = [[_Size()]], list[_Size | None]()  # the sizes of what is open, and the macros that opened it
        positions = {name: number for number, name in enumerate(parameters)}
        called: _Size | None = None
        plain = 0  # tokens that are not added yet
        for word in tokens:
            if word in "(),":
                self._add(stack, _Size(plain))
                plain = 0
            if word == "(":
                pending.append(called)
                stack.append([_Size()])
            elif word == ")" and pending:
                self._close(stack, pending)
            elif word == "," and pending and pending[-1] is not None:
                stack[-1].append(_Size())
            elif word in positions:
                self._add(stack, _Size(0, (0,) * positions[word] + (1,)))
            elif word in self.macros and word not in self.active:
                called = self.macro(word)
                self._add(stack, _Size(called.own))
                continue
            else:
                plain += 1
            called = None
        self._add(stack, _Size(plain))
        while pending:  # what is never closed
            self._close(stack, pending)
        return stack[0][0]

    def _close(self, stack: list[list[_Size]], pending: list[_Size | None]) -> None:
        """Add what was open to what is around it, each argument as often as the macro has it."""
        arguments, macro = stack.pop(), pending.pop()
        self._add(stack, _Size(2))
        for number, argument in enumerate(arguments):
            uses = (0,) if macro is None else macro.uses[number : number + 1] or macro.uses[-1:]
            self._add(stack, argument, max(1, *uses, 0))

    @staticmethod
    def _add(stack: list[list[_Size]], size: _Size, times: int = 1) -> None:
        stack[-1][-1] = stack[-1][-1].plus(size, times)


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
