"""What every embedder promises: the port's text as tests, run on each home."""

import math
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from knowhub.errors import Unavailable
from knowhub.settings import InvalidSettings
from tests.contract.embedder_homes import HOMES, REMOTE, Bench, bench
from tests.model_servers import Reply

TEXTS = ["A deleted document is kept for thirty days.", "删除的文档会保留三十天。", "def f(x): return x + 1", "E-4711"]
BLANK = ["", " ", "\n\t \u3000", "\u200b", "\x00"]


@pytest.fixture(params=HOMES)
def any_home(request: pytest.FixtureRequest) -> Iterator[Bench]:
    with bench(request.param) as made:
        yield made


@pytest.fixture(params=REMOTE)
def remote(request: pytest.FixtureRequest) -> Iterator[Bench]:
    with bench(request.param) as made:
        yield made


def present(vectors: Sequence[Sequence[float] | None]) -> list[Sequence[float]]:
    found = [vector for vector in vectors if vector is not None]
    assert len(found) == len(vectors)
    return found


def cosine(left: Sequence[float], right: Sequence[float]) -> float:
    return sum(one * other for one, other in zip(left, right, strict=True))


class TestVectors:
    def test_there_is_one_for_each_text_of_length_1_and_of_the_dimension(self, any_home: Bench) -> None:
        vectors = present(any_home.embedder.embed_documents(TEXTS))
        assert [len(vector) for vector in vectors] == [any_home.embedder.profile.dimension] * len(TEXTS)
        assert [math.hypot(*vector) for vector in vectors] == pytest.approx([1.0] * len(TEXTS))

    def test_a_query_has_one_of_the_same_kind(self, any_home: Bench) -> None:
        (vector,) = present([any_home.embedder.embed_query(TEXTS[0])])
        assert len(vector) == any_home.embedder.profile.dimension
        assert math.hypot(*vector) == pytest.approx(1.0)

    def test_no_texts_are_no_vectors_and_no_call(self, any_home: Bench) -> None:
        assert any_home.embedder.embed_documents([]) == []
        assert any_home.server.asked == []

    @pytest.mark.parametrize("text", BLANK)
    def test_a_text_that_says_nothing_has_no_direction_and_is_not_sent(self, any_home: Bench, text: str) -> None:
        assert any_home.embedder.embed_query(text) is None
        assert any_home.embedder.embed_documents([text, text]) == [None, None]
        assert any_home.server.asked == []

    def test_blank_texts_between_others_leave_the_others_in_their_places(self, any_home: Bench) -> None:
        mixed = any_home.embedder.embed_documents(["", TEXTS[0], " ", TEXTS[1], ""])
        apart = present(any_home.embedder.embed_documents(TEXTS[:2]))
        assert [vector is None for vector in mixed] == [True, False, True, False, True]
        for vector, alone in zip(present([mixed[1], mixed[3]]), apart, strict=True):
            assert vector == pytest.approx(alone, abs=1e-5)

    def test_any_number_of_texts_comes_back_in_order(self, any_home: Bench) -> None:
        texts = [f"text number {number}" for number in range(230)]
        vectors = present(any_home.embedder.embed_documents(texts))
        for place in (0, 63, 64, 95, 96, 191, 192, 229):
            (alone,) = present(any_home.embedder.embed_documents([texts[place]]))
            assert cosine(vectors[place], alone) == pytest.approx(1.0, abs=1e-5)

    @pytest.mark.parametrize("text", ["word " * 20_000, "字" * 30_000, "\U0001f600" * 9_000])
    def test_a_text_over_the_limit_is_cut_and_not_refused(self, any_home: Bench, text: str) -> None:
        present([any_home.embedder.embed_query(text), *any_home.embedder.embed_documents([text])])

    def test_half_of_a_surrogate_pair_does_no_harm(self, any_home: Bench) -> None:
        present([any_home.embedder.embed_query("broken \ud83d end")])

    def test_many_threads_get_what_one_gets(self, any_home: Bench) -> None:
        expected = present(any_home.embedder.embed_documents(TEXTS))
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(any_home.embedder.embed_documents, [TEXTS] * 8))
        for vectors in found:
            for vector, one in zip(present(vectors), expected, strict=True):
                assert vector == pytest.approx(one, abs=1e-5)


class TestProfile:
    def test_it_is_told_without_asking_a_model(self, any_home: Bench) -> None:
        profile = any_home.embedder.profile
        assert profile.dimension > 0
        assert profile.identity.endswith(f":{profile.dimension}")
        assert any_home.server.asked == []

    def test_identities_tell_homes_and_dimensions_apart(self) -> None:
        identities = set()
        for home, length in [(home, 256) for home in HOMES] + [("titan", 512), ("openai", 512)]:
            with bench(home, length=length) as made:
                identities.add(made.embedder.profile.identity)
        assert len(identities) == len(HOMES) + 2


BUSY = [Reply({"message": "slow down"}, 429, {"x-amzn-ErrorType": "ThrottlingException"}), Reply(b"", 503)]
MALFORMED = [
    b"",
    b"no json",
    b"[]",
    b"null",
    b"{}",
    b'{"embedding": null}',
    b"[" * 100_000,
    b'{"data": 5}',
    b"\xff\xfe",
]


class TestAway:
    @pytest.mark.parametrize("reply", BUSY, ids=["429", "503"])
    def test_a_busy_model_is_asked_again(self, remote: Bench, reply: Reply) -> None:
        remote.replies += [reply, reply]
        present([remote.embedder.embed_query(TEXTS[0])])
        assert len(remote.server.asked) == 3
        assert remote.pauses.made == [0.25, 0.5]

    @pytest.mark.parametrize("reply", BUSY, ids=["429", "503"])
    def test_a_model_that_stays_busy_is_unavailable_after_a_while(self, remote: Bench, reply: Reply) -> None:
        remote.replies += [reply] * 50
        with pytest.raises(Unavailable, match="busy"):
            remote.embedder.embed_query(TEXTS[0])
        assert 2 < sum(remote.pauses.made) < 5

    def test_documents_are_tried_for_longer_than_a_query(self, remote: Bench) -> None:
        remote.replies += BUSY[:1] * 5
        present(remote.embedder.embed_documents(TEXTS[:1]))
        assert sum(remote.pauses.made) > 5

    @pytest.mark.parametrize("content", MALFORMED)
    def test_an_answer_that_can_not_be_read_is_unavailable_at_once(self, remote: Bench, content: bytes) -> None:
        remote.replies.append(Reply(content))
        with pytest.raises(Unavailable):
            remote.embedder.embed_query(TEXTS[0])
        assert len(remote.server.asked) == 1

    def test_a_failure_among_many_texts_is_the_failure_of_all(self, remote: Bench) -> None:
        remote.replies.append(Reply(b"{}"))
        with pytest.raises(Unavailable):
            remote.embedder.embed_documents([f"text {number}" for number in range(150)])

    @pytest.mark.parametrize("status", [401, 403])
    def test_who_is_refused_is_told_the_setting(self, remote: Bench, status: int) -> None:
        remote.replies.append(Reply({"message": "no"}, status, {"x-amzn-ErrorType": "AccessDeniedException"}))
        with pytest.raises(InvalidSettings, match="KNOWHUB_EMBEDDER"):
            remote.embedder.embed_query(TEXTS[0])
        assert len(remote.server.asked) == 1
