"""The page of ``tensorlift explore``: whom it answers, that nothing stops it, and in a browser all that it does."""

from __future__ import annotations

import asyncio
import http.client
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.shared import is_exhaustive

from tensorlift.cli import main
from tensorlift.diagnostics import LiftError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, BrowserContext, Page

_SCALE = "void scale(int n, double s, double *a) {\n    for (int i = 0; i < n; i++)\n        a[i] = s * a[i];\n}\n"
_REFUSED = """struct item { double value; struct item *next; };
double total(struct item *at) {
    double sum = 0;
    for (; at; at = at->next)
        sum += at->value;
    return sum;
}
"""


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve a file of one function; give the address that is printed."""
    folder = tmp_path_factory.mktemp("explore")
    (folder / "scale.c").write_text(_SCALE, encoding="utf-8")
    command = [sys.executable, "-m", "tensorlift", "explore", "scale.c", "--port", "0", "--allow-run"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().partition(" ")[0]
        process.terminate()


@pytest.fixture(scope="module")
def address(opened: str) -> tuple[str, int]:
    """Give the host and the port."""
    found = re.match(r"http://(127\.0\.0\.1):(\d+)/", opened)
    assert found
    return found[1], int(found[2])


def _asked(address: tuple[str, int], path: str, body: Any = None, **headers: str) -> tuple[int, str]:
    """Ask as a browser does, where nothing else is said."""
    host = f"{address[0]}:{address[1]}"
    connection = http.client.HTTPConnection(*address, timeout=30)
    sent = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    given = {"Host": host} | ({} if body is None else {"Origin": f"http://{host}"}) | headers
    connection.request("GET" if body is None else "POST", path, sent, {k: v for k, v in given.items() if v})
    reply = connection.getresponse()
    return reply.status, reply.read().decode()


def _lifted(address: tuple[str, int], **request: Any) -> dict[str, Any]:
    status, text = _asked(address, "/lift", request)
    assert status == 200
    found: dict[str, Any] = json.loads(text)
    return found


def test_only_the_page_itself_is_answered(address: tuple[str, int]) -> None:
    assert _asked(address, "/")[0] == 200
    assert _asked(address, "/", Host="localhost:1")[0] == 200  # a port that is forwarded
    assert _asked(address, "/", Host="evil.example")[0] == 403
    assert _asked(address, "/", Host="127.0.0.1.evil.example:80")[0] == 403
    assert _asked(address, "/editor.js", Origin="http://evil.example")[0] == 403
    assert _asked(address, "/lift", {}, Origin="http://localhost:1")[0] == 403
    assert _asked(address, "/lift", {}, Origin="null")[0] == 403
    assert _asked(address, "/lift", {}, Origin="")[0] == 403
    assert _asked(address, "/worker.py")[0] == 404
    assert _asked(address, "/lift")[0] == 405


def test_no_page_loads_anything_from_elsewhere(address: tuple[str, int]) -> None:
    page = _asked(address, "/")[1]
    assert re.findall(r"(?:src|href)=\"([^\"]*)\"", page) == ["/page.js", "/editor.js", "/explore.js"]
    assert "default-src 'none'; style-src 'unsafe-inline'; connect-src 'self'; script-src 'self'" in page
    licence = Path(__file__).parents[2] / "src" / "tensorlift" / "serve" / "editor.LICENSE.txt"
    assert "@codemirror/view 6." in licence.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        (b"", "TL661"),
        (b"[" * 100_000, "TL661"),
        (b"\xff", "TL661"),
        (b" " * (1 << 18) + b"{}", "TL661"),
        ({"source": "void f(", "language": "c"}, "TL101"),
        ({"source": "def f(:", "language": "python"}, "TL165"),
        ({"source": "\0\0", "language": "cpp"}, "TL103"),
        ({"source": "func.func @", "language": "mlir"}, "TL104"),
        ({"source": "(" * 50_000, "language": "c"}, "TL101"),
        ({"source": "", "language": "c"}, "TL104"),
        ({"source": _SCALE, "target": "nunpy"}, "TL502"),
        ({"source": _SCALE, "sizes": "n"}, "TL631"),
        ({"source": _SCALE, "engine": "guess"}, "TL661"),
        ({"source": 3, "target": [], "sizes": {}, "view": 7, "function": {}, "guards": "x"}, "TL502"),
    ],
)
def test_what_is_wrong_is_told(address: tuple[str, int], request_: Any, code: str) -> None:
    status, text = _asked(address, "/lift", request_)
    assert status == 200
    found = json.loads(text)
    assert found["verdict"] == "refused"
    assert found["findings"][0]["code"] == code
    assert _lifted(address, source=_SCALE)["verdict"] == "loop-free"


def test_refusals_stand_at_their_lines_with_the_edit(address: tuple[str, int]) -> None:
    (finding,) = _lifted(address, source=_REFUSED)["findings"]
    assert (finding["line"], finding["severity"]) == (4, "error")
    assert finding["remedy"]


def test_what_runs_is_asked_for_with_the_key(address: tuple[str, int], opened: str) -> None:
    request: dict[str, Any] = {"source": _SCALE, "function": "scale", "sizes": "m=3"}
    for key in ("", "x", None, 3):
        assert json.loads(_asked(address, "/run", {**request, "key": key})[1])["findings"][0]["code"] == "TL664"
    assert "tab-run" not in _asked(address, "/")[1]
    assert "tab-run" not in _asked(address, "/?key=x")[1]
    request["key"] = opened.partition("?key=")[2]
    assert json.loads(_asked(address, "/run", request)[1])["findings"][0]["code"] == "TL631"
    if is_exhaustive():
        ran = json.loads(_asked(address, "/run", {**request, "sizes": "n=1000"})[1])
        assert "loop-free, proved, agrees" in ran["html"]


def test_what_takes_too_long_or_crashes_is_replaced() -> None:
    from tensorlift.serve.workers import Workers  # noqa: PLC0415 - only where it is installed

    async def ask() -> list[str]:
        workers = Workers(1, {})
        await workers.start()
        codes = []
        try:
            for source, seconds in ((_SCALE, 0.0), (_SCALE, 60.0), ("", 60.0)):
                if not source:
                    (process,) = workers._all
                    process.kill()
                try:
                    await workers.ask({"source": source}, seconds)
                    codes.append("answered")
                except LiftError as error:
                    codes.append(error.diagnostics[0].code)
        finally:
            await workers.stop()
        return codes

    assert asyncio.run(ask()) == ["TL660", "answered", "TL660"]


def test_a_port_that_is_taken_is_told(address: tuple[str, int], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explore", "--port", str(address[1])]) == 2
    assert "TL663" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["none.c"], "TL501"),
        (["-o", "page.html"], "-o takes a FILE"),
        (["-p", "compile_commands.json"], "-p goes with commands that read one file"),
        (["f.c", "-o", "page.html", "--to", "nunpy"], "TL502"),
        ([], "pip install 'tensorlift[explore]'"),
    ],
)
def test_wrong_requests_are_told(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    Path("f.c").write_text(_SCALE, encoding="utf-8")
    assert main(["explore", *arguments]) == 2
    assert said in capsys.readouterr().err


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Start Debian's Chromium."""
    playwright = pytest.importorskip("playwright.sync_api")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("there is no chromium")
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def context(browser: Browser, address: tuple[str, int]) -> Iterator[BrowserContext]:
    """Watch all pages: nothing that they do asks elsewhere, or is an error."""
    url = f"http://{address[0]}:{address[1]}/"
    made = browser.new_context(viewport={"width": 1300, "height": 800})
    made.grant_permissions(["clipboard-read", "clipboard-write"])
    asked: list[str] = []
    wrong: list[str] = []

    def watch(page: Page) -> None:
        page.set_default_timeout(15_000)
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: wrong.append(message.text) if message.type in {"error", "warning"} else None)

    made.on("page", watch)
    yield made
    assert wrong == []
    assert [one for one in asked if not one.startswith((url, "blob:"))] == []
    made.close()


