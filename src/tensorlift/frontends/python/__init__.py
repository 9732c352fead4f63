"""The Python front end: Python source text to the loop IR, through the module ast."""

from tensorlift.frontends.python.live import LiveFunction, find_function

__all__ = ["LiveFunction", "find_function"]
