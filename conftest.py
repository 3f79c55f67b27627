"""Where pyspark is not installed, the package that needs it is not imported for its examples; its tests say so."""

import importlib.util

collect_ignore_glob = [] if importlib.util.find_spec("pyspark") else ["python/simsieve/spark/*"]
