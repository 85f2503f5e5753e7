"""Facets: which metadata values the visible documents of a KB have."""

from dataclasses import dataclass

from knowhub.model.filter import Scalar


@dataclass(frozen=True, slots=True)
class Facet:
    """A metadata key with values and the number of documents that have each; `more` says that there are others."""

    key: str
    values: tuple[tuple[Scalar, int], ...]
    more: bool
