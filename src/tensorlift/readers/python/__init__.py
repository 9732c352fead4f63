"""The literal reader of Python, through its syntax tree and the types that the front end finds."""

from tensorlift.readers.python.reader import literal_module_of

__all__ = ["literal_module_of"]
