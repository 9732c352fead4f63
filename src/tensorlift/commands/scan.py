"""``tensorlift scan``: what becomes of each function of a code base, in one command.

Threads, or the workers of a cluster (`scan_cluster`), hand files to processes of their own (`scan_worker`), so that any
of them may be ended; what comes back goes to the record file at once (`scanned`), and at the end into the summary
(`report.scan`).
"""

from __future__ import annotations

import os
from contextlib import nullcontext
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from tensorlift.commands.options import (
    OK,
    PATH,
    REFUSED,
    other_files,
    source_options,
    target_option,
    with_compiler_flags,
)
from tensorlift.commands.screen import progress_bar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from tensorlift.commands.scan_worker import Task
    from tensorlift.frontends.c.elsewhere import OtherFile
    from tensorlift.scanned import Entry

_MOST_TOGETHER = 1000  # files in each of which a name is looked for: each worker reads them all
_FAILING = ("regression", "refused", "unchanged", "hybrid", "scan")


@click.command(short_help="Tell what becomes of each function of a code base.")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=PATH)
@click.option("-j", "--jobs", metavar="N", type=click.IntRange(min=1), help="Processes.  [default: all processors]")
@click.option("--cluster", metavar="ADDRESS", help="Scan on this Dask cluster, tcp://..; local: on one of N processes.")
@click.option("--exclude", "excluded", metavar="GLOB", multiple=True, help="Leave out files and folders (repeatable).")
@click.option("--since", "revision", metavar="REV", help="Take only files that changed since this revision of git.")
@target_option()
@click.option(
    "--time-limit",
    "seconds",
    metavar="SECONDS",
    type=click.FloatRange(min=0, min_open=True),
    default=20.0,
    show_default=True,
    help="For each function, and for parsing a file.",
)
@click.option(
    "-o", "--output", metavar="RECORD", type=PATH, help="Write an entry for each function to this file, as JSON lines."
)
@click.option(
    "--resume/--no-resume",
    default=True,
    show_default=True,
    help="Take from RECORD what it tells of files that are as they were.",
)
@click.option("--json", "report", metavar="REPORT", type=PATH, help="Write the whole to this file as one object.")
@click.option(
    "--html",
    metavar="PAGE",
    type=PATH,
    help="Write a page for browsers: functions, sources beside programs, what helps.",
)
@click.option(
    "--sarif", metavar="LOG", type=PATH, help="Write what does not lift to this file as SARIF, for code-scanning pages."
)
@click.option("--no-times", is_flag=True, help="Leave times out of RECORD and REPORT: same input, same bytes.")
@click.option("--verdicts", metavar="OLD", type=PATH, help="Write verdicts alone to this file, for --baseline.")
@click.option(
    "--baseline", metavar="OLD", type=PATH, help="Compare with what --verdicts or -o wrote of an earlier scan."
)
@click.option(
    "--fail-on",
    "failing",
    type=click.Choice(_FAILING),
    multiple=True,
    help="End with status 1 where a function became worse than in OLD, or has this verdict or a worse one.",
)
@source_options
def scan(  # noqa: PLR0913 - one parameter for each option
    *,
    paths: tuple[str, ...],
    jobs: int | None,
    cluster: str | None,
    excluded: tuple[str, ...],
    revision: str | None,
    target: str,
    seconds: float,
    output: str | None,
    resume: bool,
    report: str | None,
    html: str | None,
    sarif: str | None,
    verdicts: str | None,
    no_times: bool,
    baseline: str | None,
    failing: tuple[str, ...],
    **flags: Any,
) -> int:
    """Lift each function in the files and folders PATH, and tell what becomes of them.

    Of folders, sources in C, C++, Python and MLIR are taken that git does not ignore.

    Exit status: 0, or 1 where --fail-on says so; 2 the request is wrong, 3 an internal error.
    """
    from tensorlift.commands.scan_files import changed_since, source_files
    from tensorlift.report.output import STDOUT, check_outputs, write_output
    from tensorlift.report.scan import scan_json, show_scan
    from tensorlift.report.scan_html import scan_html
    from tensorlift.report.scan_sarif import scan_sarif
    from tensorlift.scanned import in_order, lines_of, read_baseline, read_entries, verdicts_of
    from tensorlift.targets import get_target

    if "regression" in failing and baseline is None:
        raise click.UsageError("--fail-on regression goes with --baseline OLD")
    if jobs is not None and cluster not in {None, "local"}:
        raise click.UsageError("-j goes without --cluster ADDRESS: a cluster has the workers that it has")
    get_target(target)
    files = source_files(paths, excluded)
    files = changed_since(revision, paths, files) if revision is not None else files
    for file in files:
        check_outputs(file, [name for name in (output, report, html, sarif, verdicts) if name])
    old = read_baseline(baseline) if baseline is not None else []
    known = read_entries(output) if output is not None and os.path.lexists(output) else []
    tasks, unreadable = _tasks(files, target, flags)
    entries = unreadable + (_known(known, tasks) if resume else [])
    done = {entry.key for entry in entries}
    todo = [task for task in tasks if task.key not in done]
    with _appending(output, lines_of(entries)) as record, progress_bar(len(todo)) as advance:
        for found in _lifted(todo, seconds, jobs or os.cpu_count() or 1, cluster):
            entries += found
            if record is not None:
                record.write(lines_of(found))
                record.flush()
            advance()
    entries = in_order(replace(entry, seconds=None) for entry in entries) if no_times else in_order(entries)
    worse = _worse(old, entries)
    outputs: list[tuple[str | None, Callable[[], str]]] = [
        (output, lambda: lines_of(entries)),
        (report, lambda: scan_json(entries, len(files), worse)),
        (html, lambda: scan_html(entries, len(files))),
        (sarif, lambda: scan_sarif(entries)),
        (verdicts, lambda: verdicts_of(entries)),
    ]
    for name, text in outputs:
        if name is not None:
            write_output(name, text())
    if STDOUT not in {output, report, html, sarif, verdicts}:
        click.echo(show_scan(entries, len(files), worse), nl=False)
    return REFUSED if _fails(entries, bool(worse), failing) else OK


