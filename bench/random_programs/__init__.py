"""Random C programs that are well defined by construction."""
