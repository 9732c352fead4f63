"""Literal IR becomes loop IR by named passes, one pipeline for all languages."""
