"""Where results go: the kept rows, and the files beside them; every file appears whole or not at all."""
