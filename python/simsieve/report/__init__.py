"""The report of a run for people: a table of its summary."""
