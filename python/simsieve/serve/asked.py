"""One request, as an endpoint meets it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from simsieve.errors import ServiceError
from simsieve.messages import Message
from simsieve.serve.options import Options
from simsieve.serve.served import Indexes, Served
from simsieve.serve.wire import Call, too_large


@dataclass(slots=True)
class Asked:
    """One request: the service, the parts of the address, the index that it names, the body."""

    indexes: Indexes
    options: Options
    call: Call
    parts: dict[str, str]
    query: dict[str, str]
    body: Any = None

    @property
    def label(self) -> Any:
        """The id that the address names: a text, or the value of JSON that it is."""
        name = self.parts["id"]
        return self.index.id_of(name, is_json=self.query.get("json") == "1")

    @property
    def index(self) -> Served:
        """The index that the address names."""
        return self.named(self.parts["name"], "name")

    def named(self, name: str, field: str) -> Served:
        """The index of a name, which a field of the request has."""
        if name not in self.indexes:
            missing = Message("there is no index {name}", name=name).with_id("service.no_such_index")
            raise ServiceError(missing, code="not_found", field=field)
        self.call.index = name
        return self.indexes[name]

    def checked(self, texts: Sequence[str], what: str = "documents") -> None:
        """Refuse too many texts, and too long ones."""
        most, longest = self.options.max_batch, self.options.max_text
        self.call.documents = len(texts)
        if len(texts) > most:
            raise ServiceError(
                Message("{what} are {count:,}, more than {most:,}", what=what, count=len(texts), most=most),
                code="too_large", field=what,
            )  # fmt: skip
        for at, text in enumerate(texts):
            if len(text) * 4 > longest and len(text.encode()) > longest:
                error = too_large(longest, Message("text {number}", number=at))
                error.field = f"{what}[{at}]"
                raise error

    def documents(self) -> Sequence[Any]:
        """The documents of the body, within their limits."""
        found: Sequence[Any] = self.body.documents
        # The fields of a record that hold the text are the index's; the limit of the body holds for them.
        self.checked([one.text for one in found] if self.index.takes_texts else [""] * len(found))
        return found
