"""The built application, deployed with sam to an emulated account, takes a document from upload to answer and away.

DynamoDB, S3, SQS, the event sources, the layers, IAM rights and TLS-only policies are real to the functions here, and
so is OpenSearch but for signatures and rights, which a node outside of a domain does not ask for. API Gateway's part
(matching routes, streaming) is left out: its events are written by hand.
"""

import base64
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from knowhub.adapters import RandomIdentifiers, SystemClock
from knowhub.services.identity import Identity, IdentityRows
from knowhub.stores.dynamodb.table import DynamoTable
from tests.e2e.emulator.deployment import PREFIX, Deployment, deploy
from tests.e2e.emulator.ministack import emulator
from tests.hubs import Answer, answer_of, proxy_event
from tests.opensearch.homes import indexes_of

pytestmark = pytest.mark.emulator

PATIENCE_SECONDS = 120
"""Within which work has to get through the queues; a bound for what hangs, no promise."""

TEXT = "# Tides\n\nThe harbour of Aldmoor falls dry at low tide. Ferries leave from the quartz pier twice a day.\n"
QUESTION = "Where do ferries leave from?"


class Account:
    """The deployed functions, called as API Gateway and the services call them."""

    def __init__(self, deployment: Deployment) -> None:
        self.emulator = deployment.emulator
        self.outputs = deployment.outputs
        self.clients = {name: self.emulator.client(name) for name in ("lambda", "dynamodb", "s3", "sqs")}

    def close(self) -> None:
        for client in self.clients.values():
            client.close()

    def call(self, function: str, event: dict[str, Any]) -> Any:
        answer = self.clients["lambda"].invoke(
            FunctionName=self.outputs[function], Payload=json.dumps(event).encode(), LogType="Tail"
        )
        payload = json.loads(answer["Payload"].read())
        said = base64.b64decode(answer.get("LogResult", "")).decode()
        assert "FunctionError" not in answer, f"{payload}\n{said}"
        assert not (isinstance(payload, dict) and payload.get("statusCode", 200) >= 500), f"{payload}\n{said}"
        return payload

    def http(self, method: str, path: str, body: Any = None, *, key: str | None = None) -> Answer:
        return answer_of(self.call("HttpFunction", proxy_event(method, f"/api/v1{path}", body, key=key)))

    def await_that(self, what: str, happened: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE_SECONDS
        while not happened():
            assert time.monotonic() < end, f"{what} did not happen:\n{self.emulator.log[-4000:]}"
            time.sleep(0.5)

    def waiting(self, queue: str) -> int:
        names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
        answer = self.clients["sqs"].get_queue_attributes(QueueUrl=self.outputs[queue], AttributeNames=names)
        return sum(int(answer["Attributes"][name]) for name in names)

    def blobs(self, prefix: str) -> list[str]:
        answer = self.clients["s3"].list_objects_v2(Bucket=self.outputs["RawBucket"], Prefix=prefix)
        return [found["Key"] for found in answer.get("Contents", ())]


@pytest.fixture(scope="module")
def account(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Account]:
    folder: Path = tmp_path_factory.mktemp("emulator")
    with emulator(folder) as running, indexes_of(PREFIX):
        opened = Account(deploy(running, folder))
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def key(account: Account) -> str:
    """Give an admin's API key, made as the first one of a new hub is: straight in the catalog."""
    table = DynamoTable(account.clients["dynamodb"], account.outputs["CatalogTable"])
    identity = Identity(IdentityRows.of(table), SystemClock(), RandomIdentifiers())
    admin = identity.create_user("admin", "correct horse battery", "admin")
    return identity.issue_key(admin.user_id, "first").secret


@pytest.fixture(scope="module")
def kb(account: Account, key: str) -> int:
    created = account.http("POST", "/kb", {"name": "Harbours"}, key=key)
    assert created.status == 201, created.body
    return int(created.json["kb_id"])


def _submit(account: Account, key: str, kb: int, text: str = TEXT) -> str:
    submission = {"title": "Tides", "text": text, "content_type": "text/markdown"}
    accepted = account.http("POST", f"/kb/{kb}/documents", submission, key=key)
    assert accepted.status == 202, accepted.body
    doc_id = str(accepted.json["doc_id"])
    seen = account.http("GET", f"/documents/{doc_id}", key=key).json
    account.await_that(
        f"reading {seen}", lambda: account.http("GET", f"/documents/{doc_id}", key=key).json["status"] == "ready"
    )
    return doc_id


@pytest.fixture(scope="module")
def doc_id(account: Account, key: str, kb: int) -> str:
    """Give a document that has gone through the queue and the reader."""
    return _submit(account, key, kb)


def _hits(account: Account, key: str, kb: int) -> list[str]:
    found = account.http("POST", f"/kb/{kb}/search", {"query": "quartz pier"}, key=key)
    assert found.status == 200, found.body
    return [hit["doc_id"] for hit in found.json["hits"]]


def test_the_emulated_account_checks_rights(account: Account) -> None:
    iam = account.emulator.client("iam")
    iam.create_user(UserName="nobody")
    given = iam.create_access_key(UserName="nobody")["AccessKey"]
    iam.close()
    nobody = account.emulator.client("dynamodb", given["AccessKeyId"], given["SecretAccessKey"])
    with pytest.raises(ClientError, match="AccessDenied"):
        nobody.scan(TableName=account.outputs["CatalogTable"])
    nobody.close()


def test_the_service_answers_with_its_layers(account: Account) -> None:
    assert account.http("GET", "/health").status == 200


def test_a_stranger_is_turned_away(account: Account) -> None:
    assert account.http("GET", "/kb").status == 401


def test_a_document_is_found_after_it_went_through_queue_and_reader(
    account: Account, key: str, kb: int, doc_id: str
) -> None:
    assert doc_id in _hits(account, key, kb)
    assert any(doc_id in blob for blob in account.blobs(f"raw/{kb}/"))
    assert any(doc_id in blob for blob in account.blobs(f"derived/{kb}/"))


def test_an_answer_is_sent_whole_where_nothing_streams(account: Account, key: str, kb: int, doc_id: str) -> None:
    answer = account.http("POST", f"/kb/{kb}/ask", {"question": QUESTION}, key=key)
    assert answer.status == 200
    names = [name for name, _ in answer.events]
    assert (names[0], names[-1]) == ("sources", "done")
    assert doc_id in {source["doc_id"] for source in answer.events[0][1]["sources"]}
    assert "quartz pier" in answer.events[-1][1]["answer"]


@pytest.mark.parametrize(
    ("tool", "arguments"), [("search_kb", {"query": "quartz pier"}), ("get_document", {"doc_id": "the document's"})]
)
def test_the_document_is_found_through_mcp(
    account: Account, key: str, kb: int, doc_id: str, tool: str, arguments: dict[str, str]
) -> None:
    given = {name: doc_id if name == "doc_id" else value for name, value in arguments.items()}
    params = {"name": tool, "arguments": {**given, "kb_id": kb}}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    found = answer_of(account.call("McpFunction", proxy_event("POST", "/mcp", call, key=key, headers=_MCP)))
    assert found.status == 200, found.body
    assert found.json["result"].get("isError", False) is False, found.body
    assert "quartz pier" in found.body.decode()
    assert doc_id in found.body.decode()


def test_the_document_answers_an_agent(account: Account, key: str, kb: int, doc_id: str) -> None:
    task = {"skill": "answer", "kb_id": kb, "query": QUESTION}
    done = answer_of(account.call("A2aFunction", proxy_event("POST", "/a2a/tasks", task, key=key)))
    assert done.status == 200, done.body
    assert doc_id in done.body.decode()


def test_a_tick_sweeps(account: Account) -> None:
    tick = {"version": "0", "source": "aws.events", "detail-type": "Scheduled Event", "detail": {}}
    assert account.call("SyncFunction", tick) == {"sent": 0}


def test_an_upload_reaches_the_reader(account: Account) -> None:
    account.await_that("the queue to run empty", lambda: account.waiting("DocumentQueue") == 0)
    before = account.emulator.log.count("S3 notification")
    account.clients["s3"].put_object(Bucket=account.outputs["RawBucket"], Key="uploads/u_1", Body=b"bytes")
    account.await_that("the notice", lambda: account.emulator.log.count("S3 notification") > before)
    account.await_that("its settling", lambda: account.waiting("DocumentQueue") == 0)
    assert account.waiting("DocumentDeadLetters") == 0


def test_a_deleted_document_is_gone_at_once_and_its_bytes_soon(account: Account, key: str, kb: int) -> None:
    # Of documents that say the same a search shows one.
    gone = _submit(account, key, kb, f"{TEXT}A third one leaves at night.\n")
    assert gone in _hits(account, key, kb)
    assert account.http("DELETE", f"/documents/{gone}", key=key).status in {202, 204}
    assert gone not in _hits(account, key, kb)
    assert account.http("GET", f"/documents/{gone}", key=key).status == 404
    account.await_that(
        "removing the bytes",
        lambda: not [blob for blob in account.blobs("raw/") + account.blobs("derived/") if gone in blob],
    )


def test_documents_are_listed_whole_and_by_status(account: Account, key: str, kb: int, doc_id: str) -> None:
    for query in ({}, {"status": "ready"}):
        event = proxy_event("GET", f"/api/v1/kb/{kb}/documents", key=key, query=query)
        listed = answer_of(account.call("HttpFunction", event))
        assert listed.status == 200, listed.body
        assert doc_id in {document["doc_id"] for document in listed.json["items"]}


def test_a_deleted_knowledge_base_is_gone_at_once_and_its_documents_soon(account: Account, key: str) -> None:
    created = account.http("POST", "/kb", {"name": "Short-lived"}, key=key)
    passing = int(created.json["kb_id"])
    gone = _submit(account, key, passing)
    assert account.http("DELETE", f"/kb/{passing}", key=key).status in {202, 204}
    assert account.http("GET", f"/documents/{gone}", key=key).status == 404
    account.await_that(
        "removing the bytes", lambda: account.blobs(f"raw/{passing}/") + account.blobs(f"derived/{passing}/") == []
    )


_MCP = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
