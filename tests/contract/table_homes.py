"""Both homes of the table port, each with an empty table."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import boto3
from moto import mock_aws

from knowhub.ports.table import INDEXES, Table
from knowhub.stores.dynamodb.table import DynamoTable
from knowhub.stores.sqlite.table import SqliteTable

_numbers = count()


def dynamodb_client() -> Any:
    """Build a client with made-up credentials; its calls go nowhere but to what stands in for the service."""
    return boto3.client("dynamodb", region_name="eu-central-1", aws_access_key_id="none", aws_secret_access_key="none")


def create_table(client: Any) -> str:
    """Create an empty table as the template declares it, and give its name."""
    table_name = f"catalog-{next(_numbers)}"
    names = ["pk", "sk", *(f"{index}_{part}" for index in INDEXES for part in ("pk", "sk"))]
    client.create_table(
        TableName=table_name,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in names],
        KeySchema=_key_schema("pk", "sk"),
        GlobalSecondaryIndexes=[
            {
                "IndexName": index,
                "KeySchema": _key_schema(f"{index}_pk", f"{index}_sk"),
                "Projection": {"ProjectionType": "ALL"},
            }
            for index in INDEXES
        ],
    )
    return table_name


@contextmanager
def imitation() -> Iterator[Any]:
    """Give a client of an imitation of DynamoDB that runs in this process; starting one costs more than a test."""
    with mock_aws():
        client = dynamodb_client()
        yield client
        client.close()


@contextmanager
def home(name: str, folder: Path, client: Any) -> Iterator[Table]:
    """Give an empty table of the named home."""
    if name == "sqlite":
        with closing(SqliteTable(folder / "table.db")) as table:
            yield table
    else:
        yield DynamoTable(client, create_table(client))


def _key_schema(partition: str, sort: str) -> list[dict[str, str]]:
    return [{"AttributeName": partition, "KeyType": "HASH"}, {"AttributeName": sort, "KeyType": "RANGE"}]
