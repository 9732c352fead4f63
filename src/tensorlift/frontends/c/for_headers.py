"""The parts of a ``for``: libclang drops a missing one, so they are told apart by the semicolons in the source text."""

from __future__ import annotations

_SEMICOLONS = 2


def places_of_parts(text: bytes, offsets: list[int]) -> list[int] | None:
    """Tell which parts are present: 0 before the first semicolon, 1 between the two, 2 after the second.

    ``text`` starts with the ``for``, and ``offsets`` are those of the parts in it.  None where a macro hides them.
    """
    if not text.startswith(b"for"):
        return None
    semicolons = _semicolons(text)
    if len(semicolons) < _SEMICOLONS:
        return None
    return [sum(offset > place for place in semicolons[:_SEMICOLONS]) for offset in offsets]


def _semicolons(text: bytes) -> list[int]:
    """Find the semicolons of a ``for`` header, skipping comments, literals and nested parentheses."""
    found: list[int] = []
    depth = position = 0
    while position < len(text):
        skip = _literal_or_comment(text, position)
        if skip > position:
            position = skip
            continue
        byte = text[position : position + 1]
        depth += {b"(": 1, b")": -1}.get(byte, 0)
        if byte == b";" and depth == 1:
            found.append(position)
        if byte == b")" and depth == 0:
            break
        position += 1
    return found


def _literal_or_comment(text: bytes, position: int) -> int:
    """Give the end of the comment or literal that starts here, or the position itself."""
    for opening, closing in ((b"/*", b"*/"), (b"//", b"\n"), (b'"', b'"'), (b"'", b"'")):
        if text.startswith(opening, position):
            end = text.find(closing, position + len(opening))
            return len(text) if end < 0 else end + len(closing)
    return position
