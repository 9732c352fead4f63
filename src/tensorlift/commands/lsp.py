"""The command ``tensorlift lsp``: the language server, for editors."""

from __future__ import annotations

from typing import Any

import click

from tensorlift.commands.options import OK, source_options, target_option


@click.command(short_help="Serve an editor: verdicts, refusals and programs beside sources.")
@target_option("Of programs, unless the editor names one.")
@click.option(
    "--time-limit",
    "seconds",
    metavar="SECONDS",
    type=click.FloatRange(min=0, min_open=True),
    default=60.0,
    show_default=True,
    help="End the lift of a file after this time.",
)
@click.option("--stdio", is_flag=True, expose_value=False, hidden=True)  # which some editors add by themselves
@source_options
def lsp(*, target: str, seconds: float, **flags: Any) -> int:
    """Serve an editor over standard input and output, by the Language Server Protocol.

    Editors start it. Needs 'tensorlift[lsp]'.

    Exit status: 0 the editor ended it; 2 the request is wrong.
    """
    from tensorlift.diagnostics import refuse

    try:
        from tensorlift.serve.lsp import serve
    except ImportError as error:
        message = f"lsp needs {error.name}, which is not installed"
        raise refuse("TL662", message, remedy="install it: pip install 'tensorlift[lsp]'") from None
    serve(target, seconds, flags)
    return OK
