"""The command ``tensorlift completion``: what a shell needs in order to complete command lines."""

from __future__ import annotations

import click

from tensorlift.commands.options import OK


@click.command(short_help="Let a shell complete command lines.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> int:
    """Print a script that lets a SHELL complete commands, options, targets and files.

    In bash and zsh: eval "$(tensorlift completion bash)"; in fish: tensorlift completion fish | source.

    Exit status: 0.
    """
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell)
    assert found is not None
    root = click.get_current_context().find_root()
    click.echo(found(root.command, {}, "tensorlift", "_TENSORLIFT_COMPLETE").source())
    return OK
