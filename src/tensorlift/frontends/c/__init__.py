"""The C front end: libclang, what functions take and give, and syntax trees of their bodies."""
