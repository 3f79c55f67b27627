"""The settings of a run: one table, its TOML form, and the checks of single values."""
