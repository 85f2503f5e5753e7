"""The folder and the service's bucket do the same, step by step, under random operations on awkward keys.

Compared are the bytes, content types and sizes, what is absent, the pages of lists with any prefix, limit and cursor,
and the errors. Left out is the time of a write: the folder goes by the clock it is given.
"""

import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import hypothesis.strategies as st
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from knowhub.errors import KnowhubError
from knowhub.ports.blobs import Blobs
from tests.contract.blobs_homes import folder_blobs, s3_blobs, s3_client

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

SETTINGS = settings(
    max_examples=15,
    stateful_step_count=20,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
    # A step asks the service: to shrink a failure would outlast the test's time-out, and its steps are few as they are.
    phases=[Phase.generate],
)

SEGMENTS = st.sampled_from(
    ["a", "A", "b", "a-", "a.", "a0", "a@", "a+", "%61", "é", "e\u0301", "汉", "😀", "\uffee", " ", "a b", ".x", "..."]
    # Three that part only after the first name of a long segment is full, on both sides of the slash.
    + ["l" * 119 + end for end in ("", "m", "m!", "é", "mm")]
)
KEYS = st.lists(SEGMENTS, min_size=1, max_size=3).map("/".join)
PREFIXES = st.just("") | KEYS | KEYS.map(lambda key: key[:-1]) | KEYS.map(lambda key: key + "/")
WRONG = st.sampled_from(["", "/a", "a//b", "..", "a/../b", "a\\b", "\x00", "x" * 901])
TYPES = st.sampled_from(["text/plain", "application/pdf", "text/html; charset=utf-8"])


class TwoHomes(RuleBasedStateMachine):
    """A folder and a bucket that both start empty."""

    def __init__(self, client: "S3Client") -> None:
        super().__init__()
        self.stack = ExitStack()
        root = Path(self.stack.enter_context(tempfile.TemporaryDirectory()))
        self.homes: tuple[Blobs, Blobs] = (folder_blobs(root), s3_blobs(client, f"bucket-{uuid4().hex}"))

    def same(self, call: str, *arguments: object, **named: object) -> object:
        """Make the call on both, check that the outcomes are alike, and give the outcome."""
        outcomes = []
        for home in self.homes:
            try:
                outcomes.append(getattr(home, call)(*arguments, **named))
            except KnowhubError as error:
                outcomes.append((type(error), error.code))
        assert outcomes[0] == outcomes[1], call
        return outcomes[0]

    @rule(key=KEYS, data=st.binary(max_size=20), content_type=TYPES)
    def put(self, key: str, data: bytes, content_type: str) -> None:
        self.same("put", key, data, content_type=content_type)

    @rule(keys=st.lists(KEYS, min_size=3, max_size=7))
    def put_many(self, keys: list[str]) -> None:
        for key in keys:
            self.same("put", key, key.encode())

    @rule(key=KEYS | WRONG)
    def get(self, key: str) -> None:
        self.same("get", key)

    @rule(key=KEYS | WRONG)
    def stat(self, key: str) -> None:
        try:
            found = [home.stat(key) for home in self.homes]
        except KnowhubError:
            self.same("stat", key)
            return
        folder, bucket = (None if each is None else (each.key, each.size, each.content_type) for each in found)
        assert folder == bucket

    @rule(source=KEYS | WRONG, copied=KEYS)
    def copy(self, source: str, copied: str) -> None:
        self.same("copy", source, copied)

    @rule(keys=st.lists(KEYS, max_size=5))
    def delete(self, keys: list[str]) -> None:
        self.same("delete", keys)

    @rule(prefix=PREFIXES, limit=st.integers(min_value=1, max_value=5))
    def list_all(self, prefix: str, limit: int) -> None:
        cursor = None
        while True:
            pages = [home.list(prefix, cursor=cursor, limit=limit) for home in self.homes]
            assert pages[0] == pages[1]
            cursor = pages[0].cursor
            if cursor is None:
                return

    def teardown(self) -> None:
        try:
            page = self.homes[0].list("")
            assert page == self.homes[1].list("")
            for key in page.keys:
                self.get(key)
                self.stat(key)
        finally:
            self.stack.close()


def test_the_folder_and_the_bucket_agree() -> None:
    with s3_client() as client:
        make = lambda: TwoHomes(client)  # noqa: E731  one line, used here
        run_state_machine_as_test(make, settings=SETTINGS)  # type: ignore[arg-type]  # it takes any factory
