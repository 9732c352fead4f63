"""Contractions: matrix products where transposing brings the operands into that form, else other sums of products."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tensorlift.targets.python_text.text import Precedence, Text, binary

if TYPE_CHECKING:
    from tensorlift.ir.tensor_program import Contraction, Expression
    from tensorlift.targets.python_text.spelling import Spelling


class Operand(NamedTuple):
    """An operand of a product with the labels of its axes."""

    expression: Expression
    labels: tuple[str, ...]


def contraction_text(spell: Spelling, node: Contraction) -> Text:
    """Return the shortest spelling of a sum of products in the interface of NumPy."""
    operands = [Operand(a, labels) for a, labels in zip(node.arguments, node.labels, strict=True)]
    if len(operands) == 2:  # noqa: PLR2004 - a product of two
        left, right = operands
        if len(left.labels) == 1 and right.labels[:1] != left.labels:
            left, right = right, left  # ``A @ x`` rather than ``x @ A.T``
        if not node.output and left.labels == right.labels and len(left.labels) > 1:
            return spell.library.products.full_product(spell, left.expression, right.expression)
        text = _matmul(left, right, node.output, spell) or _matmul(right, left, node.output, spell)
        if text is not None:
            return text
        text = _tensordot(left, right, node.output, spell)
        if text is not None:
            return text
    return einsum_text(spell, node)


def _matmul(left: Operand, right: Operand, output: tuple[str, ...], spell: Spelling) -> Text | None:
    """Spell ``left @ right``: rows of the left, columns of the right, one summed label, common leading labels."""
    shared = [label for label in left.labels if label in right.labels]
    summed = [label for label in shared if label not in output]
    batch = tuple(label for label in shared if label in output)
    if len(summed) != 1:
        return None
    rows = tuple(label for label in left.labels if label not in shared)
    columns = tuple(label for label in right.labels if label not in shared)
    if not batch and len(columns) > 1:
        return _broadcast_matmul(left, right, summed[0], output, spell)
    if output != (*batch, *rows, *columns):
        return None
    if batch and not (len(rows) == 1 and len(columns) == 1):
        return None
    if not batch and len(rows) > 1 and len(right.labels) > 2:  # noqa: PLR2004 - a matrix
        return None
    first = _arranged(left, (*batch, *rows, *summed), spell)
    second = _arranged(right, (*batch, *summed, *columns), spell)
    return binary(first, "@", second, Precedence.PRODUCT)


def _broadcast_matmul(
    left: Operand, right: Operand, summed: str, output: tuple[str, ...], spell: Spelling
) -> Text | None:
    """Spell a matrix times a stack of matrices."""
    if len(left.labels) != 2 or right.labels[-2] != summed:  # noqa: PLR2004 - a matrix
        return None
    row = next(label for label in left.labels if label != summed)
    first = _arranged(left, (row, summed), spell)
    if output != (*right.labels[:-2], row, right.labels[-1]):
        return None
    return binary(first, "@", spell(right.expression), Precedence.PRODUCT)


def _arranged(operand: Operand, labels: tuple[str, ...], spell: Spelling) -> Text:
    """Spell the operand with its axes in the order of the labels; only what ``.T`` or ``.swapaxes`` says."""
    text = spell(operand.expression)
    if operand.labels == labels:
        return text
    if len(labels) == 2:  # noqa: PLR2004 - a matrix
        return _transposed(text)
    if operand.labels[:-2] == labels[:-2] and operand.labels[-2:] == labels[:-3:-1]:
        return spell.library.products.swapped(spell.library.name, text)
    return spell.library.products.permuted(text, [operand.labels.index(label) for label in labels])


def _transposed(text: Text) -> Text:
    if text.precedence is Precedence.ATOM and text.source.endswith(".T"):
        return Text(text.source.removesuffix(".T"))
    return Text(f"{text.atom}.T")


def _tensordot(left: Operand, right: Operand, output: tuple[str, ...], spell: Spelling) -> Text | None:
    """Spell a product without common output labels that no matrix product covers."""
    shared = [label for label in left.labels if label in right.labels]
    rest = tuple(label for label in (*left.labels, *right.labels) if label not in shared)
    if not shared or any(label in output for label in shared):
        return None
    if rest != output:
        swapped = tuple(label for label in (*right.labels, *left.labels) if label not in shared)
        return _tensordot(right, left, output, spell) if swapped == output else None
    if not output:
        return None
    axes = ([left.labels.index(label) for label in shared], [right.labels.index(label) for label in shared])
    return spell.library.products.tensordot(spell, left.expression, right.expression, axes)


def einsum_text(spell: Spelling, node: Contraction) -> Text:
    """Spell a sum of products by the labels of all axes."""
    letters: dict[str, str] = {}
    for label in [*node.output, *(label for labels in node.labels for label in labels)]:
        letters.setdefault(label, "ijklmnopqrstuvwxyzabcdefgh"[len(letters)])
    inputs = ",".join("".join(letters[label] for label in labels) for labels in node.labels)
    spec = f'"{inputs}->{"".join(letters[label] for label in node.output)}"'
    return spell.library.products.einsum(spell, spec, node.arguments, node.dtype)
