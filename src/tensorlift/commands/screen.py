"""How commands show things: more or less of them, in colour or not, and after a second what they are doing."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock, Timer
from typing import TYPE_CHECKING, TextIO

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.status import Status

    from tensorlift.report.terminal import Screen

_SILENT_FOR = 1.0  # seconds


@dataclass(slots=True)
class Shown:
    """What the user wants to see; ``color`` is None where streams and the environment decide."""

    quiet: bool = False
    verbose: bool = False
    color: bool | None = None


shown = Shown()  # of the command that this process runs


def screen(stream: TextIO) -> Screen:
    """Return a stream as the user wants it, in colour or not."""
    from tensorlift.report.terminal import Screen

    return Screen(stream, color=shown.color, quiet=shown.quiet, verbose=shown.verbose)


def start_screen() -> None:
    """Forget what another command of this process was told."""
    shown.quiet, shown.verbose, shown.color = False, False, None


def _set_quiet(_context: click.Context, _option: click.Parameter, value: bool) -> None:  # noqa: FBT001 - click's form
    shown.quiet = value


def _set_verbose(_context: click.Context, _option: click.Parameter, value: bool) -> None:  # noqa: FBT001 - click's form
    shown.verbose = value


def _set_color(context: click.Context, _option: click.Parameter, value: str) -> None:
    context.color = shown.color = {"always": True, "never": False, "auto": None}[value]


_QUIET = click.option(
    "-q", "--quiet", is_flag=True, expose_value=False, callback=_set_quiet, help="Show results and errors alone."
)
_VERBOSE = click.option(
    "-v", "--verbose", is_flag=True, expose_value=False, callback=_set_verbose, help="Show times and engines too."
)
_COLOR = click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    show_default=True,
    expose_value=False,
    callback=_set_color,
    help="Use colours; auto: on terminals, and as NO_COLOR and FORCE_COLOR say.",
)


def with_screen_options(command: click.Command) -> None:
    """Let a command, or each of a group, take ``-q``, ``-v`` and ``--color``."""
    if isinstance(command, click.Group):
        for one in command.commands.values():
            with_screen_options(one)
        return
    for option in (_QUIET, _VERBOSE, _COLOR):
        command = option(command)


def _is_watched() -> bool:
    """Whether somebody sees what is being done, and wants to."""
    return sys.stderr.isatty() and not shown.quiet


@contextmanager
def progress_bar(total: int) -> Iterator[Callable[[], None]]:
    """Show on a terminal how many of some things are done; what is given is called for each of them."""
    if not _is_watched():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total)
        yield lambda: bar.advance(task)


@contextmanager
def progress() -> Iterator[None]:
    """Show on a terminal what is being done, once that takes more than a second."""
    if not _is_watched():
        yield
        return
    from tensorlift.progress import heard_by

    line = _Line()
    try:
        with heard_by(line.change):
            yield
    finally:
        line.end()


class _Line:
    """The last line of a terminal, which a thread of its own writes, from the end of the first second on."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._what = "working"
        self._status: Status | None = None
        self._has_ended = False
        self._timer = Timer(_SILENT_FOR, self._begin)
        self._timer.daemon = True
        self._timer.start()

    def change(self, what: str) -> None:
        with self._lock:
            self._what = what
            if self._status is not None:
                self._status.update(what)

    def end(self) -> None:
        self._timer.cancel()
        with self._lock:
            self._has_ended = True
            if self._status is not None:
                self._status.stop()

    def _begin(self) -> None:
        from rich.console import Console

        with self._lock:
            if not self._has_ended:
                self._status = Console(stderr=True).status(self._what)
                self._status.start()
