"""What a run tells people and machines when it is done: a table, a summary file, the differences of two texts."""
