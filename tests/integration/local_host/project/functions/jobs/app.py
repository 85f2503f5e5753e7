"""Does what each message says, and writes down what it got."""

import json
import os
import time
from pathlib import Path
from typing import Any

SCRATCH = Path(os.environ["SCRATCH"])


def note(line: str) -> None:
    with (SCRATCH / "jobs").open("a", encoding="utf-8") as file:
        file.write(line + "\n")


def fails(name: str, action: str, times: int) -> bool:
    """Do what a job says, and tell whether it counts as failed."""
    note(f"{name} {times}")
    if action == "raise" or (action == "raise once" and times == 1):
        raise RuntimeError("a batch that fails")
    if action == "die" and times == 1:
        os._exit(4)
    while action == "hang" and times == 1 and not (SCRATCH / "release").exists():
        time.sleep(0.005)
    return action == "fail" or (action == "fail once" and times == 1)


def handler(event: dict[str, Any], _: Any) -> Any:
    if "Records" not in event:
        note(f"tick {event['source']}")
        return None
    failures = []
    for record in event["Records"]:
        job = json.loads(record["body"])
        if "Records" in job:
            note(f"upload {job['Records'][0]['s3']['object']['key']}")
        elif fails(job["name"], job.get("do", "succeed"), int(record["attributes"]["ApproximateReceiveCount"])):
            failures.append({"itemIdentifier": record["messageId"]})
    return {"batchItemFailures": failures}
