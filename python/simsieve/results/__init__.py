"""What a run gives back: decisions, pairs, the summary and the recall."""
