"""The page of ``tensorlift explore``, and what it asks for: lifts of the text that is typed, runs, a page to keep.

It is for the one who started it: it binds to loopback, answers only under names of that, so that no other site reaches
it through a browser, and takes requests from its own page alone.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from contextlib import asynccontextmanager
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from tensorlift.diagnostics import LiftError, refuse
from tensorlift.exploring import ENGINES, FILES, targets
from tensorlift.report.explored_html import TITLES, explore_page
from tensorlift.report.html import as_script_data, resource
from tensorlift.report.program import source_language
from tensorlift.serve.worker import refused
from tensorlift.serve.workers import Workers
from tensorlift.source import read_source, source_from_text

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Mapping

    from starlette.requests import Request
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from tensorlift.source import Source

HOST = "127.0.0.1"
_NAMES = {HOST, "localhost"}
_WORKERS = 2
_MOST_BYTES = 1 << 18  # of a request
_RECEIVING = 10.0  # seconds
_SECONDS = {"lift": 10.0, "export": 30.0, "run": 60.0}
_LANGUAGES = {"c": "C", "cpp": "C++", "fortran": "Fortran", "python": "Python", "mlir": "MLIR"}
_FOLDER = Path(__file__).parent
_HEADERS = {
    "Content-Security-Policy": "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",  # the page has the rest
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def application(flags: Mapping[str, Any], source: Source | None = None, key: str = "") -> ASGIApp:
    """Make the application: ``flags`` are those that sources are read with, ``source`` is what is shown at first.

    With a ``key``, the page that is asked for with it lets sources be run.
    """
    workers = Workers(_WORKERS, flags)
    pages = {runs: _page(source, key if runs else "") for runs in (False, True)}
    scripts = {f"/{name}": _script(name) for name in ("page.js", "editor.js", "explore.js")}

    def is_key(found: object) -> bool:
        return bool(key) and secrets.compare_digest(str(found).encode(), key.encode())

    async def show(request: Request) -> Response:
        return HTMLResponse(pages[is_key(request.query_params.get("key"))])

    async def script(request: Request) -> Response:
        return Response(scripts[request.url.path], media_type="text/javascript")

    async def answer(request: Request) -> Response:
        kind = request.url.path[1:]
        try:
            asked = await _asked(request)
            if kind == "run" and not is_key(asked.get("key")):
                raise refuse("TL664", "nothing is run here", remedy="open the address that --allow-run prints")
            return JSONResponse(await workers.ask({**asked, "kind": kind, "limit": _SECONDS[kind]}, _SECONDS[kind]))
        except LiftError as refusal:
            return JSONResponse(refused(refusal.diagnostics, source_from_text("")))

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        await workers.start()
        try:
            yield
        finally:
            await workers.stop()

    routes = [Route("/", show), *(Route(path, script) for path in scripts)]
    routes += [Route(f"/{kind}", answer, methods=["POST"]) for kind in _SECONDS]
    return _Guarded(Starlette(routes=routes, lifespan=lifespan))


async def _asked(request: Request) -> dict[str, Any]:
    """Read what is asked for; raises LiftError TL661 for anything that the page does not send."""
    data = b""
    try:
        async with asyncio.timeout(_RECEIVING):
            async for part in request.stream():
                data += part
                if len(data) > _MOST_BYTES:
                    raise refuse("TL661", f"the source has more than {_MOST_BYTES} bytes", remedy="give less of it")
        asked = json.loads(data)
    except (ValueError, RecursionError, TimeoutError):
        asked = None
    if not isinstance(asked, dict):
        raise refuse("TL661", "the request is no JSON object", remedy="ask by the page")
    return asked


class _Guarded:
    """Turns away what does not come from the page: other names of this host, other origins; and adds headers."""

    def __init__(self, inner: ASGIApp) -> None:
        self._inner = inner

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._inner(scope, receive, send)
            return
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        wrong = _refusal(scope["method"], headers)
        inner = PlainTextResponse(wrong, 403) if wrong else self._inner
        await inner(scope, receive, send_with_headers)


def _refusal(method: str, headers: Mapping[bytes, str]) -> str:
    """Say why a request is turned away, if it is."""
    host = headers.get(b"host", "")
    if host.rpartition(":")[0] not in _NAMES and host not in _NAMES:
        return "this page is served under the names 127.0.0.1 and localhost only"
    if headers.get(b"origin", f"http://{host}") != f"http://{host}" or (method == "POST" and b"origin" not in headers):
        return "requests are taken from the page itself only"
    return ""


def _script(name: str) -> str:
    return resource(name) if name == "page.js" else (_FOLDER / name).read_text(encoding="utf-8")


def _page(source: Source | None, key: str) -> str:
    examples = _examples()
    first = examples[0] if source is None else _opened(source, source.name)
    data = {"examples": examples, "first": first, "file": source.name if source else "", "key": key}
    parts = {
        "title": "tensorlift explore",
        "controls": _controls(examples),
        "source": "",
        "status": "",
        "scripts": f'<script type="application/json" id="data">{as_script_data(data)}</script>\n'
        + "".join(f'<script src="/{name}.js"></script>\n' for name in ("page", "editor", "explore")),
        "policy": "connect-src 'self'; script-src 'self'",
    }
    return explore_page(parts, {"run": _RUN} if key else {}, {**TITLES, "run": "Run"} if key else TITLES)


_RUN = '<div class="view run"><p class="faint" id="ran">Runs in a process with limits, beside the original.</p></div>'


def _controls(examples: Iterable[Mapping[str, str]]) -> str:
    opened = "".join(f'<option value="{k}">{escape(one["title"])}</option>' for k, one in enumerate(examples))
    return f"""<label>Open <select id="example"><option value="">an example</option>{opened}</select></label>
<label>Language {_choice("language", _LANGUAGES)}</label>
<label>Target {_choice("target", {name: name for name in targets()})}</label>
<label>Sizes <input type="text" id="sizes" placeholder="n=100, m=200" autocomplete="off" spellcheck="false"></label>
<label>Engine {_choice("engine", {name: name for name in ENGINES})}</label>
<label><input type="checkbox" id="guards"> Guards</label>
<button type="button" id="link" class="push">Copy link</button>
<button type="button" id="export">Export</button>"""


def _choice(name: str, values: Mapping[str, str]) -> str:
    options = "".join(f'<option value="{escape(value)}">{escape(title)}</option>' for value, title in values.items())
    return f'<select id="{name}">{options}</select>'


def _examples() -> list[dict[str, str]]:
    """Give the examples, one of each kind first, by their names."""
    folder = _FOLDER / "examples"  # in an installed package; in a clone they stand at its root
    folder = folder if folder.is_dir() else _FOLDER.parents[2] / "examples"
    return [_opened(read_source(str(folder / name)), name.partition(".")[0].replace("_", " ")) for name in _EXAMPLES]


_EXAMPLES = (
    "covariance.c",
    "softmax_rows.c",
    "prefix_sum.c",
    "gauss_seidel.c",
    "heat.c",
    "blur.c",
    "conv2d.c",
    "keep_positive.c",
    "attention.cpp",
    "heat.f90",
    "distances.py",
    "gemm.mlir",
    "sum_of_list.c",
)


def _opened(source: Source, title: str) -> dict[str, str]:
    language = source_language(source.name)
    assert language in FILES
    return {"title": title, "language": language, "source": source.text}
