"""The review page: people judge the near duplicates of a run in a browser, served or in a file of its own."""
