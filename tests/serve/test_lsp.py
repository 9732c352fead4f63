"""The language server, over its protocol: what an editor is told of a source, what it inserts, and of which text."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

from tensorlift.cli import main
from tensorlift.record import FunctionRecord, Level, Verdict
from tensorlift.serve.inserted import insertion
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Json: TypeAlias = Any

_SCALE = """/* é😀 */ void scale(int n, double s, double *a) {
    for (int i = 0; i < n; i++)
        a[i] = s * a[i];
}
"""
_REFUSED = """struct item { double value; struct item *next; };
double total(struct item *at) {
    double sum = 0;
    for (; at; /* 😀 */ at = at->next)
        sum += at->value;
    return sum;
}
"""
_PYTHON = """import numpy as np


def double(a: np.ndarray) -> None:
    for i in range(len(a)):
        a[i] = 2 * a[i]
"""
_HOPELESS = "void f(int n) {" + "for (int i = 0; i < n; i++) {" * 3  # no function yet, as one types


class _Editor:
    """A client on the real command."""

    def __init__(self, *arguments: str, cwd: Path, **capabilities: Json) -> None:
        pytest.importorskip("pygls", reason="pygls is not installed")
        command = [sys.executable, "-m", "tensorlift", "lsp", *arguments]
        self.process = subprocess.Popen(
            command, cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.folder, self.count = cwd, 0
        self.told: list[Json] = []
        self.capabilities = capabilities

    def start(self, **options: Json) -> Json:
        given = {"processId": None, "rootUri": None, "capabilities": self.capabilities}
        answer = self.ask("initialize", **given, initializationOptions=options)
        self.tell("initialized")
        return answer["capabilities"]

    def tell(self, method: str, **params: Json) -> None:
        self._send({"method": method, "params": params})

    def ask(self, method: str, **params: Json) -> Json:
        self.count += 1
        self._send({"id": self.count, "method": method, **({"params": params} if params else {})})
        return self._read(lambda one: one.get("id") == self.count and "method" not in one)["result"]

    def open(self, name: str, text: str, language: str) -> str:
        uri = (self.folder / name).as_uri()
        document = {"uri": uri, "languageId": language, "version": 1, "text": text}
        self.tell("textDocument/didOpen", textDocument=document)
        return uri

    def change(self, uri: str, version: int, text: str) -> None:
        document = {"uri": uri, "version": version}
        self.tell("textDocument/didChange", textDocument=document, contentChanges=[{"text": text}])

    def diagnostics(self, uri: str) -> Json:
        """Wait for the next diagnostics of a document."""

        def is_told(one: Json) -> bool:
            return bool(one.get("method") == "textDocument/publishDiagnostics" and one["params"]["uri"] == uri)

        early = next(filter(is_told, self.told), None)
        if early is not None:
            self.told.remove(early)
        return (early or self._read(is_told))["params"]

    def lenses(self, uri: str) -> list[tuple[int, str]]:
        found = self.ask("textDocument/codeLens", textDocument={"uri": uri})
        return [(one["range"]["start"]["line"], one["command"]["title"]) for one in found]

    def hover(self, uri: str, line: int, character: int) -> Json:
        return self.ask(
            "textDocument/hover", textDocument={"uri": uri}, position={"line": line, "character": character}
        )

    def actions(self, uri: str, line: int, **context: Json) -> Json:
        place = {"line": line, "character": 0}
        return self.ask(
            "textDocument/codeAction",
            textDocument={"uri": uri},
            range={"start": place, "end": place},
            context={"diagnostics": [], **context},
        )

    def end(self) -> int:
        self.ask("shutdown")
        self.tell("exit")
        return self.process.wait(20)

    def _send(self, message: Json) -> None:
        assert self.process.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self.process.stdin.flush()

    def _read(self, is_wanted: Callable[[Json], bool]) -> Json:
        assert self.process.stdout is not None
        while True:
            size = 0
            while head := self.process.stdout.readline().strip():
                name, _, value = head.partition(b":")
                size = int(value) if name.lower() == b"content-length" else size
            assert size, "the server has ended"
            message = json.loads(self.process.stdout.read(size))
            if is_wanted(message):
                return message
            self.told.append(message)


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Editor]:
    """Start a server for NumPy, whose editor shows Markdown."""
    hover = {"hover": {"contentFormat": ["markdown", "plaintext"]}}
    opened = _Editor(cwd=tmp_path_factory.mktemp("lsp"), textDocument=hover)
    opened.start()
    yield opened
    opened.process.kill()
    opened.process.wait()


def _applied(text: str, edit: Json) -> str:
    """Apply an edit that only inserts, as an editor does."""
    place = edit["range"]["start"]
    assert edit["range"]["end"] == place
    lines = text.split("\n")
    line = lines[place["line"]].encode("utf-16-le")
    at = 2 * place["character"]
    lines[place["line"]] = (line[:at] + edit["newText"].encode("utf-16-le") + line[at:]).decode("utf-16-le")
    return "\n".join(lines)


def test_a_function_that_lifts_has_a_lens_and_shows_its_program(editor: _Editor) -> None:
    uri = editor.open("scale.c", _SCALE, "c")
    assert editor.diagnostics(uri) == {"uri": uri, "diagnostics": [], "version": 1}
    assert editor.lenses(uri) == [(0, "loop-free, proved for every size")]
    name = _SCALE.index("scale") + 1
    shown = editor.hover(uri, 0, name + 2)
    assert shown["range"] == {
        "start": {"line": 0, "character": name},
        "end": {"line": 0, "character": name + len("scale")},
    }
    value = shown["contents"]["value"]
    assert value.startswith("```python\nimport numpy as np\n\n\ndef scale(s, a):\n    return s * a\n```\n")
    assert "scale: loop-free, proved for every size, over the reals" in value
    assert editor.hover(uri, 2, 10) is None
    assert editor.actions(uri, 0) == []  # Python is not for a file in C


def test_a_refusal_stands_at_its_place_with_its_help(editor: _Editor) -> None:
    uri = editor.open("total.c", _REFUSED, "c")
    (found,) = editor.diagnostics(uri)["diagnostics"]
    start = len("    for (; at; /* 😀 */ at = at->") + 1  # an emoji is two units
    assert found == {
        "range": {"start": {"line": 3, "character": start}, "end": {"line": 3, "character": start + 4}},
        "severity": 3,
        "code": "TL140",
        "source": "tensorlift",
        "message": "the member `next` points to another structure\nhelp: pass the structures in an array",
    }
    assert editor.lenses(uri) == [(1, "refused [TL140]")]
    editor.tell("textDocument/didClose", textDocument={"uri": uri})
    assert editor.diagnostics(uri)["diagnostics"] == []
    assert editor.lenses(uri) == []


def test_the_program_is_inserted_behind_its_function(editor: _Editor) -> None:
    uri = editor.open("double.py", _PYTHON, "python")
    assert editor.actions(uri, 4, only=["source.organizeImports"]) == []
    assert editor.actions(uri, 1) == []
    (action,) = editor.actions(uri, 4, only=["refactor"])
    assert action["title"] == "Insert lifted program of double"
    (edit,) = action["edit"]["changes"][uri]
    text = _applied(_PYTHON, edit)
    assert text == _PYTHON + "\n\ndef double_lifted(a):\n    return 2.0 * a\n"
    editor.change(uri, 2, text)
    assert editor.lenses(uri)[0][0] == 3
    assert editor.actions(uri, 4)[0]["edit"]["changes"][uri][0]["newText"].startswith("\n\n\ndef double_lifted_(a):")


@pytest.mark.parametrize(
    ("more", "is_offered"),
    [
        ("", True),
        ("np = None\n", False),
        ("import cupy as np\n", False),
        ("from math import *\n", False),
        ("def len(x):\n    return 0\n", False),
        ("a = 0\n", True),
        ("def cube(np):\n    return np\n", True),
    ],
)
def test_a_program_whose_names_mean_another_thing_in_python_is_not_offered(more: str, *, is_offered: bool) -> None:
    program = "import numpy as np\n\n\ndef double(a):\n    return np.add(a, a) * len(a)\n"
    offered = "def double_lifted(a):\n    return np.add(a, a) * len(a)" if is_offered else ""
    assert _inserted("double.py", _PYTHON + more, "numpy", program) == offered


@pytest.mark.parametrize(
    ("more", "is_offered"),
    [
        ("", True),
        ("static double fabs(double x)\n{\n  return -x;\n}\n", False),
        ("#  define k 3\n", False),
        ("double other(int I) { return I; }\n", False),
        ("double other(double k) { return fabs(k); }\n", True),
    ],
)
def test_a_program_whose_names_mean_another_thing_in_c_is_not_offered(more: str, *, is_offered: bool) -> None:
    program = "#include <cblas.h>\n\ndouble double_(double k)\n{\n  return fabs(k) + double_(k);\n}\n"
    text = f"{more}double double_(double k) {{ return fabs(k); }}\n"
    offered = program.replace("double_(double", "double__lifted(double").strip() if is_offered else ""
    assert _inserted("f.c", text, "c", program, "double_") == offered


def _inserted(file: str, text: str, target: str, program: str, name: str = "double") -> str:
    proved = FunctionRecord(name, Verdict.LOOP_FREE, level=Level.PROVED, target=target, program=program)
    return insertion(proved, source_from_text(text, file))


def test_only_the_newest_text_is_told_of(editor: _Editor) -> None:
    uri = editor.open("typed.c", _SCALE, "c")
    for version in range(2, 6):
        editor.change(uri, version, _HOPELESS + " " * version)
    editor.change(uri, 6, _SCALE.replace("scale", "other"))
    assert editor.lenses(uri) == [(0, "loop-free, proved for every size")]
    told = [editor.diagnostics(uri)]
    while told[-1]["version"] != 6:
        told.append(editor.diagnostics(uri))
    assert {one["version"] for one in told} <= {1, 6}
    assert editor.hover(uri, 0, _SCALE.index("scale") + 2)["contents"]["value"].count("other") == 2
    editor.change(uri, 7, _HOPELESS)
    found = editor.diagnostics(uri)["diagnostics"][0]
    assert (found["code"], found["severity"]) == ("TL101", 1)
    assert editor.lenses(uri) == []


def test_languages_are_told_by_the_file_or_by_the_editor(editor: _Editor) -> None:
    with_template = "template <class T> void twice(int n, T *a) { for (int i = 0; i < n; i++) a[i] *= 2; }\n"
    with_template += "template void twice<double>(int, double *);\n"
    uri = editor.open("twice.h", with_template, "cpp")
    assert [title for _, title in editor.lenses(uri)] == ["loop-free, proved for every size"]
    assert editor.lenses(editor.open("notes.txt", _SCALE, "plaintext")) == []


def test_what_the_editor_asks_for_in_c_compiles(tmp_path: Path) -> None:
    edits = {"workspaceEdit": {"documentChanges": True}, "codeLens": {"refreshSupport": True}}
    editor = _Editor("--stdio", cwd=tmp_path, workspace=edits)
    capabilities = editor.start(target="c")
    assert capabilities["textDocumentSync"]["save"]
    text = _SCALE.replace("scale", "pow_of").replace("\n", "\r\n")
    uri = editor.open("pow.c", text, "c")
    (action,) = editor.actions(uri, 1)
    (change,) = action["edit"]["documentChanges"]
    assert change["textDocument"] == {"uri": uri, "version": 1}
    (edit,) = change["edits"]
    assert edit["range"]["start"] == {"line": 3, "character": 1}
    assert "\n" not in edit["newText"].replace("\r\n", "")
    (tmp_path / "pow.c").write_text(_applied(text.replace("\r\n", "\n"), edit).replace("\r\n", "\n"), encoding="utf-8")
    written = (tmp_path / "pow.c").read_text(encoding="utf-8")
    assert "static void pow_of_lifted(ptrdiff_t n, double s, double a[restrict n])" in written
    subprocess.run(["cc", "-fsyntax-only", "pow.c"], cwd=tmp_path, check=True)
    twice = "typedef struct { int n; double *a; } row;\n"
    twice += "void clear(row *r) { for (int i = 0; i < r->n; i++) r->a[i] = 0; }\n"
    uri = editor.open("row.c", twice, "c")
    assert editor.lenses(uri)[0][1].startswith("loop-free, proved")
    assert editor.actions(uri, 1) == []  # the structure would be declared twice
    assert any(one.get("method") == "workspace/codeLens/refresh" for one in editor.told)
    assert editor.end() == 0


def test_a_lift_that_takes_too_long_is_ended_and_told(tmp_path: Path) -> None:
    editor = _Editor("--time-limit", "0.001", cwd=tmp_path)
    editor.start()
    uri = editor.open("scale.c", _SCALE, "c")
    (found,) = editor.diagnostics(uri)["diagnostics"]
    assert found["code"] == "TL660"
    assert found["message"].endswith("help: split the file, or start the server with a longer --time-limit")
    pid = editor.process.pid
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()
    assert len(children) == 2
    assert editor.process.stdin is not None
    editor.process.stdin.close()  # the editor has crashed
    editor.process.wait(20)
    deadline = time.monotonic() + 10
    while any(map(_is_alive, children)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(_is_alive, children))


def _is_alive(process: str) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_without_pygls_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "pygls.lsp.server", None)
    monkeypatch.delitem(sys.modules, "tensorlift.serve.lsp", raising=False)
    assert main(["lsp"]) == 2
    assert "pip install 'tensorlift[lsp]'" in capsys.readouterr().err
