"""WARC files: pages and texts, read by warcio."""
