"""Calls of lifted Python functions: arguments checked, preconditions checked, results put where Python puts them."""
