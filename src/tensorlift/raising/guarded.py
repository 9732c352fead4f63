"""Chains of matrices in the cheapest order; where sizes are not known, a guard computes which order that is.

Each order is proved by itself, so that whatever the guard chooses computes the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.contract.language import Separate
from tensorlift.ir.text import parse_module
from tensorlift.raising.bodies import unraisable
from tensorlift.raising.linalg import Emission, parameters_of
from tensorlift.raising.nests import Nest, Replaced, Taken, refused_at
from tensorlift.raising.place import put_choice, put_in_place
from tensorlift.raising.proved import together
from tensorlift.synthesis.tactics.chains import choices_of, reordered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.ir import Operation

    from tensorlift.comprehension.definition import Summary
    from tensorlift.poly.polynomial import Polynomial
    from tensorlift.raising.nests import Write, Written
    from tensorlift.targets.linalg.writer import Value, Writer


_PAIR = 2


def reorder(ops: Sequence[Operation]) -> Replaced:
    """Put the operations of a chain in the cheapest order in their place.

    Raises:
        LiftError: where no order is cheaper, or none is proved; the module is as it was.

    """
    with refused_at(ops[0]):
        taken = Taken.out(ops)
        summary = taken.meaning.simplified
        choices = choices_of(summary)
        orders = [choice.summary for choice in choices] or [reordered(summary)]
        if len(orders) == 1 and orders[0] is summary:
            raise unraisable("no order has fewer multiplications")
        forms = [taken.form(_in_order(order)) for order in orders]
        conditions = list(dict.fromkeys(condition for form in forms for condition in form.conditions))
        apart = [condition for condition in conditions if isinstance(condition, Separate)]
        others = [condition for condition in conditions if not isinstance(condition, Separate)]
        stated = taken.stated([*others, *together(apart)])
        assumptions, undecided = taken.assumed(stated), taken.meaning.undecided
        guard = taken.text(_cheapest([choice.cost for choice in choices]), {})[1] if len(forms) > 1 else ""
    if guard:
        put_choice(taken.outlined, parse_module(guard, "guard.mlir"), [form.module for form in forms])
    else:
        put_in_place(taken.outlined, forms[0].module)
    names = (*(["scf.if"] * (len(forms) - 1)), *(name for form in forms for name in form.names))
    certificates = tuple(form.certificate for form in forms)
    return Replaced(names, tuple(map(str, stated)), (), assumptions, certificates, undecided)


def _in_order(order: Summary) -> Write:
    def write(nest: Nest) -> Written:
        emission = Emission(order, nest.writer, parameters_of(order, nest.memrefs), may_copy=False)
        result = emission.run()
        return emission.names, result

    return write


def _cheapest(costs: Sequence[Polynomial]) -> Write:
    """Return what writes the number of the least cost, among equals the first; of two, whether it is the second."""

    def write(nest: Nest) -> Written:
        writer = nest.writer
        least, *others = (_computed(cost, writer) for cost in costs)
        if len(costs) == _PAIR:
            return [], _less(others[0], least, writer)
        choice = writer.index(0)
        for number, cost in enumerate(others, 1):
            less = _less(cost, least, writer)
            least, choice = (
                writer.define(f"arith.select {less.name}, {new.name}, {old.name} : index", "index")
                for new, old in ((cost, least), (writer.index(number), choice))
            )
        return [], choice

    return write


def _less(one: Value, other: Value, writer: Writer) -> Value:
    return writer.define(f"arith.cmpi slt, {one.name}, {other.name} : index", "i1")


def _computed(cost: Polynomial, writer: Writer) -> Value:
    """Compute a polynomial over sizes."""
    total: Value | None = None
    for monomial, number in sorted(cost.terms.items()):
        factors = [writer.symbols[name] for name in monomial]
        if number != 1 or not factors:
            factors.append(writer.index(number))
        term = factors[0]
        for factor in factors[1:]:
            product = f"arith.muli {term.name}, {factor.name} : index"
            term = writer.once(product, product, "index")
        total = term if total is None else writer.define(f"arith.addi {total.name}, {term.name} : index", "index")
    return writer.index(0) if total is None else total
