"""The order of the loops of products, as a schedule in upstream's transform dialect.

The innermost loop is one along which the operands and the result lie side by side in memory.
"""

from __future__ import annotations

import re

_NAMED = {"matmul": [0, 2, 1], "batch_matmul": [0, 1, 3, 2], "vecmat": [1, 0], "batch_vecmat": [0, 2, 1]}
_CONTRACT = re.compile(r"\blinalg\.contract\s+indexing_maps = (\[.*?\]) ins")
_MAP = re.compile(r"affine_map<\((.*?)\) -> \((.*?)\)>")
_OF_ANY = "(!transform.any_op) -> !transform.any_op"
_REORDERED = """
    %matched_{number} = transform.structured.match {ops} in %root : {any}
    %generic_{number} = transform.structured.generalize %matched_{number} : {any}
    %ordered_{number} = transform.structured.interchange %generic_{number} iterator_interchange = {order} : {any}"""
_SCHEDULE = """module attributes {{transform.with_named_sequence}} {{
  transform.named_sequence @__transform_main(%root: !transform.any_op {{transform.readonly}}) {{{steps}
    transform.yield
  }}
}}
"""


def schedule_of(text: str) -> str:
    """Return the schedule, a module, that reorders the loops of the products in a module."""
    orders = {f'ops{{["linalg.{name}"]}}': order for name, order in _NAMED.items()}
    for maps in _CONTRACT.findall(text):
        orders[f'ops{{["linalg.contract"]}} attributes {{indexing_maps = {maps}}}'] = _order(maps)
    steps = (
        _REORDERED.format(number=number, ops=ops, order=order, any=_OF_ANY)
        for number, (ops, order) in enumerate(orders.items())
    )
    return _SCHEDULE.format(steps="".join(steps))


def _order(maps: str) -> list[int]:
    """Return the order of loops for ``[affine_map<(d0, d1) -> (d1)>, ..]``, the map of the result last."""
    read = [(domain.split(", "), found.split(", ")) for domain, found in _MAP.findall(maps)]
    loops, operands = read[0][0], [indices for _, indices in read]

    def strided(loop: str) -> tuple[int, bool]:
        jumps = sum(loop in indices[:-1] for indices in operands)
        return jumps, loop not in operands[-1]

    innermost = min(reversed(loops), key=strided)
    return [loops.index(loop) for loop in loops if loop != innermost] + [loops.index(innermost)]
