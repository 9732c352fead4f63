"""Sources of each language to the loop IR: parsed, read literally, made structured and executed symbolically."""
