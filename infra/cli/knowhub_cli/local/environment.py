"""The environment of a worker: the template's variables, this machine's places, and little else.

Nothing of the person's own environment gets in but what a process needs to run at all, so that a function finds no AWS
credentials that it would not have on AWS.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from knowhub_cli.local.blueprint import FunctionSpec
from knowhub_cli.local.intrinsics import REGION
from knowhub_cli.local.places import Places

_INHERITED: Final = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR")

_NOT_HERE: Final = frozenset({"AWS_LAMBDA_EXEC_WRAPPER"})
"""Every local worker runs the streaming loop already; the wrapper's path exists on Lambda only."""


def overrides(places: Places, public_url: str, extra: Mapping[str, str]) -> dict[str, str]:
    """Name every variable that the local host decides instead of the template; `extra` has the last word."""
    return {
        "KNOWHUB_CHUNK_INDEX": places.chunks,
        "PUBLIC_URL": public_url,
        "KNOWHUB_OPEN_DOCS": "true",
        # A first start makes its administrator by itself.
        "KNOWHUB_BOOTSTRAP_SECRET": "",
        **extra,
    }


def settings_environment(spec: FunctionSpec, overriding: Mapping[str, str]) -> dict[str, str]:
    """Give what the function's settings are read from."""
    variables = {**spec.environment, **overriding}
    return {name: value for name, value in variables.items() if name not in _NOT_HERE}


def process_environment(
    spec: FunctionSpec, settings: Mapping[str, str], *, inherited: Mapping[str, str], source: Sequence[Path], api: str
) -> dict[str, str]:
    """Give the whole environment of a worker process; `source` goes on the import path before the function's layers."""
    return {
        **{name: inherited[name] for name in _INHERITED if name in inherited},
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        # HOME leads to a person's credentials: point the SDK's look-ups at nothing.
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
        "PYTHONUNBUFFERED": "1",
        **settings,
        "PYTHONPATH": os.pathsep.join(dict.fromkeys(str(path) for path in (*source, *spec.layers))),
        "AWS_LAMBDA_RUNTIME_API": api,
        "AWS_LAMBDA_FUNCTION_NAME": spec.name,
        "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(spec.memory),
        "AWS_LAMBDA_LOG_GROUP_NAME": f"/aws/lambda/{spec.name}",
        "AWS_LAMBDA_LOG_STREAM_NAME": "local",
        "LAMBDA_TASK_ROOT": str(spec.code),
        "_HANDLER": spec.handler,
    }
