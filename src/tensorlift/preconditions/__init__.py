"""What a proof assumes of the arguments: gathered for the report, and as guards of the emitted function."""
