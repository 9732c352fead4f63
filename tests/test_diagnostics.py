"""docs/diagnostics.md lists every diagnostic code, as the code states it; ``pytest --update`` refreshes it."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeGuard

import pytest

import tensorlift

_PACKAGE = Path(tensorlift.__file__).parent
_CODE = re.compile(r"TL\d{3}")
_CONSTANT = re.compile(r'^[A-Z_]+ = "(?P<code>TL\d{3})"  # (?P<meaning>.+)$', re.MULTILINE)
_BUILDERS = {"Diagnostic": 3, "Refusal": 2, "refuse": 3}  # the position of the remedy
_GROUPS = {
    1: "Front ends",
    2: "Summarising",
    3: "Synthesis",
    4: "Proofs",
    5: "Requests",
    6: "Running",
    9: "Internal errors",
}
_HEAD = "<!-- generated from the sources: refresh with pytest --update -->\n"
HOLE = "…"


class Stated(NamedTuple):
    """A code as some call states it; holes stand for what is only known when it is raised."""

    code: str
    message: str
    remedy: str
    file: str


@cache
def all_stated() -> list[Stated]:
    found = []
    for path in sorted(_PACKAGE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if _CODE.search(text):
            found += _read_file(text, str(path.relative_to(_PACKAGE)))
    return sorted(set(found))


def _read_file(text: str, file: str) -> list[Stated]:
    tree = ast.parse(text)
    found = [
        Stated(row["code"], row["meaning"], HOLE, file) for row in _CONSTANT.finditer(text)
    ]  # a table of codes; where they are raised says what helps
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    owner = {node: function for function in functions for node in ast.walk(function)}  # inner ones come later and win
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in _BUILDERS:
            found += _read_call(call, (owner.get(call, tree), tree), file)
    return found


def _read_call(call: ast.Call, scopes: tuple[ast.AST, ...], file: str) -> list[Stated]:
    """Read the code, message and remedy out of a call; nothing where the code is not literal."""
    assert isinstance(call.func, ast.Name)
    code = call.args[0] if call.args else None
    if not isinstance(code, ast.Constant) or not _CODE.fullmatch(str(code.value)):
        return []
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    at = _BUILDERS[call.func.id]
    remedy = named.get("remedy") or (call.args[at] if len(call.args) > at else ast.Constant(""))
    return [Stated(str(code.value), _text(call.args[1], scopes), _text(remedy, scopes), file)]


def _text(node: ast.expr, scopes: tuple[ast.AST, ...]) -> str:
    """Give the text of a literal, or of the last one assigned to a name above in the innermost scope; else a hole."""
    if isinstance(node, ast.Constant):
        return re.sub(r"\{\w+\}", HOLE, str(node.value))
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part, scopes) if isinstance(part, ast.Constant) else HOLE for part in node.values)
    if isinstance(node, ast.Name):
        for scope in scopes:
            nodes = scope.body if isinstance(scope, ast.Module) else ast.walk(scope)
            above = [assign for assign in nodes if _assigns(assign, node)]
            if above:
                return _text(max(above, key=lambda assign: assign.lineno).value, scopes)
    return HOLE


def _assigns(node: ast.AST, name: ast.Name) -> TypeGuard[ast.Assign]:
    """Tell whether a node assigns to the name, above it."""
    return (
        isinstance(node, ast.Assign)
        and node.lineno < name.lineno
        and any(isinstance(target, ast.Name) and target.id == name.id for target in node.targets)
    )


def _page() -> str:
    lines = []
    for number, title in _GROUPS.items():
        rows = [stated for stated in all_stated() if stated.code.startswith(f"TL{number}")]
        if rows:
            lines += [f"\n## TL{number}xx: {title}\n", "| code | what is wrong | what helps |", "|---|---|---|"]
            lines += [f"| {row.code} | {_cell(row.message)} | {_cell(row.remedy)} |" for row in rows]
    return _HEAD + "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return "*as the case is*" if text == HOLE else text.replace("|", "\\|")


def test_the_reference_lists_what_the_sources_state(root: Path, update: bool) -> None:  # noqa: FBT001 - a fixture
    path = root / "docs" / "diagnostics.md"
    text = path.read_text(encoding="utf-8")
    introduction = text.split(_HEAD)[0]
    if update:
        path.write_text(introduction + _page(), encoding="utf-8")
    assert path.read_text(encoding="utf-8") == introduction + _page()


def test_each_code_stated_anywhere_is_listed() -> None:
    """A code that is built in a way that the reader above does not know would be missing from the reference."""
    texts = [path.read_text(encoding="utf-8") for path in _PACKAGE.rglob("*.py")]
    trees = [ast.parse(text) for text in texts if _CODE.search(text)]
    strings = [node.value for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    assert {str(s) for s in strings if _CODE.fullmatch(str(s))} == {stated.code for stated in all_stated()}


def test_a_code_belongs_to_one_room() -> None:
    rooms = defaultdict(set)
    for stated in all_stated():
        if stated.file != "refusals.py":  # the table beside the rooms, which several of them take rows of
            rooms[stated.code].add(Path(stated.file).parts[0])
    assert {code: sorted(where) for code, where in rooms.items() if len(where) > 1} == {}


def test_errors_say_what_helps() -> None:
    assert [stated for stated in all_stated() if not stated.remedy or not stated.message] == []


@pytest.mark.parametrize(
    ("text", "message", "remedy"),
    [
        ("refuse('TL201', 'no', None, 'do')", "no", "do"),
        ("refuse('TL201', f'no {x} here', remedy='do')", "no … here", "do"),
        ("Refusal('TL201', 'no {detail}', 'do')", "no …", "do"),
        ("Diagnostic('TL201', words())", "…", ""),
        ("R = 'do'\ndef f():\n  m = 'no'\n  refuse('TL201', m, None, R)", "no", "do"),
        ("def f():\n  m = 'other'\ndef g(m):\n  refuse('TL201', m, None, 'do')", "…", "do"),
        ('UNEQUAL = "TL201"  # not equal', "not equal", "…"),
    ],
)
def test_sources_are_read(text: str, message: str, remedy: str) -> None:
    assert _read_file(text, "a.py") == [Stated("TL201", message, remedy, "a.py")]
