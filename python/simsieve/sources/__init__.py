"""What a caller may give as a source, and how the core opens it."""
