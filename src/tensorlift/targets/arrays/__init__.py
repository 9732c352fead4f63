"""Operations of array libraries that have NumPy's interface, with their meanings, in NumPy's spelling."""
