"""The steps of a job on a cluster, and their order, for any engine that moves batches of Arrow."""
