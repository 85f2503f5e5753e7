"""The secret of a remote model: named by reference in a setting, read when it is first needed, and shown nowhere."""

import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from knowhub.choices import KeyReference
from knowhub.settings import InvalidSettings, variable_of_the_environment

MAX_SECRET = 4096
"""Characters in a secret."""

_SECRET = re.compile(r"[\x21-\x7e]+", re.ASCII)

Read = Callable[[str], str]


class Key:
    """A secret behind a reference; `variable` is the setting's name, which every error gives in place of the value."""

    def __init__(self, variable: str, reference: KeyReference, readers: Mapping[str, Read]) -> None:
        """Keep how references of each scheme are read."""
        self._variable = variable
        self._reference = reference
        self._readers = readers
        self._lock = threading.Lock()
        self._secret: str | None = None

    def __repr__(self) -> str:
        return f"Key({self._variable})"

    def secret(self) -> str:
        """Read the secret, once; raises `InvalidSettings` where nothing usable is there, and tries again next time."""
        with self._lock:
            if self._secret is None:
                self._secret = self._read()
            return self._secret

    def _read(self) -> str:
        place = self._reference
        try:
            found = self._readers[place.scheme](place.name).strip()
        except InvalidSettings:
            raise
        except Exception as error:  # noqa: BLE001 - each store has errors of its own, any of which may quote the secret
            kind = type(error).__name__
            raise InvalidSettings(f"{self._variable} leads to nothing that can be read ({kind})") from None
        if len(found) > MAX_SECRET or not _SECRET.fullmatch(found):
            raise InvalidSettings(f"{self._variable} leads to what is no key: it has to be one word in ASCII")
        return found


@dataclass(frozen=True, slots=True)
class KeyReaders:
    """How references are read; `client` gives an AWS client by its service's name."""

    client: Callable[[str], Any]

    def by_scheme(self) -> Mapping[str, Read]:
        """Name the reader of each scheme."""
        return {
            "file": _of_file,
            "env": variable_of_the_environment,
            "ssm": self._of_parameter,
            "secretsmanager": self._of_secret,
        }

    def _of_parameter(self, name: str) -> str:
        answer = self.client("ssm").get_parameter(Name=name, WithDecryption=True)
        return str(answer["Parameter"]["Value"])

    def _of_secret(self, arn: str) -> str:
        return str(self.client("secretsmanager").get_secret_value(SecretId=arn)["SecretString"])


def _of_file(path: str) -> str:
    with Path(path).open(encoding="ascii") as file:
        # One more than is allowed, and two for the end of a line: a file that is no key is not read whole.
        return file.read(MAX_SECRET + 3)
