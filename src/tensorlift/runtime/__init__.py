"""Runs originals, compiled with cc, and lifted programs, in limited subprocesses, and compares what they compute."""
