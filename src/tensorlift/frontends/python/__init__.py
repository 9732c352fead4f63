"""The Python front end: source text parsed, and the types and extents that it does not state."""

from tensorlift.frontends.python.live import LiveFunction, find_function

__all__ = ["LiveFunction", "find_function"]
