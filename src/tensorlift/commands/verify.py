"""`tensorlift verify`: certificates are decided again, bound to the report that they stand in and to their source.

A proof says that a program computes some definitions under some preconditions.  That these are those of a source is
found out by reading the source again.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from tensorlift.commands.options import OK, PATH, REFUSED, complain, lift_options, source_options

if TYPE_CHECKING:
    from tensorlift.commands.same_source import Reading
    from tensorlift.diagnostics import Diagnostic
    from tensorlift.pipeline import LiftOptions
    from tensorlift.proofs import Certificate
    from tensorlift.report.certificates import Claim
    from tensorlift.source import Source

_UNCOMPARED = (
    "not checked: that definitions and preconditions are those of the source, and what a report says beside them;"
    " '--source FILE' compares them"
)
_RAISED = "not checked: that definitions are those of nests of the source; 'tensorlift opt' proves them again"


@click.command(short_help="Decide a certificate again.")
@click.argument("certificate", type=PATH)
@click.option(
    "--source", "file", metavar="FILE", type=PATH, help="Read FILE again, and compare it with the certificate."
)
@source_options
def verify(certificate: str, file: str | None, **flags: Any) -> int:
    """Decide CERTIFICATE again, or each certificate of a JSON report, without any of the search.

    With --source, also compare what it is about: the digest of FILE, and what its functions mean and need when they
    are read again, with the -I, -D, -include and --std that they were lifted with; and decide whether the definitions
    are what they compute.

    Exit status: 0 all hold, 1 some do not, 2 the request is wrong, 3 an internal error.
    """
    from tensorlift import pipeline
    from tensorlift.proofs.certificate import MEMREF
    from tensorlift.report.certificates import read_claims
    from tensorlift.source import read_source

    if file is None and any(flags.values()):
        raise click.UsageError("-I, -D, -include, -p and --std go with --source")
    status, claims = OK, read_claims(certificate)
    source = read_source(file) if file is not None else None
    options = lift_options(file, (), "numpy", flags) if file is not None else None
    for claim in claims:
        diagnostics = claim.problems() or (pipeline.verify(claim.certificate) if claim.certificate else ())
        definitions = ""
        if not diagnostics and source is not None and options is not None:
            diagnostics, definitions = _compared(claim, source, options)
        click.echo(f"{claim.name}: {'does not hold' if diagnostics else 'holds'}{definitions}")
        status = max(status, complain(diagnostics, REFUSED))
    is_raised = any(claim.certificate is not None and claim.certificate.get("target") == MEMREF for claim in claims)
    if status == OK and source is None:
        click.echo(_UNCOMPARED)
    elif status == OK and is_raised:
        click.echo(_RAISED)
    return status


def _compared(claim: Claim, source: Source, options: LiftOptions) -> tuple[tuple[Diagnostic, ...], str]:
    """Say what keeps a certificate from being one of a source, and how far its definitions are known to be."""
    from tensorlift.deep import with_deep_stack
    from tensorlift.diagnostics import LiftError

    try:
        return (), with_deep_stack(partial(_compare, claim, source, options))
    except LiftError as failure:
        return failure.diagnostics, ""


def _compare(claim: Claim, source: Source, options: LiftOptions) -> str:
    """Demand that a certificate is one of a source: the same text, the same meaning, the same preconditions.

    Return how far it is known that the definitions are what the source computes.

    Raises:
        LiftError: where it is not.

    """
    from tensorlift.commands.same_source import reading_of
    from tensorlift.joined import cases_in
    from tensorlift.proofs.certificate import MEMREF, certificate_from_json
    from tensorlift.proofs.failure import CERTIFICATE, CheckFailure
    from tensorlift.record import Level

    cases = cases_in(claim.certificate or {})
    if cases:
        told = [_compare(replace(claim, certificate=its), source, replace(options, case=case)) for case, its in cases]
        return min(told, key=lambda one: one.endswith(Level.PROVED))
    certificate = certificate_from_json(claim.certificate or {})
    if certificate.source_digest != source.sha256:
        raise CheckFailure(CERTIFICATE, f"'{source.name}' is not the source that was lifted: its digest is another")
    if certificate.target == MEMREF:
        return ""  # nests have no names in a source: 'tensorlift opt' proves them again
    reading = reading_of(certificate, source, options)
    half = reading.half()
    if claim.function is not None and claim.function.get("definitions") == Level.PROVED != half.level:
        why = f"the report says that its definitions are proved, but {half.undecided}"
        raise CheckFailure(CERTIFICATE, why)
    if claim.function is not None and claim.function.get("adapter"):
        _check_adapter(claim.function["adapter"], reading, certificate)
    return f", its definitions {half.level}"


def _check_adapter(adapter: object, reading: Reading, certificate: Certificate) -> None:
    """Demand that an adapter is the one that belongs to a program."""
    from tensorlift.contract.adapter import adapter_of
    from tensorlift.interface import describe_parameters, emitted_names
    from tensorlift.proofs.failure import CERTIFICATE, CheckFailure

    view = reading.view
    parameters = describe_parameters(view, certificate.program)
    names = {emitted: name for name, emitted in emitted_names(view, parameters).items()}
    written = [name for name, _ in reading.summary.outputs]
    again = adapter_of(view, certificate.entry, [names[p.name] for p in parameters], written, reading.preconditions)
    if adapter != again:
        raise CheckFailure(CERTIFICATE, "the report has another adapter than the one of its program")
