"""Random Python functions over arrays, lists and numbers, for fuzzing the Python front end."""
