"""The contract of a program: what callers must guarantee, as data; gathered, spelled, decided for a call, guarded."""
