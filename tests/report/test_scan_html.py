"""The page of a scan: what it holds, and in a browser that it sorts, filters, and shows sources beside programs."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tensorlift.cli import main

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Page

_SOURCES = {
    "code/<i>&.c": "/* </script><script>document.title = 'wrong'</script> */\n"
    "int puts(const char *);\n"
    'void says(int n, int *a) { for (int i = 0; i < n; i++) { puts("</script><!-- <b>"); a[i] = 1; } }\n',
    "code/b.c": "static double half(double v) { return v / 2; }\n"
    "void halves(int n, double *a) {\n"
    "    for (int i = 0; i < n; i++)\n"
    "        a[i] = half(a[i]);\n"
    "    for (int i = 1; i < n; i++)\n"
    "        a[i] = a[i] * a[i - 1] - a[i - 1] * a[i - 1];\n"
    "}\n",
    "code/c.py": "def total(x: list[float]):\n    s = 0.0\n    for v in x:\n        s += v\n    return s\n",
    "code/d.c": "void broken( {",
}


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Scan sources that hold markup."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("page"))
        for name, text in _SOURCES.items():
            Path(name).parent.mkdir(exist_ok=True)
            Path(name).write_text(text, encoding="utf-8")
        assert main(["scan", "code", "-o", "r.jsonl", "--html", "page.html", "--no-times"]) == 0
        yield Path("page.html").resolve()


def test_the_same_record_gives_the_same_page(page_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(page_file.parent)
    assert main(["scan", "code", "-o", "r.jsonl", "--html", "again.html", "--no-times"]) == 0
    assert Path("again.html").read_bytes() == page_file.read_bytes()


def test_what_sources_hold_is_no_markup(page_file: Path) -> None:
    text = page_file.read_text(encoding="utf-8")
    assert text.count("</script>") == 2  # those of the page
    assert "<b>" not in text.split("<body>")[1].replace("<li><b>", "").replace("<p><b>", "")
    assert "code/&lt;i&gt;&amp;.c" in text
    assert "://" not in text.split("<main>")[0]


@pytest.fixture(scope="module")
def page(page_file: Path) -> Iterator[Page]:
    """Open the page in Debian's Chromium."""
    playwright = pytest.importorskip("playwright.sync_api")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("there is no chromium")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        opened = browser.new_page()
        opened.set_default_timeout(10_000)
        asked: list[str] = []
        wrong: list[str] = []
        opened.on("request", lambda request: asked.append(request.url))
        opened.on("pageerror", lambda error: wrong.append(str(error)))
        opened.goto(page_file.as_uri())
        yield opened
        assert (asked, wrong, opened.title()) == ([page_file.as_uri()], [], "tensorlift scan")
        browser.close()


def _shown(page: Page) -> list[str]:
    return page.locator("tr.function:visible td:first-child").all_inner_texts()


def test_a_browser_sorts_filters_and_shows_sources_beside_programs(page: Page) -> None:
    assert _shown(page) == ["says", "whole file", "halves", "total", "half"]
    page.get_by_role("button", name="Lines").click()
    page.get_by_role("button", name="Lines").click()
    assert _shown(page)[:2] == ["halves", "total"]
    assert page.locator("th[aria-sort=descending]").inner_text() == "Lines"
    page.get_by_label("Verdict").select_option("refused")
    assert set(_shown(page)) == {"says", "whole file"}
    page.get_by_label("Text").fill("SAYS puts")
    assert _shown(page) == ["says"]
    assert page.get_by_role("status").inner_text() == "1 of 5 shown"
    page.get_by_role("button", name="says").click()
    assert '"</script><!-- <b>"' in page.locator("tr.detail pre").inner_text()
    assert "What must change" in page.locator("tr.detail").inner_text()
    page.get_by_label("Text").fill("")
    page.get_by_label("Verdict").select_option("")
    page.locator("#cause").select_option("depends on cells that earlier iterations wrote")
    assert _shown(page) == ["halves"]
    page.locator("#cause").select_option("")
    page.get_by_role("button", name="halves").click()
    source, program = page.locator("tr.detail").nth(0).locator("pre").all()
    source.locator("> span").nth(2).hover()
    assert [one.strip() for one in program.locator(".lit").all_inner_texts()] == ["n = a.shape[0]", "a = a / 2.0"]
    source.locator("> span").nth(4).focus()
    assert any("a[i2] = " in one for one in program.locator(".lit").all_inner_texts())