def _tasks(files: Sequence[str], target: str, flags: dict[str, Any]) -> tuple[list[Task], list[Entry]]:
    """Say how each file is lifted; give entries for those that cannot be read."""
    from tensorlift.commands.scan_worker import Task
    from tensorlift.compile_commands import Database, check_types
    from tensorlift.diagnostics import LiftError
    from tensorlift.pipeline import LiftOptions
    from tensorlift.source import read_source

    named = flags.pop("database")
    database = Database(named) if named else None
    others = _by_folder(files, other_files(flags, () if named else files, named))
    tasks, unreadable = [], []
    for file in files:
        found = database.flags(file) if database is not None else None  # of what is not built, none
        own = with_compiler_flags(flags, found) if found is not None else flags
        task = Task(file, "", LiftOptions(target=target, others=others[Path(file).parent], **own), _spelled(**own))
        try:
            check_types(file, found.rest if found is not None else ())
            tasks.append(replace(task, sha256=read_source(file).sha256))
        except LiftError as error:
            first = error.diagnostics[0]
            unreadable.append(task.entry("", 1, why=(first.code, first.message)))
    return tasks, unreadable


def _by_folder(files: Sequence[str], others: tuple[OtherFile, ...]) -> dict[Path, tuple[OtherFile, ...]]:
    """Give the files in which those of a folder look for functions: all, of very many only those in the folder too."""
    folders = {Path(file).parent for file in files}
    if len(others) <= _MOST_TOGETHER:
        return dict.fromkeys(folders, others)
    beside: dict[Path, list[OtherFile]] = {folder.resolve(): [] for folder in folders}
    for other in others:
        beside.get(Path(other.name).resolve().parent, []).append(other)
    return {folder: tuple(beside[folder.resolve()]) for folder in folders}


def _spelled(
    include_dirs: Sequence[str], defines: Sequence[str], include_files: Sequence[str], std: str | None
) -> tuple[str, ...]:
    """Spell the flags with which a file is read, as a compiler takes them."""
    spelled = [f"-I{folder}" for folder in include_dirs] + [f"-D{macro}" for macro in defines]
    spelled += [f"-include{file}" for file in include_files]
    return (*spelled, *([f"-std={std}"] if std else []))


def _known(known: Sequence[Entry], tasks: Sequence[Task]) -> list[Entry]:
    """Keep what a record tells of files that are as they were, and so is what was found in others.

    Files of which something was lost are tried again.
    """
    from tensorlift.frontends.c.elsewhere import evidence

    others = {Path(task.file).parent: task.options.others for task in tasks}
    digest = cache(lambda name, folder: evidence(name, others.get(folder, ()))[0])
    changed = {e.key for e in known if any(digest(name, Path(e.file).parent) != was for name, was in e.asked)}
    wanted = {task.key for task in tasks} - {entry.key for entry in known if entry.is_lost} - changed
    return [entry for entry in known if entry.key in wanted]


def _lifted(tasks: Sequence[Task], seconds: float, jobs: int, cluster: str | None) -> Iterator[list[Entry]]:
    """Lift files, so many at a time; give the entries of each as it is done."""
    from concurrent.futures import ThreadPoolExecutor, as_completed

    from tensorlift.commands.scan_cluster import scan_on_cluster
    from tensorlift.commands.scan_worker import scan_file

    if cluster is not None:
        yield from scan_on_cluster(tasks, seconds, cluster, jobs)
        return
    threads = ThreadPoolExecutor(min(jobs, len(tasks) or 1))
    try:
        for future in as_completed([threads.submit(scan_file, task, seconds) for task in tasks]):
            yield future.result()
    finally:
        threads.shutdown(wait=False, cancel_futures=True)  # a scan that is interrupted waits for nobody


def _appending(output: str | None, text: str) -> AbstractContextManager[TextIO | None]:
    """Let the record file begin with what is known, and more be added, so that it is there if the scan is ended."""
    from tensorlift.report.output import STDOUT, write_output

    if output in {None, STDOUT}:
        return nullcontext()
    write_output(output, text)
    return open(output, "a", encoding="utf-8")  # noqa: PTH123 - closed by the caller


def _worse(old: Sequence[Entry], entries: Sequence[Entry]) -> list[tuple[Entry, Entry]]:
    """Find what became worse; a baseline of other files, as from another folder, is noted."""
    from tensorlift.scanned import regressions

    if old and not {entry.file for entry in old} & {entry.file for entry in entries}:
        click.echo(
            "tensorlift: note: the baseline has none of these files: names start at the folder of the scan", err=True
        )
    return regressions(old, entries)


def _fails(entries: Sequence[Entry], is_worse: bool, failing: Sequence[str]) -> bool:  # noqa: FBT001 - what was found
    from tensorlift.record import Verdict

    order = [str(verdict) for verdict in Verdict]
    bounds = [order.index(name) for name in failing if name != "regression"]
    worst = max((order.index(entry.verdict) for entry in entries), default=0)
    return any(worst >= bound for bound in bounds) or ("regression" in failing and is_worse)
