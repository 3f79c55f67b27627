"""The kinds of stores, each in a package of its own: MongoDB, S3, WARC, Word and PDF."""
