"""The literal reader of C, through libclang."""

from tensorlift.readers.clang.reader import LiteralFunction, LiteralModule, read_literally

__all__ = ["LiteralFunction", "LiteralModule", "read_literally"]
