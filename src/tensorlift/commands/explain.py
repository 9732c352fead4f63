"""The command ``tensorlift explain``: why the lift of each function is right, step by step."""

from __future__ import annotations

from typing import Any

import click

from tensorlift.commands.options import (
    OK,
    PATH,
    REFUSED,
    case_option,
    complain,
    language_option,
    lift_options,
    others_option,
    source_options,
    target_option,
)
from tensorlift.commands.screen import progress


@click.command(short_help="Say why a lift is right, step by step.")
@click.argument("file", type=PATH)
@others_option
@click.option("--function", "functions", metavar="F", multiple=True, help="Explain this function only (repeatable).")
@target_option()
@click.option(
    "-o", "--output", metavar="OUT", type=PATH, help="Write to this file: HTML where its name ends so, else text."
)
@language_option
@case_option
@source_options
def explain(  # noqa: PLR0913 - one parameter for each option
    *,
    file: str,
    others: tuple[str, ...],
    functions: tuple[str, ...],
    target: str,
    output: str | None,
    language: str | None,
    **flags: Any,
) -> int:
    """Lift the functions of FILE ('-': standard input), and say why each result is right.

    Shown are what holds before each iteration of each loop of the source, the definitions that the loops become, with
    their places, what the lines of the program leave in its variables, what its operations mean, how that was decided,
    and what is asked of the arguments.

    Exit status: 0 all functions lifted, 1 some refused, 2 the request is wrong, 3 an internal error.
    """
    from tensorlift.report.output import check_outputs, write_output
    from tensorlift.source import read_source

    check_outputs(file, [output] if output else [])
    source = read_source(file, language)
    for other in others:
        read_source(other)  # says what is wrong with it
    options = lift_options(file, functions, target, flags, others)
    from tensorlift.commands.prepare import check_cases
    from tensorlift.derivation import derivations
    from tensorlift.report.derivation import derivation_html, derivation_text

    with progress():
        record, found = derivations(source, options)
    for function in record.functions:
        check_cases(function)
    if output:
        is_html = output.endswith(".html")
        write_output(output, derivation_html(source, found) if is_html else "\n".join(map(derivation_text, found)))
    else:
        click.echo("\n".join(map(derivation_text, found)), nl=False)
    refusals = [d for function in record.functions if not function.lifted for d in function.diagnostics]
    return max(OK, complain((*record.diagnostics, *refusals), REFUSED, source))