@pytest.fixture
def tab(context: BrowserContext, opened: str) -> Iterator[Page]:
    """Open the page; close all that a test opens."""
    page = context.new_page()
    page.goto(opened)
    _shows(page, "scale: loop-free")
    yield page
    for page in context.pages:
        page.close()


def _shows(page: Page, expected: str) -> None:
    """Wait for a verdict, as "name: verdict"."""
    name, _, verdict = expected.partition(": ")
    page.locator("h2:visible", has_text=name).locator(f".verdict.{verdict}").wait_for()


def _types(page: Page, text: str) -> None:
    page.get_by_label("Source", exact=True).last.click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(text)


def test_it_lifts_as_one_types(tab: Page) -> None:
    tab.locator(".cm-line", has_text="a[i] = s").click()
    tab.keyboard.press("End")
    tab.keyboard.press("ArrowLeft")
    tab.keyboard.type(" + 1")
    tab.locator(".program .code", has_text="return s * a + 1.0").wait_for()
    assert re.fullmatch(r"loop-free, lifted in \d+ ms, shown after \d+ ms", tab.get_by_role("status").inner_text())
    tab.locator(".program .code > span", has_text="return").hover()
    assert tab.locator(".cm-line.lit").all_inner_texts() == [
        "    for (int i = 0; i < n; i++)",
        "        a[i] = s * a[i] + 1;",
    ]
    tab.locator(".cm-line").nth(2).hover()
    assert "return s * a" in tab.locator(".program .lit").inner_text()


