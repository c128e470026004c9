"""The exact law of any program: its random choices branch instead of being drawn. No SymPy."""
