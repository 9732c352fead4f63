"""The magic of notebooks: ``%%lift`` lifts the C, C++, Fortran, Python or MLIR that its cell holds.

%%lift --to jax -O scale
void scale(int n, double s, double *a) { .. }
"""

from __future__ import annotations

import re
import shlex
from typing import Any

import click

from tensorlift.commands.options import complete_targets
from tensorlift.diagnostics import refuse
from tensorlift.lifted import Lifted, lift_text
from tensorlift.runtime.large_sizes import parse_sizes
from tensorlift.source import LANGUAGES, source_from_text

_SIGNS = {
    "mlir": re.compile(r"^\s*(func\.func|module|builtin\.module|#\w+ = affine|gpu\.func)\b|^#\w+ = ", re.MULTILINE),
    "fortran": re.compile(
        r"^\s*(?:(?:pure|elemental|recursive|integer|real|double\s+precision|logical)\b[^\n!=:]*)*"
        r"(?:subroutine|function|module|program)\s+\w+\s*(?:\(|!|$)",
        re.MULTILINE | re.IGNORECASE,
    ),
    "python": re.compile(r"^(def \w+\(|@\w|import |from \w+ import )", re.MULTILINE),
    "c++": re.compile(r"\bstd::|\btemplate\s*<|^#include <(vector|array|cmath|algorithm|span)>", re.MULTILINE),
}


def lift_cell(shell: Any, line: str, cell: str) -> Lifted | None:
    """Lift a cell with the options of a line; give the result, which a notebook shows, or bind it to a name."""
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise refuse("TL527", f"this is no line of options: {error}", remedy=_REMEDY) from None
    try:
        given = _LINE.make_context("%%lift", words).params if "--help" not in words else None
    except click.ClickException as error:
        raise refuse("TL527", f"%%lift: {error.format_message()}", remedy=_REMEDY) from None
    if given is None:
        click.echo(click.Context(_LINE, info_name="%%lift").get_help())
        return None
    name, language = given.pop("name"), given.pop("language")
    if name and not name.isidentifier():
        raise refuse("TL527", f"'{name}' is no name", remedy="give -O a name of Python")
    suffix = LANGUAGES[language or language_of(cell)][0]
    lifted = lift_text(source_from_text(cell, f"cell{suffix}"), **given)
    if name:
        shell.user_ns[name] = lifted
    return lifted


def language_of(text: str) -> str:
    """Guess the language of a text, C where nothing tells of another one."""
    return next((language for language, sign in _SIGNS.items() if sign.search(text)), "c")


def _sizes(_context: click.Context, _option: click.Parameter, texts: tuple[str, ...]) -> dict[str, int]:
    return parse_sizes(texts)


_REMEDY = "see %%lift --help"
_LINE = click.Command(
    "lift",
    help="Lift the functions of the cell.",
    add_help_option=False,
    params=[
        click.Option(["--to"], default="numpy", show_default=True, shell_complete=complete_targets, help="The target."),
        click.Option(["-O", "name"], metavar="NAME", help="Bind the result to this name, too."),
        click.Option(["--language"], type=click.Choice(list(LANGUAGES)), help="[default: what it looks like]"),
        click.Option(["--function"], metavar="F", multiple=True, help="Lift this function only (repeatable)."),
        click.Option(["-I", "include_dirs"], metavar="DIR", multiple=True, help="Look for headers here (repeatable)."),
        click.Option(["-D", "defines"], metavar="MACRO", multiple=True, help="Define NAME or NAME=VALUE (repeatable)."),
        click.Option(["--std"], metavar="STD", help="C standard, for example c99."),
        click.Option(["--sizes"], metavar="N=..", multiple=True, callback=_sizes, help="Of static shapes (stablehlo)."),
        click.Option(["--guards"], is_flag=True, help="Let the program check its arguments."),
        click.Option(["--test"], is_flag=True, help="Also run against the compiled source."),
    ],
)
