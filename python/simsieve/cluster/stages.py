"""The stages of a job by their names, as an engine shows them."""

COUNT = "simsieve: count the rows"
SPREAD = "simsieve: spread the texts"
PAIR = "simsieve: keys and candidate pairs"
VERIFY = "simsieve: near pairs"
ROUNDS = "simsieve: rounds of decisions"
DECIDE = "simsieve: decisions on rows that have candidates"
TEXTS = "simsieve: texts of some kept rows"
RECALL = "simsieve: recall"
STAGES = (COUNT, SPREAD, PAIR, VERIFY, ROUNDS, DECIDE, RECALL, TEXTS)
"""All stages in their order. In a small job that of decisions has those of near pairs and rounds in it. The decisions
on all rows are a part of the caller's own jobs."""
