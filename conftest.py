"""Where pyspark or ray is not there, the package that needs it is not imported for its examples; its tests say so."""

import importlib.util

ENGINES = {"pyspark": "spark", "ray": "ray"}
collect_ignore_glob = [
    f"python/simsieve/{engine}/*" for package, engine in ENGINES.items() if not importlib.util.find_spec(package)
]
