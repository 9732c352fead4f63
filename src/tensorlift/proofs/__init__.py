"""The gatekeeper: emitted text is proved equal to its source's definitions, or not accepted."""
