"""Fortran parsed: program units, what their names declare, and what procedures take and give."""
