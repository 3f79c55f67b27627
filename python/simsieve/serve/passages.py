"""The page on passages as addresses: what its script asks for when a document or a source is looked at."""

from typing import Any

from starlette.requests import Request
from starlette.routing import Router

from simsieve.errors import ServiceError
from simsieve.inside.page import MOST_SERVED, SCRIPT, STYLE, PassagesPage
from simsieve.messages import Message
from simsieve.review.page import served_page
from simsieve.serve.doors import LOOKS, Doors, Guest, page_app, whole_number


def passages_app(result: Any, doors: Doors) -> Router:
    """Make the addresses of the page of a `PassageResult`; see `page_app`."""
    made = PassagesPage(result, MOST_SERVED, MOST_SERVED)
    first = served_page(made.title, *made.content(), script=made.script or "", styles=(STYLE,))
    begun = made.begin()

    def document(request: Request, _: Guest, __: dict[str, Any]) -> Any:
        return _found(made.document(whole_number(request.query_params, "number")))

    def text(request: Request, _: Guest, __: dict[str, Any]) -> Any:
        return _found(made.text(*(whole_number(request.query_params, name) for name in ("number", "of"))))

    answers = {"begin": lambda *_: begun, "document": document, "text": text}
    assets = ("page.css", "review.css", STYLE, SCRIPT)
    return page_app(doors, lambda: first, assets, {("GET", name): (LOOKS, one) for name, one in answers.items()})


def _found(answer: Any) -> Any:
    if answer is None:
        raise ServiceError(Message("there is nothing at this address"), code="not_found")
    return answer
