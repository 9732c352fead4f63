"""The language server: over functions their verdicts, refusals where they are, programs on hover and behind sources.

A document is lifted when it is opened or saved, and after a pause in its changes, by a process with limits; whatever
is asked for waits for that, and the server for nothing. A newer text ends the lift of an older one.
"""

from __future__ import annotations

import asyncio
import os
import re
from dataclasses import dataclass, field
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

from tensorlift import __version__
from tensorlift.diagnostics import LiftError
from tensorlift.serve.findings import findings
from tensorlift.serve.workers import Workers
from tensorlift.source import LANGUAGES, language_of, source_from_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pygls.workspace import TextDocument

_WORKERS = 2
_PAUSE = 0.4  # seconds without a change
_REMEDY = "split the file, or start the server with a longer --time-limit"
_IDS = {  # how editors call languages, where the file does not tell
    **{language: language for language in LANGUAGES},
    "cpp": "c++",
    "f90": "fortran",
    "FortranFreeForm": "fortran",
}
_SEVERITIES = {  # code that is refused is not wrong
    "error": lsp.DiagnosticSeverity.Information,
    "warning": lsp.DiagnosticSeverity.Warning,
    "note": lsp.DiagnosticSeverity.Hint,
}
_NOT_PARSED = {"TL101", "TL165", "TL190"}  # the code of each language, and with it what is an error in an editor
_ACTION = lsp.CodeActionKind.RefactorRewrite
_WORD = re.compile(r"\w+")


def serve(target: str, seconds: float, flags: Mapping[str, Any]) -> None:
    """Serve standard input and output until the editor ends it; a lift of a file may take so many seconds."""
    lifts = _Lifts(target, seconds, Workers(_WORKERS, flags, _REMEDY))
    written = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what anything else prints is no message
    try:
        lifts.server.start_io(stdout=written)
    finally:
        lifts.workers.kill()


@dataclass(frozen=True)
class _Lifted:
    """What was found out about a version of a document: its functions, as the worker tells of them."""

    lines: Sequence[str] = ()
    version: int | None = None
    functions: Sequence[Mapping[str, Any]] = ()

    def position(self, line: int, column: int) -> lsp.Position:
        """Give a place as the protocol has it: a line and a column in bytes from 1 on."""
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        return lsp.Position(
            line - 1, _units(text.encode("utf-8", "surrogatepass")[: column - 1].decode("utf-8", "ignore"))
        )

    def range(self, line: int, column: int) -> lsp.Range:
        """Give the word that starts at a place, or the character; the start of the document for what has no place."""
        if not line:
            return lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))
        start = self.position(line, column)
        rest = _after(self.lines[line - 1], start.character) if line <= len(self.lines) else ""
        word = _WORD.match(rest)
        return lsp.Range(start, lsp.Position(line - 1, start.character + _units(word[0] if word else rest[:1])))

    def at(self, place: lsp.Position) -> Iterator[tuple[lsp.Range, Mapping[str, Any]]]:
        """Give the functions that the word at a place names, with the word."""
        text = self.lines[place.line] if place.line < len(self.lines) else ""
        for word in _WORD.finditer(text):
            start, end = _units(text[: word.start()]), _units(text[: word.end()])
            if start <= place.character <= end:
                for one in self.functions:
                    if word[0] in _WORD.findall(one["name"])[-1:]:
                        yield lsp.Range(lsp.Position(place.line, start), lsp.Position(place.line, end)), one


