"""Parts of functions of a module as functions of their own, in the text of the module."""
