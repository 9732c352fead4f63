"""What the documents show is what the commands print; ``pytest --update`` refreshes it.

A shown output stands in a fenced block under a comment ``<!-- output of: COMMAND -->``; COMMAND runs in the repository,
in this process.  Fenced ``python`` blocks without such a comment are executed, as the cells of a notebook are.
"""

from __future__ import annotations

import linecache
import os
import re
import shlex
from importlib.util import find_spec
from pathlib import Path

import pytest

from tensorlift.cli import commands, main

_ROOT = Path(__file__).parent.parent
_DOCUMENTS = sorted([*_ROOT.glob("*.md"), *(_ROOT / "docs").rglob("*.md")])
_OUTPUT = re.compile(
    r"(?P<head><!-- output of: (?P<command>[^\n]+) -->\n```\w*\n)(?P<body>.*?)(?P<foot>^```$)", re.MULTILINE | re.DOTALL
)
_PYTHON = re.compile(r"(?<!-->\n)^```python\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\((?!https?:)(?P<path>[^)#]+)")


def _id(document: Path) -> str:
    return str(document.relative_to(_ROOT))


def _output(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Run a ``tensorlift`` command in this process; give what it prints, complaints last."""
    program, *arguments = shlex.split(command)
    assert program == "tensorlift"
    main(arguments)
    return "".join(capsys.readouterr())


def _showing(pattern: re.Pattern[str]) -> list[Path]:
    return [document for document in _DOCUMENTS if pattern.search(document.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("document", _showing(_OUTPUT), ids=_id)
def test_shown_output_is_true(
    document: Path,
    update: bool,  # noqa: FBT001 - a fixture
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(_ROOT)
    text = document.read_text(encoding="utf-8")
    expected = _OUTPUT.sub(lambda shown: shown["head"] + _output(shown["command"], capsys) + shown["foot"], text)
    assert "TL900" not in expected
    if update:
        document.write_text(expected, encoding="utf-8")
    assert document.read_text(encoding="utf-8") == expected


@pytest.mark.parametrize("document", _showing(_PYTHON), ids=_id)
def test_python_examples_run(document: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(_ROOT)
    for number, example in enumerate(_PYTHON.finditer(document.read_text(encoding="utf-8"))):
        text, name = example["body"], f"<{document.name}, example {number}>"
        if "import jax" in text and find_spec("jax") is None:
            continue
        monkeypatch.setitem(linecache.cache, name, (len(text), None, text.splitlines(keepends=True), name))
        exec(compile(text, name, "exec"), {})


@pytest.mark.parametrize("document", _DOCUMENTS, ids=_id)
def test_links_lead_somewhere(document: Path) -> None:
    targets = [link["path"] for link in _LINK.finditer(document.read_text(encoding="utf-8"))]
    assert [target for target in targets if not (document.parent / target).exists()] == []


def test_the_readme_has_one_line_to_lift_and_one_to_test() -> None:
    """Continuous integration runs exactly these lines."""
    lines = [
        line
        for line in (_ROOT / "README.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("python3 -m venv")
    ]
    assert [("tensorlift lift examples/" in line, "pytest" in line) for line in lines] == [(True, False), (False, True)]
    assert all(Path(_ROOT, word).is_file() for line in lines for word in line.split() if word.startswith("examples/"))


def test_the_readme_names_every_command() -> None:
    text = (_ROOT / "README.md").read_text(encoding="utf-8")
    assert [name for name in commands.commands if f"tensorlift {name}" not in text] == []


def test_ci_can_be_run() -> None:
    assert os.access(_ROOT / ".ci" / "run", os.X_OK)
