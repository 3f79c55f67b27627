"""Texts and fingerprints compared without a run: fingerprints, similarity, Hamming distance, explanations."""
