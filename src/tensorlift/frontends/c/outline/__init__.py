"""Parts of C functions as functions of their own: which statements, and what they take."""
