"""Settings: read once, refused plainly."""

import pytest

from knowhub.settings import Http, InvalidSettings, Mcp, Settings, Sync

NEEDED = {
    "KNOWHUB_TABLE": "sqlite:/t",
    "KNOWHUB_BUCKET": "folder:/b",
    "KNOWHUB_DOCUMENT_QUEUE": "sqlite:/q#D",
    "KNOWHUB_CHUNK_INDEX": "tantivy:/c",
}


def test_an_environment_with_what_is_needed_loads_and_the_rest_has_defaults() -> None:
    loaded = Http.load({**NEEDED, "UNRELATED": "x"})
    assert (loaded.table, loaded.public_url, loaded.ask_streaming, loaded.open_docs) == ("sqlite:/t", "", False, False)


def test_every_missing_variable_is_named_at_once() -> None:
    with pytest.raises(InvalidSettings) as caught:
        Sync.load({"KNOWHUB_TABLE": " "})
    assert all(f"{name} is missing" in str(caught.value) for name in (*NEEDED, "KNOWHUB_SYNC_QUEUE"))


@pytest.mark.parametrize(("text", "value"), [("true", True), ("FALSE", False), ("", False)])
def test_a_switch_is_true_or_false(text: str, value: bool) -> None:
    assert Http.load({**NEEDED, "KNOWHUB_ASK_STREAMING": text}).ask_streaming is value


def test_a_switch_that_is_neither_is_refused_without_its_value() -> None:
    with pytest.raises(InvalidSettings, match="KNOWHUB_OPEN_DOCS is neither true nor false") as caught:
        Http.load({**NEEDED, "KNOWHUB_OPEN_DOCS": "s3cret"})
    assert "s3cret" not in str(caught.value)


def test_origins_are_a_comma_list_without_regard_to_case_and_space() -> None:
    loaded = Mcp.load({**NEEDED, "KNOWHUB_MCP_ORIGINS": " https://A.example , ,https://b.example"})
    assert loaded.allowed_origins == {"https://a.example", "https://b.example"}


def test_a_model_names_its_variables() -> None:
    models = {
        f"KNOWHUB_{name}"
        for name in (
            "EMBEDDER",
            "EMBEDDER_WEIGHT",
            "EMBEDDER_KEY",
            "RERANKER",
            "RERANKER_KEY",
            "GENERATOR",
            "GENERATOR_KEY",
        )
    }
    other = {"PUBLIC_URL", "KNOWHUB_IMPORT_ROOTS", "KNOWHUB_LOOPBACK_URLS"}
    issuer = {"KNOWHUB_OIDC_ISSUER", "KNOWHUB_OIDC_AUDIENCE", "KNOWHUB_OIDC_GROUPS"}
    assert Settings.variables() == {*NEEDED, *models, *other, *issuer}


def test_import_roots_are_a_list_of_places_with_the_kbs_they_are_open_to() -> None:
    text = '[{"root": "s3://bucket/docs", "kb_ids": [1, 2]}, {"root": "/srv/docs"}]'
    first, second = Settings.load({**NEEDED, "KNOWHUB_IMPORT_ROOTS": text}).import_roots
    assert (first.root, first.kb_ids) == ("s3://bucket/docs", {1, 2})
    assert (second.root, second.kb_ids) == ("/srv/docs", None)


@pytest.mark.parametrize("text", ["/srv", "{}x", "[1]", '[{"kb_ids": []}]', '[{"root": "relative"}]', '[{"root": 5}]'])
def test_import_roots_of_another_form_are_refused(text: str) -> None:
    with pytest.raises(InvalidSettings, match="KNOWHUB_IMPORT_ROOTS is no list"):
        Settings.load({**NEEDED, "KNOWHUB_IMPORT_ROOTS": text})
