"""Commands of the command line that have files of their own; each imports what is heavy when it runs."""
