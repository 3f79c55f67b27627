"""Schemes: what makes a fingerprint of a text; built-in ones, custom ones, their thresholds and their models."""
