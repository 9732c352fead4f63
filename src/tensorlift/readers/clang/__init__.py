"""The literal reader of C, through libclang."""

from tensorlift.readers.clang.reader import LiteralFunction, LiteralModule, literal_module_of, read_literally

__all__ = ["LiteralFunction", "LiteralModule", "literal_module_of", "read_literally"]
