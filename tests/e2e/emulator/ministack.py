"""One MiniStack server: on this machine only, over TLS, with IAM rights checked, and gone when the test is."""

import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import boto3
import urllib3

from tests.environments import require
from tests.infra.sam import REGION

ACCOUNT_KEY = "test"
"""Key and secret of the emulated account's root."""

_START_SECONDS = 60


@dataclass(frozen=True)
class Emulator:
    """A running server; clients made here trust its certificate."""

    process: "subprocess.Popen[bytes]"
    port: int
    folder: Path

    @property
    def url(self) -> str:
        """Give the address that every service answers on."""
        return f"https://127.0.0.1:{self.port}"

    @property
    def certificate(self) -> Path:
        """Give the file of the certificate that the server made for itself."""
        return self.folder / "ministack-tls" / "server.crt"

    @property
    def log(self) -> str:
        """Give what the server and the functions printed."""
        return (self.folder / "log").read_text(encoding="utf-8", errors="replace")

    @cached_property
    def python(self) -> str:
        """Give the version of the interpreter that functions run on, like `3.11`."""
        program = "import sys; print(f'{sys.version_info[0]}.{sys.version_info[1]}')"
        done = subprocess.run(
            [str(require("emulator") / "bin" / "python"), "-c", program], capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def client(self, service: str, key: str = ACCOUNT_KEY, secret: str = ACCOUNT_KEY) -> Any:
        """Make a client, as the account's root unless another key is given; the caller closes it."""
        make: Any = boto3.client
        return make(
            service,
            region_name=REGION,
            endpoint_url=self.url,
            verify=str(self.certificate),
            aws_access_key_id=key,
            aws_secret_access_key=secret,
        )


@contextmanager
def emulator(folder: Path) -> Iterator[Emulator]:
    """Start a server whose every file is in the folder, and stop it by its own process id."""
    program = str(require("emulator") / "bin" / "ministack")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "STATE_DIR": str(folder / "state"),
        "S3_DATA_DIR": str(folder / "s3"),
        "BIND_HOST": "127.0.0.1",
        "GATEWAY_PORT": str(port),
        "MINISTACK_REGION": REGION,
        "AWS_ACCESS_KEY_ID": ACCOUNT_KEY,
        "AWS_SECRET_ACCESS_KEY": ACCOUNT_KEY,
        "AUTH": "true",
        "USE_SSL": "1",
        "IOT_MTLS_ENABLED": "0",
        "PYTHONUNBUFFERED": "1",
    }
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [program],
            env=environment,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    running = Emulator(process, port, folder)
    try:
        _await_health(running)
        yield running
    finally:
        _stop(process)


def _stop(process: "subprocess.Popen[bytes]") -> None:
    """End the server, then what is left in the process group that it leads: functions that were just working."""
    process.terminate()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(20)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _await_health(running: Emulator) -> None:
    retries = urllib3.Retry(total=_START_SECONDS * 4, backoff_factor=0.25, backoff_max=0.25, raise_on_status=True)
    while not running.certificate.is_file():
        try:
            running.process.wait(0.1)
        except subprocess.TimeoutExpired:
            continue
        raise AssertionError(f"the emulator ended at once:\n{running.log}")
    with urllib3.PoolManager(ca_certs=str(running.certificate), retries=retries) as pool:
        answer = pool.request("GET", f"{running.url}/_ministack/health")
        assert answer.status == 200, running.log
