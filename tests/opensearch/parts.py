"""The parts of a search node, gathered once with Maven and kept outside of the tree."""

import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

VERSION = "2.19.1"
"""As the domain of `infra/opensearch.yaml` runs it; the poms say the same, which a test compares."""

_POMS = Path(__file__).parent / "maven"
_MODULES = {
    "analysis-common": "org.opensearch.analysis.common.CommonAnalysisPlugin",
    "transport-netty4": "org.opensearch.transport.Netty4Plugin",
    "lang-painless": "org.opensearch.painless.PainlessPlugin",
    "reindex": "org.opensearch.index.reindex.ReindexPlugin",
}
_DESCRIPTOR = """\
description=a module of the distribution
version={version}
name={name}
classname={classname}
java.version=11
opensearch.version={version}
extended.plugins=
has.native.controller=false
"""
_POLICY = "grant { permission java.security.AllPermission; };\n"
_GATHER_SECONDS = 280
_TAIL = 1_500


class PartsUnavailable(Exception):
    """Maven could not get the parts; the message has what it said last."""


def cache_folder() -> Path:
    """Give the folder for what may be made again at any time, made where it is absent."""
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "knowhub"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold an exclusive lock between processes."""
    with path.open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def gathered() -> Path:
    """Give the folder with `lib`, `modules` and `plugins`, which the first call on a machine fills in a minute or two.

    Raises `PartsUnavailable` where Maven can't.
    """
    folder = cache_folder() / f"opensearch-{VERSION}-{_fingerprint()}"
    with locked(cache_folder() / "opensearch.lock"):
        if not folder.is_dir():
            with tempfile.TemporaryDirectory(dir=cache_folder(), prefix="gathering-") as draft:
                _gather(Path(draft))
                (Path(draft) / "home").replace(folder)
    return folder


def _gather(draft: Path) -> None:
    shutil.copytree(_POMS, draft / "maven", ignore=shutil.ignore_patterns("target"))
    home = draft / "home"
    command = ["mvn", "--batch-mode", "--no-transfer-progress", "--quiet", "package", f"-Dhome={home}"]
    try:
        done = subprocess.run(
            command, cwd=draft / "maven", check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, timeout=_GATHER_SECONDS,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise PartsUnavailable(f"Maven was not done within {_GATHER_SECONDS} s") from error
    if done.returncode:
        raise PartsUnavailable(f"Maven failed: {done.stdout.decode(errors='replace')[-_TAIL:]}")
    for name, classname in _MODULES.items():
        _complete(home, name, classname)


def _complete(home: Path, name: str, classname: str) -> None:
    """Turn a folder of jars into a module; the node does not start where one has a jar that `lib` has too."""
    module = home / "modules" / name
    for jar in module.glob("*.jar"):
        if (home / "lib" / jar.name).exists():
            jar.unlink()
    described = _DESCRIPTOR.format(version=VERSION, name=name, classname=classname)
    (module / "plugin-descriptor.properties").write_text(described, encoding="utf-8")
    (module / "plugin-security.policy").write_text(_POLICY, encoding="utf-8")


def _fingerprint() -> str:
    """Name what is gathered and how, so that a change of either gathers anew."""
    sources = [Path(__file__), *sorted(_POMS.rglob("pom.xml"))]
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in sources)).hexdigest()[:12]
