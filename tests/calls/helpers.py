"""A helper in a file of its own, which reads a constant of that file."""

# mypy: ignore-errors

SHIFT = 100


def grown(v):
    return v * 2 + SHIFT
