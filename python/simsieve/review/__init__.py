"""The review page: people judge the near duplicates of a run in a browser, and each verdict is kept at once."""

from simsieve.review.app import review_app
from simsieve.review.reviewing import Reviewing
from simsieve.review.server import listening, serve_review

__all__ = ["Reviewing", "listening", "review_app", "serve_review"]
