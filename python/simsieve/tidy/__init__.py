"""What `simsieve app` does: it looks at a folder or a file, finds groups, and writes or moves what a person chose."""
