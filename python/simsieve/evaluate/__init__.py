"""How good decisions are: samples to review, agreement with labels, and the choice of a threshold."""
