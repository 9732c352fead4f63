"""Cells of ``%%lift``: their language, their options, and what is told of wrong ones."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

import tensorlift
from tensorlift import Lifted, LiftError
from tensorlift.magics import language_of

_C = "void scale(int n, double s, double *a) { for (int i = 0; i < n; i++) a[i] = s * a[i]; }\n"


class _Shell:
    """What is used of IPython."""

    def __init__(self) -> None:
        self.user_ns: dict[str, Any] = {}
        self.magics: dict[str, Any] = {}

    def register_magic_function(self, function: Any, kind: str, name: str) -> None:
        assert kind == "cell"
        self.magics[name] = function


@pytest.fixture
def shell() -> _Shell:
    """Load the extension."""
    made = _Shell()
    tensorlift.load_ipython_extension(made)
    return made


def test_a_cell_is_lifted_shown_and_bound(shell: _Shell) -> None:
    found = shell.magics["lift"]("--to jax -O scale", _C)
    assert isinstance(found, Lifted)
    assert found is shell.user_ns["scale"]
    assert found.record.target == "jax"
    assert "raise ValueError" in shell.magics["lift"]("--guards", _C).source
    assert 'class="verdict loop-free"' in found._repr_html_()
    assert "<span class=f>scale</span>(<span class=t>int</span> n" in found._repr_html_()


def test_refusals_are_shown_not_raised(shell: _Shell) -> None:
    shown = shell.magics["lift"]("", "void f(")._repr_html_()
    assert "TL101" in shown
    assert "cell.c:1" in shown
    assert repr(shell.magics["lift"]("", "void f(")) == "<Lifted cell.c to numpy: refused>"


@pytest.mark.parametrize(
    ("line", "code", "text"),
    [
        ("--frob", "TL527", "No such option"),
        ("'", "TL527", "No closing quotation"),
        ("-O 1x", "TL527", "'1x' is no name"),
        ("--language cobol", "TL527", "'cobol' is not one of"),
        ("--to nunpy", "TL502", "there is no target"),
        ("--sizes n", "TL631", "'n' is no size"),
        ("--function g", "TL105", "there is no function `g`"),
    ],
)
def test_wrong_lines_are_told_without_what_lies_below(shell: _Shell, line: str, code: str, text: str) -> None:
    with pytest.raises(LiftError, match=text) as error:
        shell.magics["lift"](line, _C)
    assert error.value.diagnostics[0].code == code
    assert error.value._render_traceback_() == str(error.value).split("\n")


def test_options_are_listed(shell: _Shell, capsys: pytest.CaptureFixture[str]) -> None:
    assert shell.magics["lift"]("--help", "") is None
    assert "-O NAME" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (_C, "c"),
        ("#include <math.h>\nint f(void) { return 1; }", "c"),
        ("double f(const std::vector<double> &x) {}", "c++"),
        ("template <typename T> T f(T x) { return x; }", "c++"),
        ("pure real function f(x)\n", "fortran"),
        ("! a comment\nModule m\ncontains\n", "fortran"),
        ("import numpy as np\n\ndef f(x): pass", "python"),
        ("@lift\ndef f(x): pass", "python"),
        ("  func.func @f() {", "mlir"),
        ("#map = affine_map<(d0) -> (d0)>\nmodule {}", "mlir"),
    ],
)
def test_what_a_cell_holds_tells_its_language(text: str, language: str) -> None:
    assert language_of(text) == language


def test_only_a_text_that_gives_the_code_is_taken_for_a_timed_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    from tensorlift.frontends.python.live import _timed_text  # noqa: PLC0415 - the piece that is tested

    body = "def f(x):\n    return x + 1\n"
    namespace: dict[str, Any] = {}
    exec(compile(body, "<timed exec>", "exec"), namespace)
    cells = ["%%time\ndef f(x):\n    return x + 2\n", f"%%time\n{body}", f"%%timeit\n{body}", f"%%time\n{body} (", body]
    history = SimpleNamespace(input_hist_raw=cells)
    shell = SimpleNamespace(history_manager=history, transform_cell=lambda text: text)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    assert _timed_text(namespace["f"].__code__) == body
    cells[1:3] = []
    assert _timed_text(namespace["f"].__code__) == ""


@pytest.mark.parametrize("magic", ["%%time", "%%timeit -n 1 -r 2 -q"])
def test_functions_that_are_defined_in_timed_cells_lift(magic: str, monkeypatch: pytest.MonkeyPatch) -> None:
    interactiveshell = pytest.importorskip("IPython.core.interactiveshell")
    config = pytest.importorskip("traitlets.config").Config(HistoryManager={"enabled": False})
    for hook in ("displayhook", "excepthook"):
        monkeypatch.setattr(sys, hook, getattr(sys, hook))
    shell = interactiveshell.InteractiveShell.instance(config=config)
    body = "@lift(cache=False)\ndef f(x):\n    return np.exp(x).sum() * k\ny.append((f(np.ones(3)), f.verdict))\n"
    try:
        for cell in ("import numpy as np\nfrom tensorlift import lift\ny = []", f"{magic}\nk = 2.0\n{body}", "y"):
            found = shell.run_cell(cell, store_history=True)
            assert found.success, found.error_in_exec
    finally:
        interactiveshell.InteractiveShell.clear_instance()
    assert {verdict for _, verdict in found.result} == {"loop-free"}
    assert found.result[0][0] == pytest.approx(16.3097)
