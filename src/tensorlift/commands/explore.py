"""The command ``tensorlift explore``: a page of this machine alone, where sources lift as they are typed."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from tensorlift.commands.options import INTERNAL, OK, PATH, REFUSED, complain, source_options, target_option

if TYPE_CHECKING:
    from tensorlift.source import Source


@click.command(short_help="Open a page where sources lift as they are typed.")
@click.argument("file", type=PATH, required=False)
@target_option("Of the page of -o.")
@click.option(
    "-o", "--output", metavar="OUT.html", type=PATH, help="Write FILE with all views to this page, and serve nothing."
)
@click.option("--port", type=click.IntRange(min=0, max=65535), default=8421, show_default=True, help="0: any free one.")
@click.option("--allow-run", is_flag=True, help="Let the page run sources and programs, in processes with limits.")
@click.option("--open", "is_opened", is_flag=True, help="Open the page in a browser.")
@source_options
def explore(  # noqa: PLR0913 - one parameter for each option
    *,
    file: str | None,
    target: str,
    output: str | None,
    port: int,
    allow_run: bool,
    is_opened: bool,
    database: str | None,
    **flags: Any,
) -> int:
    """Serve a page of this machine alone: a source on the left, on the right what it lifts to, as it is typed.

    FILE is what it shows at first. Needs 'tensorlift[explore]'; the page of -o does not.

    Exit status: 0 it was ended, or the page is written; 1 some functions are refused; 2 the request is wrong.
    """
    from tensorlift.source import read_source

    if database:
        raise click.UsageError("-p goes with commands that read one file: give -I, -D, -include and --std")
    source = read_source(file) if file else None
    if output:
        if source is None:
            raise click.UsageError("-o takes a FILE")
        return _write(source, target, output, flags)
    return _serve(source, flags, port, runs=allow_run, is_opened=is_opened)


def _write(source: Source, target: str, output: str, flags: dict[str, Any]) -> int:
    from tensorlift.exploring import VIEWS, explored, options_of
    from tensorlift.report.explored_html import explored_page
    from tensorlift.report.output import check_outputs, write_output

    check_outputs(source.name, [output])
    shown = explored(source, options_of(target, "", **flags), VIEWS)
    write_output(output, explored_page(shown, source))
    return complain(shown.record.all_diagnostics, REFUSED, source)


def _serve(source: Source | None, flags: dict[str, Any], port: int, *, runs: bool, is_opened: bool) -> int:
    import secrets
    import socket

    from tensorlift.diagnostics import refuse

    try:
        import uvicorn

        from tensorlift.serve.explore import HOST, application
    except ImportError as error:
        message = f"explore needs {error.name}, which is not installed"
        raise refuse("TL662", message, remedy="install it: pip install 'tensorlift[explore]'") from None
    bound = socket.socket()
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((HOST, port))
        bound.listen()  # what asks early waits
    except OSError as error:
        message = f"cannot listen on port {port}: {(error.strerror or str(error)).lower()}"
        raise refuse("TL663", message, remedy="give another one, or --port 0 for any that is free") from None
    key = secrets.token_urlsafe() if runs else ""
    address = f"http://{HOST}:{bound.getsockname()[1]}/{f'?key={key}' if key else ''}"
    click.echo(f"{address} (end it with Ctrl+C)")
    if is_opened:
        click.launch(address)
    config = uvicorn.Config(
        application(flags, source, key),
        log_level="error",
        limit_concurrency=64,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=1,
        ws="none",
        server_header=False,
    )
    server = uvicorn.Server(config)
    with suppress(KeyboardInterrupt):  # Ctrl+C, when the server has ended by it
        server.run(sockets=[bound])
    return OK if server.started else INTERNAL