def test_choices_switch_in_place(tab: Page) -> None:
    _types(tab, _SCALE)
    tab.get_by_label("Target").select_option("jax")
    tab.locator(".program .code", has_text="import jax").or_(
        tab.locator(".program .code", has_text="jnp")
    ).first.wait_for()
    tab.get_by_label("Target").select_option("stablehlo")
    tab.locator(".program .code", has_text="stablehlo.multiply").wait_for()
    tab.get_by_label("Sizes").fill("n=7")
    tab.locator(".program .code", has_text="tensor<7xf64>").wait_for()
    tab.get_by_label("Sizes").fill("n=")
    tab.get_by_text("'n=' is no size").first.wait_for()
    tab.get_by_label("Sizes").fill("")
    tab.get_by_label("Target").select_option("numpy")
    tab.get_by_label("Open").select_option("gauss seidel")
    _shows(tab, "gauss_seidel: hybrid")
    tab.get_by_label("Guards").check()
    tab.locator(".program .code", has_text="raise ValueError").wait_for()
    tab.get_by_label("Open").select_option("gemm")
    _shows(tab, "gemm: loop-free")
    assert tab.get_by_label("Language").input_value() == "mlir"


def test_views_are_tabs_that_keys_reach(tab: Page) -> None:
    tab.get_by_role("tab", name="Program").focus()
    shown = {
        "Definitions": "a_1(i) = s * a(i)",
        "IR": "cf.cond_br",
        "Derivation": "before iteration i",
        "Certificate": '"certificate": 2',
        "Cost": "Expected of a call",
        "Run": "Run and time scale",
    }
    for title, text in shown.items():
        tab.keyboard.press("ArrowRight")
        assert tab.locator("[role=tab]:focus").inner_text() == title
        tab.get_by_role("tabpanel").get_by_text(text).first.wait_for()
    tab.get_by_role("tab", name="IR").click()
    tab.get_by_label("IR", exact=True).last.wait_for()
    tab.locator("[data-stages]").select_option("loops")
    tab.locator("[data-stage=loops]", has_text="affine.for").wait_for()
    tab.locator(".cm-line", has_text="for (int i").hover()
    assert "affine.for" in tab.locator("[data-stage=loops] .lit").first.inner_text()


def test_refusals_stand_under_the_line(tab: Page) -> None:
    _types(tab, _REFUSED)
    finding = tab.locator(".finding")
    finding.wait_for()
    assert "TL" in finding.inner_text()
    assert "edit: " in finding.inner_text()
    line = tab.locator(".cm-line", has_text="at->next").bounding_box()
    below = finding.bounding_box()
    assert line
    assert below
    assert 0 <= below["y"] - line["y"] - line["height"] < line["height"]


def test_a_link_holds_the_state(tab: Page) -> None:
    _types(tab, _SCALE.replace("s * a[i]", "s - a[i]"))
    tab.get_by_label("Target").select_option("torch")
    tab.get_by_role("tab", name="Definitions").click()
    tab.get_by_text("s - a(i)").wait_for()
    tab.get_by_role("button", name="Copy link").click()
    tab.get_by_role("button", name="Copied").wait_for()
    other = tab.context.new_page()
    other.goto(tab.evaluate("navigator.clipboard.readText()"))
    other.get_by_text("s - a(i)").wait_for()
    assert other.get_by_label("Target").input_value() == "torch"
    other.goto(other.url[: len(other.url) // 2])
    _types(tab, _SCALE)
    tab.get_by_text("s * a(i)").wait_for()
    assert other.get_by_text("s * a(i)").count() == 0


def test_quick_edits_in_two_tabs_end_with_the_last(tab: Page) -> None:
    other = tab.context.new_page()
    other.goto(tab.url.partition("#")[0])
    _shows(other, "scale: loop-free")
    for page, number in ((tab, 2), (other, 3)):
        page.locator(".cm-line", has_text="a[i] = s").click()
        page.keyboard.press("End")
        page.keyboard.press("ArrowLeft")
        page.keyboard.type(f" * {number}")
    for k in range(50):
        tab.keyboard.press("Backspace")
        tab.keyboard.type(str(k % 10))
    tab.locator(".program .code", has_text="9.0").wait_for()
    other.locator(".program .code", has_text="3.0").wait_for()


def test_the_page_can_be_kept(tab: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with tab.expect_download() as waiting:
        tab.get_by_role("button", name="Export").click()
    kept = tmp_path / "kept.html"
    waiting.value.save_as(kept)
    monkeypatch.chdir(tmp_path)
    Path("scale.c").write_text(_SCALE, encoding="utf-8")
    assert main(["explore", "scale.c", "-o", "written.html"]) == 0
    assert Path("written.html").read_bytes() == kept.read_bytes()
    page = tab.context.new_page()
    page.set_content(kept.read_text(encoding="utf-8"))
    page.get_by_role("tab", name="IR").click()
    assert "cf.cond_br" in page.get_by_role("tabpanel").inner_text()
    page.locator("[data-stages]").select_option("loops")
    assert "affine.for" in page.get_by_role("tabpanel").inner_text()
    page.locator(".source .code > span").nth(2).hover()
    assert page.locator("[data-stage=loops] .lit").count() > 0


def test_sources_are_no_markup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("f.c").write_text("/* </script><script>x</script> */\n" + _SCALE, encoding="utf-8")
    for name in ("one.html", "other.html"):
        assert main(["explore", "f.c", "-o", name]) == 0
    assert Path("one.html").read_bytes() == Path("other.html").read_bytes()
    assert Path("one.html").read_text(encoding="utf-8").count("</script>") == 1
