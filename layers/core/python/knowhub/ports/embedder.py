"""The embedder port: texts to vectors, so that what means the same lies near."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class EmbedderProfile:
    """What an embedder is.

    `identity` names the model and everything that changes its vectors; vectors of two identities are never compared.
    `weight` is the dense leg's in the fusion: 1.0 for a real retriever, less for a model that only knows similarity,
    and then `cross_language` says that it may still be trusted where the query's script is not the documents'.
    """

    identity: str
    dimension: int
    weight: float = 1.0
    cross_language: bool = False


class Embedder(Protocol):
    """Embeds documents and queries; one call may take long, and any number of texts may be given at once.

    Vectors are L2-normalised and as long as `profile.dimension`. None stands for a text that has no direction, such as
    an empty one. Raises `Unavailable` where the model does not answer, after its own retries, and `InvalidSettings`
    where it refuses who asks.
    """

    @property
    def profile(self) -> EmbedderProfile:
        """Say what the embedder is, without loading or asking a model."""

    def embed_documents(self, texts: Sequence[str]) -> list[Sequence[float] | None]:
        """Embed texts as they are indexed, one vector a text, in order."""

    def embed_query(self, text: str) -> Sequence[float] | None:
        """Embed what somebody looks for."""
