"""Objects of S3 and of stores with its interface: their names, the server's errors, local copies, uploads."""
