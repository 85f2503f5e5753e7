"""Kept embeddings: the same vectors, without asking the model again."""

from contextlib import closing
from pathlib import Path

from knowhub_cli.evaluation.kept_vectors import KeptVectors
from tests.embedding import WordEmbedder

TEXTS = ["seals dive", "", "seals swim", "seals dive"]


def test_vectors_are_those_of_the_model_and_new_texts_alone_reach_it(tmp_path: Path) -> None:
    model = WordEmbedder()
    with closing(KeptVectors(model, tmp_path)) as kept:
        first = kept.embed_documents(TEXTS)
        query = kept.embed_query("dive")
        assert kept.profile == model.profile
    assert first == WordEmbedder().embed_documents(TEXTS)
    assert model.documents == ["seals dive", "", "seals swim"]
    again = WordEmbedder()
    with closing(KeptVectors(again, tmp_path)) as kept:
        assert kept.embed_documents([*TEXTS, "whales"])[:4] == first
        assert kept.embed_query("dive") == query
    assert (again.documents, again.queries) == (["whales"], [])


def test_a_text_without_a_direction_is_kept_too(tmp_path: Path) -> None:
    model = WordEmbedder()
    with closing(KeptVectors(model, tmp_path)) as kept:
        assert [kept.embed_query("12"), kept.embed_query("12"), kept.embed_documents(["12"])] == [None, None, [None]]
    assert model.queries == ["12"]


def test_a_query_is_not_taken_for_a_document(tmp_path: Path) -> None:
    model = WordEmbedder()
    with closing(KeptVectors(model, tmp_path)) as kept:
        kept.embed_documents(["dive"])
        kept.embed_query("dive")
    assert model.queries == ["dive"]


def test_models_do_not_share_vectors(tmp_path: Path) -> None:
    with closing(KeptVectors(WordEmbedder(), tmp_path)) as kept:
        kept.embed_query("dive")
    other = WordEmbedder(identity="words:2")
    with closing(KeptVectors(other, tmp_path)) as kept:
        kept.embed_query("dive")
    assert other.queries == ["dive"]
