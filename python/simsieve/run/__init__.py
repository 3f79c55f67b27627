"""Runs, from checked settings to written sinks: `pipeline` alone knows the order of the steps."""
