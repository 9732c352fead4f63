"""An imported dialect as a table: each operation with its meaning, or with why it has none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.notation.definitions import show_definition
from tensorlift.comprehension.notation.printer import shapes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorlift.comprehension.instance import Instance, InstanceOperand
    from tensorlift.targets.imported.record import ImportedDialect


def table(dialect: ImportedDialect) -> str:
    """Return the operations of a dialect, line by line."""
    lines = [line for instance in dialect.instances for line in instance_lines(instance)]
    lines += [f"{name}: no meaning: {reason}" for name, reason in dialect.without.items()]
    return "\n".join(lines) + "\n"


def instance_lines(instance: Instance) -> Iterator[str]:
    """Yield what an operation takes, what it gives, and what it computes."""
    listed = [*map(_operand, instance.operands)]
    for own in instance.lists:
        listed.insert(own.place, f"{own.name}: {own.type} = {list(own.numbers)}")
    operands = ", ".join(listed)
    attributes = f" {instance.attributes}" if instance.attributes else ""
    result = instance.result
    body = f" {{ {instance.form.body} }}" if instance.form is not None and instance.form.body else ""
    which = f", result {instance.place + 1} of {instance.others + 1}" if instance.others else ""
    yield f"{instance.operation}{body}({operands}){attributes} -> {result.dtype}{shapes(result.shape)}{which}"
    if instance.sampled:
        sets = (", ".join(map(str, dict.fromkeys(extents))) for extents in instance.sampled)
        yield f"  found at the extents {' and '.join(sets)}"
    for definition in instance.definitions:
        yield f"  {show_definition(definition).splitlines()[1]}"


def _operand(operand: InstanceOperand) -> str:
    value = "" if operand.value is None else f" = {operand.value}"
    return f"{operand.name}: {operand.dtype}{shapes(operand.shape)}{value}"
