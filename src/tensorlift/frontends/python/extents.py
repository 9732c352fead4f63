"""Which variables a translated function mentions, and which statements store into those that they do not declare.

An extent that nothing mentions is left to the accesses to tell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorlift.frontends.c import nodes
from tensorlift.frontends.c.endings import ending_in
from tensorlift.frontends.c.mapped import children, expressions_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def mentioned_variables(found: Iterable[Any]) -> set[nodes.Variable]:
    """Collect the variables that occur in statements and expressions."""
    return {node.variable for node in _walk(list(found)) if isinstance(node, nodes.Name)}


def has_effects(statements: Iterable[nodes.Statement]) -> bool:
    """Whether statements store into anything that they do not declare themselves, or may end the run."""
    found = list(_walk(list(statements)))
    own = {node.variable for node in found if isinstance(node, nodes.Declare)}
    return any(
        ending_in(node) is not None
        if isinstance(node, nodes.Call)
        else isinstance(node, nodes.Assign) and _stored_variable(node.target) not in own
        for node in found
    )


def _stored_variable(target: nodes.Expression) -> nodes.Variable | None:
    while isinstance(target, nodes.Subscript):
        target = target.base
    return target.variable if isinstance(target, nodes.Name) else None


def _walk(work: list[Any]) -> Iterator[Any]:
    seen: set[int] = set()
    while work:
        node = work.pop()
        if isinstance(node, tuple | list):
            work.extend(node)
        elif node is not None and id(node) not in seen:
            seen.add(id(node))
            yield node
            work += [*expressions_of(node), *nodes.parts(node, nodes.STATEMENTS), *children(node)]
