"""What may stand in a source file: reasons beside exceptions, nothing that belongs to one machine."""

import io
import re
import tokenize
from collections.abc import Iterator

import pytest

from tests.architecture import tree

LINT_EXCEPTION = re.compile(
    r"#\s*noqa(?P<codes>:\s*[A-Z]+[0-9]+(?:\s*,\s*[A-Z]+[0-9]+)*)?(?P<reason>.*)", re.IGNORECASE
)
TYPE_EXCEPTION = re.compile(r"#\s*type:\s*ignore(?P<codes>\[[a-z-]+(?:\s*,\s*[a-z-]+)*\])?(?P<reason>.*)")
WORDS = re.compile(r"[A-Za-z']{2,}\W+[A-Za-z]{2,}")
UNFINISHED = re.compile(r"\b(?:" + "|".join(["TO" + "DO", "FIX" + "ME", "X" + "XX", "HA" + "CK"]) + r"\b)")

# Put together here, so that this file doesn't name them itself.
HOSTS = ["pypi" + ".org", "python" + "hosted.org", "registry.npm" + "js.org", "crates" + ".io", "proxy.go" + "lang.org",
         "repo.maven" + ".apache.org", "repo1.maven" + ".org", "deb.debian" + ".org"]  # fmt: skip
FOLDERS = ["ro" + "ot", "ho" + "me", "wo" + "rk"]
MACHINE = re.compile("|".join([re.escape(host) for host in HOSTS] + [rf"(?<![\w.>}}])/(?:{'|'.join(FOLDERS)})/"]))


def _comments() -> Iterator[tuple[str, str, str]]:
    """Walk every comment with its place and the comment line above it; a tokenizer tells it from such a string."""
    for path in tree.files():
        if path.suffix != ".py":
            continue
        above: dict[int, str] = {}
        for token in tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline):
            if token.type == tokenize.COMMENT:
                line = token.start[0]
                yield f"{tree.label(path)}:{line} {token.string}", token.string, above.get(line - 1, "")
                if token.line.lstrip().startswith("#"):
                    above[line] = token.string


def unreasoned(comment: str, above: str = "") -> bool:
    """Tell whether a comment switches a check off without naming it, or without a reason in it or right above it."""
    for pattern in (LINT_EXCEPTION, TYPE_EXCEPTION):
        found = pattern.search(comment)
        if found and (not found["codes"] or not WORDS.search(f"{found['reason']}\n{above}")):
            return True
    return False


def test_every_switched_off_check_has_a_code_and_a_reason() -> None:
    assert [where for where, comment, above in _comments() if unreasoned(comment, above)] == []


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("# no" + "qa", True),
        ("# no" + "qa: S603", True),
        ("# no" + "qa: S603 - starts our own worker", False),
        ("# type: " + "ignore", True),
        ("# type: " + "ignore[arg-type]", True),
        ("# type: " + "ignore[arg-type]  # the stub lacks this overload", False),
        ("# an ordinary remark", False),
    ],
)
def test_the_check_for_reasons_can_tell(comment: str, expected: bool) -> None:
    assert unreasoned(comment) is expected


def test_a_reason_may_stand_on_the_line_above() -> None:
    assert not unreasoned("# no" + "qa: S603", "# It starts our own worker.")
    assert unreasoned("# no" + "qa", "# It starts our own worker.")


def test_nothing_is_left_for_later() -> None:
    assert [where for where, comment, _ in _comments() if UNFINISHED.search(comment)] == []


def test_no_file_names_a_package_registry_or_a_path_of_one_machine() -> None:
    named = []
    for path in tree.files():
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue
        named += [f"{tree.label(path)}:{n}: {line[:120]}" for n, line in enumerate(lines, 1) if MACHINE.search(line)]
    assert named == []
