"""Abbreviations for shared nodes: a graph of a thousand nodes must not be spelled as a tree of a million."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.terms import Constant, Index, Read, Scalar, Term

if TYPE_CHECKING:
    from collections.abc import Iterable

TREE_LIMIT = 400  # nodes that are spelled out without abbreviations
DEPTH_LIMIT = 60  # nesting of one expression


def in_order(roots: Iterable[Term]) -> list[Term]:
    """Return every node once, operands before what they are operands of."""
    done: dict[Term, None] = {}
    stack = [(root, False) for root in roots][::-1]
    while stack:
        node, visited = stack.pop()
        if node in done:
            continue
        if visited:
            done[node] = None
        else:
            stack.append((node, True))
            stack += [(child, False) for child in reversed(node.children)]
    return list(done)


def abbreviated(roots: list[Term]) -> dict[Term, str]:
    """Return names for nodes that are to be spelled once: shared ones where the whole is large, and deep ones."""
    nodes = in_order(roots)
    size: dict[Term, int] = {}
    for node in nodes:
        size[node] = 1 + sum(size[c] for c in node.children)
    uses: dict[Term, int] = dict.fromkeys(nodes, 0)
    for node in nodes:
        for child in node.children:
            uses[child] += 1
    is_large = sum(size[r] for r in roots) > TREE_LIMIT
    names: dict[Term, str] = {}
    depth: dict[Term, int] = {}
    for node in nodes:
        depth[node] = 1 + max((0 if c in names else depth[c] for c in node.children), default=0)
        is_leaf = isinstance(node, Constant | Scalar | Index | Read)
        if not is_leaf and ((is_large and uses[node] > 1) or depth[node] >= DEPTH_LIMIT):
            names[node] = f"_{len(names) + 1}"
    for root in roots:
        if uses[root] == 0:
            names.pop(root, None)
    return names
