"""Simplifying definitions before a target covers them.

The summariser says what the loops compute, step by step; a tensor program wants fewer and larger steps.  This package
drops definitions that nobody reads, makes one sum of sums over blocks, inlines those that nobody would name, makes
contractions of sums of converted products, unites pieces with equal terms, lets sums absorb neighbouring points,
reads a sum that is there already and multiplies where the same is added again; kept loops read what was copied where
it comes from.  Rewrites are bold and cheap: what they give is proved afterwards against the summary as it was.
"""

from __future__ import annotations

from dataclasses import replace

from tensorlift.comprehension.definition import Definition, Item, Summary, reads_of
from tensorlift.comprehension.normal import TIDYING, asking_for
from tensorlift.synthesis.simplify.absorb import absorb
from tensorlift.synthesis.simplify.forwards import forwards
from tensorlift.synthesis.simplify.inline import Inliner, drop_dead, read_at_origins
from tensorlift.synthesis.simplify.one_cell import of_one_cell
from tensorlift.synthesis.simplify.pieces import tidied
from tensorlift.synthesis.simplify.reuse import reuse_earlier
from tensorlift.synthesis.simplify.sums import contractible, counted, without_blocks


def simplify(summary: Summary) -> Summary:
    """Return a summary of the same function with fewer and shorter definitions."""
    needed = {name for _, name in summary.outputs} | ({summary.result} if summary.result else set())
    with asking_for(TIDYING):
        return replace(summary, items=tuple(_simplify_items(read_at_origins(summary.items), needed)))


def _simplify_items(items: tuple[Item, ...], needed: set[str]) -> list[Item]:
    """Simplify each run of definitions between kept loops, last first: later items say what earlier ones must keep."""
    result: list[Item] = []
    wanted = set(needed)
    run: list[Definition] = []
    for item in reversed(items):
        if isinstance(item, Definition):
            run.append(item)
            continue
        result = [*_simplify_run(run[::-1], wanted), *result]
        run = []
        wanted |= reads_of(result)
        loop = replace(item, body=tuple(_simplify_items(item.body, {c.after for c in item.carried})))
        loop = of_one_cell(loop, wanted)
        result = [loop, *result]
        wanted |= reads_of([loop])
    return [*_simplify_run(run[::-1], wanted), *result]


def _simplify_run(definitions: list[Definition], needed: set[str]) -> list[Definition]:
    live = [tidied(without_blocks(d)) for d in drop_dead(definitions, needed)]
    inlined = Inliner(live, needed).run()
    reused = reuse_earlier([_absorbed(contractible(forwards(d))) for d in inlined])
    return [counted(d) for d in drop_dead(reused, needed)]


def _absorbed(definition: Definition) -> Definition:
    """Absorb until nothing changes: a united piece may let another sum grow."""
    for _ in range(3):
        absorbed = definition.mapped(absorb)
        if absorbed is definition:
            break
        definition = tidied(absorbed)
    return definition