@dataclass
class _Lifts:
    """The documents that are open, each with the lift of its text that runs or has ended."""

    target: str
    seconds: float
    workers: Workers
    server: LanguageServer = field(init=False)
    tasks: dict[str, asyncio.Task[_Lifted]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # Whole texts: lines are then counted as compilers count them, and not as pygls does.
        self.server = LanguageServer("tensorlift", __version__, text_document_sync_kind=lsp.TextDocumentSyncKind.Full)
        handlers: dict[str, Callable[..., Any]] = {
            lsp.INITIALIZE: self.initialize,
            lsp.INITIALIZED: self.initialized,
            lsp.SHUTDOWN: self.shutdown,
            lsp.TEXT_DOCUMENT_DID_OPEN: self.opened,
            lsp.TEXT_DOCUMENT_DID_SAVE: self.saved,
            lsp.TEXT_DOCUMENT_DID_CHANGE: self.changed,
            lsp.TEXT_DOCUMENT_DID_CLOSE: self.closed,
            lsp.TEXT_DOCUMENT_CODE_LENS: self.lenses,
            lsp.TEXT_DOCUMENT_HOVER: self.hover,
            lsp.TEXT_DOCUMENT_CODE_ACTION: self.actions,
        }
        options = {lsp.TEXT_DOCUMENT_CODE_ACTION: lsp.CodeActionOptions([_ACTION])}
        for name, handler in handlers.items():
            self.server.feature(name, options.get(name))(partial(handler))  # pygls writes on what it is given

    def initialize(self, params: lsp.InitializeParams) -> None:
        given = params.initialization_options
        if isinstance(given, dict) and given.get("target"):
            self.target = str(given["target"])

    async def initialized(self, _: lsp.InitializedParams) -> None:
        await self.workers.start()

    async def shutdown(self, _: None) -> None:
        for uri in list(self.tasks):
            self.forget(uri)
        await self.workers.stop()

    def opened(self, params: lsp.DidOpenTextDocumentParams) -> None:
        self.begin(params.text_document.uri, 0.0)

    def saved(self, params: lsp.DidSaveTextDocumentParams) -> None:
        self.begin(params.text_document.uri, 0.0)

    def changed(self, params: lsp.DidChangeTextDocumentParams) -> None:
        self.begin(params.text_document.uri, _PAUSE)

    def closed(self, params: lsp.DidCloseTextDocumentParams) -> None:
        self.forget(params.text_document.uri)
        self.publish(params.text_document.uri, None, [])

    def begin(self, uri: str, pause: float) -> None:
        """Lift a document after a pause, in place of an older text of it."""
        document = self.server.workspace.get_text_document(uri)
        name = _name(document)
        if name:
            self.forget(uri)
            self.tasks[uri] = asyncio.get_running_loop().create_task(self.lift(document, name, pause))

    def forget(self, uri: str) -> None:
        task = self.tasks.pop(uri, None)
        if task is not None:
            task.cancel()

    async def lift(self, document: TextDocument, name: str, pause: float) -> _Lifted:
        await asyncio.sleep(pause)
        source, version = source_from_text(document.source, name), document.version
        request = {"kind": "check", "source": source.text, "file": name, "target": self.target}
        try:
            found = await self.workers.ask(request, self.seconds)
        except LiftError as refusal:
            found = {"functions": [], "findings": findings(refusal.diagnostics, source)}
        lifted = _Lifted(source.lines, version, found["functions"])
        self.publish(document.uri, version, [_diagnostic(one, lifted) for one in found["findings"]])
        workspace = self.server.client_capabilities.workspace
        if workspace and workspace.code_lens and workspace.code_lens.refresh_support:
            self.server.workspace_code_lens_refresh(None)
        return lifted

    def publish(self, uri: str, version: int | None, found: list[lsp.Diagnostic]) -> None:
        self.server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, found, version))

    async def lifted(self, uri: str) -> _Lifted:
        """Wait for the lift of the newest text of a document."""
        while (task := self.tasks.get(uri)) is not None:
            await asyncio.wait([task])
            if self.tasks.get(uri) is task:
                return task.result()
        return _Lifted()

    async def lenses(self, params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
        lifted = await self.lifted(params.text_document.uri)
        return [
            lsp.CodeLens(lifted.range(one["line"], 1), command=lsp.Command(one["title"], ""))
            for one in lifted.functions
        ]

    async def hover(self, params: lsp.HoverParams) -> lsp.Hover | None:
        found = list((await self.lifted(params.text_document.uri)).at(params.position))
        if not found:
            return None
        document = self.server.client_capabilities.text_document
        formats = (document and document.hover and document.hover.content_format) or ()
        is_marked = lsp.MarkupKind.Markdown in formats
        text = "\n".join(_shown(one, is_marked=is_marked) for _, one in found)
        kind = lsp.MarkupKind.Markdown if is_marked else lsp.MarkupKind.PlainText
        return lsp.Hover(lsp.MarkupContent(kind, text), found[0][0])

    async def actions(self, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        """Offer to insert programs of the functions that the range touches."""
        only = params.context.only
        if only is not None and not any(one == _ACTION or _ACTION.startswith(f"{one}.") for one in only):
            return []
        uri = params.text_document.uri
        lifted = await self.lifted(uri)
        eol = "\r\n" if "\r\n" in self.server.workspace.get_text_document(uri).source else "\n"
        return [
            lsp.CodeAction(
                f"Insert lifted program of {one['name']}", _ACTION, edit=self.edit(uri, lifted, _edit(lifted, one, eol))
            )
            for one in lifted.functions
            if one["inserted"] and one["line"] <= params.range.end.line + 1 and params.range.start.line < one["end"]
        ]

    def edit(self, uri: str, lifted: _Lifted, edit: lsp.TextEdit) -> lsp.WorkspaceEdit:
        """Change a document, in this version alone where the editor can tell."""
        workspace = self.server.client_capabilities.workspace
        if workspace and workspace.workspace_edit and workspace.workspace_edit.document_changes:
            document = lsp.OptionalVersionedTextDocumentIdentifier(uri, lifted.version)
            return lsp.WorkspaceEdit(document_changes=[lsp.TextDocumentEdit(document, [edit])])
        return lsp.WorkspaceEdit(changes={uri: [edit]})


def _name(document: TextDocument) -> str:
    """Name a document so that its language is told, and what it includes is found beside it; '' for no language."""
    suffixes = {suffix for own in LANGUAGES.values() for suffix in own}
    if PurePath(document.path).suffix in suffixes:
        return document.path
    language = _IDS.get(document.language_id or "")
    if language is None:
        return ""
    is_so = language_of(document.path) == language
    return document.path if is_so else f"{document.path}{LANGUAGES[language][0]}"


def _diagnostic(found: Mapping[str, Any], lifted: _Lifted) -> lsp.Diagnostic:
    remedy = [f"help: {found['remedy']}"] if found["remedy"] else []
    message = "\n".join([found["message"], *remedy, *found["notes"]])
    place = lifted.range(found["line"], found["column"])
    severity = lsp.DiagnosticSeverity.Error if found["code"] in _NOT_PARSED else _SEVERITIES[found["severity"]]
    return lsp.Diagnostic(place, message, severity, found["code"], source="tensorlift")


def _shown(one: Mapping[str, Any], *, is_marked: bool) -> str:
    program = one["program"].rstrip("\n")
    told = "\n".join(one["said"])
    if not is_marked:
        return f"{program}\n\n{told}\n".lstrip("\n")
    return (f"```{one['language']}\n{program}\n```\n" if program else "") + f"```text\n{told}\n```\n"


def _edit(lifted: _Lifted, one: Mapping[str, Any], eol: str) -> lsp.TextEdit:
    """Put a program on lines of its own behind the last one of a function."""
    last = lifted.lines[one["end"] - 1]
    gap = 2 if one["language"] == "python" else 1
    text = eol * (gap + 1) + eol.join(one["inserted"].split("\n"))
    place = lsp.Position(one["end"] - 1, _units(last))
    return lsp.TextEdit(lsp.Range(place, place), text)


def _units(text: str) -> int:
    """Count a text as the protocol does, in units of UTF-16."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _after(text: str, units: int) -> str:
    return text.encode("utf-16-le", "surrogatepass")[2 * units :].decode("utf-16-le", "surrogatepass")
