"""Processes that take turns: in each round every one of them makes one pass, so that all meet the same weather."""

import json
import os
import select
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
OTHERS = ROOT / ".tools" / "bench-reading" / "bin" / "python"
LONGEST_SECONDS = 300


@dataclass(frozen=True)
class Measured:
    """One chunker's or reader's answer and the seconds of its passes, or why there is none."""

    library: str
    name: str
    answer: dict[str, Any]
    seconds: tuple[float, ...] = ()

    @property
    def title(self) -> str:
        """Name it with its library, behind the mark of what it does with headings."""
        return f"{self.answer.get('headings') or ' '} {self.library} {self.name}"

    @property
    def error(self) -> str | None:
        """Say why there is no figure."""
        return self.answer.get("error")

    @property
    def best(self) -> float:
        """Seconds of the fastest pass."""
        return min(self.seconds)

    @property
    def median(self) -> float:
        """Seconds of the pass in the middle: what all comparisons go by."""
        return statistics.median(self.seconds)


class Turn:
    """One process, which waits between its passes."""

    def __init__(self, folder: Path, number: int, request: dict[str, Any]) -> None:
        """Start it, and wait until it is warm."""
        self._seconds: list[float] = []
        self._error: str | None = None
        self._process: subprocess.Popen[str] | None = None
        python = Path(sys.executable) if request["library"] == "knowhub" else OTHERS
        if not python.is_file():
            self._error = "not installed: `make .tools/bench-reading/.stamp` says why"
            return
        question, self._answer = folder / f"question-{number}.json", folder / f"answer-{number}.json"
        question.write_text(json.dumps(request), encoding="utf-8")
        command = [str(python), "-m", "benchmarks.reading_parts.measure", str(question), str(self._answer)]
        # Nothing that the libraries could look for outside is looked for.
        environment = {**os.environ, "HF_HUB_OFFLINE": "1", "LANGSMITH_TRACING": "false", "PYTHONHASHSEED": "0"}
        environment |= {"OMP_NUM_THREADS": "1", "RAYON_NUM_THREADS": "1"}
        pipe = subprocess.PIPE
        self._complaints = (folder / f"complaints-{number}.txt").open("w+", encoding="utf-8")
        self._process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdin=pipe, stdout=pipe, stderr=self._complaints, text=True
        )
        if request["act"] != "names":
            self._heard()

    def make_pass(self) -> None:
        """Let it go over its inputs once."""
        if self._error is None and self._told("pass") and (seconds := self._heard()):
            self._seconds.append(float(seconds))

    def finish(self) -> tuple[dict[str, Any], tuple[float, ...]]:
        """End it; give its answer and the seconds of its passes."""
        if self._process is None:
            return {"error": self._error}, ()
        self._told("end")
        try:
            self._process.communicate(timeout=LONGEST_SECONDS)
        except (subprocess.TimeoutExpired, BrokenPipeError):
            self._process.kill()
            self._process.communicate()
        with self._complaints as file:
            file.seek(0)
            complaints = file.read().strip().splitlines()
        if self._error or self._process.returncode:
            return {"error": self._error or (complaints or ["it died"])[-1]}, ()
        return json.loads(self._answer.read_text(encoding="utf-8")), tuple(self._seconds)

    def _told(self, word: str) -> bool:
        process = self._process
        if process is None or process.stdin is None or process.poll() is not None:
            return False
        process.stdin.write(f"{word}\n")
        process.stdin.flush()
        return True

    def _heard(self) -> str:
        """Wait for a line; nothing where the process ended, or is too slow and has to."""
        if self._process is None or self._process.stdout is None:
            return ""
        if not select.select([self._process.stdout], [], [], LONGEST_SECONDS)[0]:
            self._error = f"not done after {LONGEST_SECONDS} s"
            self._process.kill()
            return ""
        return self._process.stdout.readline().strip()


def take_turns(folder: Path, requests: Sequence[dict[str, Any]], passes: int) -> list[Measured]:
    """Start one process a request, and let them make their passes in turns."""
    turns = [Turn(folder, number, request) for number, request in enumerate(requests)]
    for _ in range(passes):
        for turn in turns:
            turn.make_pass()
    return [
        Measured(request["package"], request.get("name", ""), *turn.finish())
        for request, turn in zip(requests, turns, strict=True)
    ]
