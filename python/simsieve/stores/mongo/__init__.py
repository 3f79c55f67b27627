"""Collections of MongoDB: read, written and marked."""
