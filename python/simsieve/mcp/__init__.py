"""Tools for assistants by the Model Context Protocol: what `simsieve mcp` answers on standard input and output."""
