"""What is asked of each document: the fields that a run needs, and the projection that the server gets."""

import re
from collections.abc import Sequence

from simsieve.config.checks import keep_fields
from simsieve.config.settings import SETTINGS, DedupConfig
from simsieve.errors import ConfigError

ID = "$id"
"""The key of the packed `_id` in the spool. No field that can be asked for begins with a dollar."""
_STEPS = re.compile(r"\.(\*|\d+)(\.|$)")
"""What leads into a list in the name of a field."""


def spool_fields(config: DedupConfig) -> dict[str, tuple[str, str]]:
    """Give what the spool has of each document: key -> (field, form); see `_core.Rows.add_documents`."""
    # The core takes the texts out of a list, which it gets with all that it is in.
    texts = (name.partition(".")[0] if _STEPS.search(name) else name for name in config.text_field)
    found = {name: (name, "text") for name in texts}
    for name in keep_fields(config.keep):
        found.setdefault(name, (name, "value"))
    for name in config.equal_fields:
        found.setdefault(name, (name, "value"))
    if config.date_field is not None:
        # As a label a date is told from a number.
        found[config.date_field] = (config.date_field, "label")
    label = "_id" if config.id_field == SETTINGS["id_field"].default else config.id_field
    found.setdefault(config.id_field, (label, "label"))
    # The last one: so the bytes before it end with its key.
    return {**found, ID: ("_id", "packed")}


def projection_of(names: Sequence[str]) -> dict[str, int]:
    """Give the projection of fields; of a field and one inside it the outer one alone, as the server demands."""
    for name in names:
        if name.startswith("$") or any(not part or part.startswith("$") for part in name.split(".")):
            raise ConfigError(
                "field {name!r} is no name of MongoDB: no part of it may be empty or begin with a dollar", name=name
            )
    known = {*names, "_id"}
    inner = {name for name in known for outer in known if name.startswith(outer + ".")}
    return {name: 1 for name in (*names, "_id") if name not in inner}
