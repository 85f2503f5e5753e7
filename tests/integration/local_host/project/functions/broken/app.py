"""Does not start, until somebody has repaired it."""

import os
from pathlib import Path
from typing import Any

if not (Path(os.environ["SCRATCH"]) / "repaired").exists():
    raise RuntimeError("a part is missing")


def handler(_event: dict[str, Any], _context: Any) -> dict[str, Any]:
    return {"statusCode": 200, "body": "repaired"}
