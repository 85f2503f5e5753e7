"""Links between documents lead somewhere."""

import re
from pathlib import Path
from urllib.parse import unquote

from tests.architecture import tree

LINK = re.compile(r"\[[^\]\n]*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)|^\[[^\]]+\]:\s*(\S+)", re.MULTILINE)
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")
HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*$", re.MULTILINE)


def links(text: str) -> list[str]:
    """Find the link targets of a Markdown text, not those in code."""
    prose = CODE.sub("", FENCE.sub("", text))
    return [first or second for first, second in LINK.findall(prose)]


def anchors(text: str) -> set[str]:
    """Name the headings as a repository's web page does."""
    headings = HEADING.findall(FENCE.sub("", text))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def dead(page: Path, target: str) -> bool:
    """Tell whether a relative link of a page leads nowhere; addresses with a scheme are not followed."""
    if re.match(r"[a-z][a-z0-9+.-]*:|//", target, re.IGNORECASE):
        return False
    name, _, anchor = target.partition("#")
    path = page if not name else (tree.ROOT / name.lstrip("/") if name.startswith("/") else page.parent / unquote(name))
    if not path.exists():
        return True
    return bool(anchor) and path.suffix == ".md" and anchor not in anchors(path.read_text(encoding="utf-8"))


def test_no_document_has_a_dead_link() -> None:
    pages = [path for path in tree.files() if path.suffix == ".md"]
    assert len(pages) > 10
    found = {
        tree.label(page): bad
        for page in pages
        if (bad := [target for target in links(page.read_text(encoding="utf-8")) if dead(page, target)])
    }
    assert found == {}


def test_every_page_of_the_documentation_can_be_reached_from_the_readme() -> None:
    reached: set[Path] = set()
    pending = [tree.ROOT / "README.md"]
    while pending:
        page = pending.pop()
        if page.suffix != ".md" or page in reached or not page.exists():
            continue
        reached.add(page)
        targets = [unquote(target.partition("#")[0]) for target in links(page.read_text(encoding="utf-8"))]
        pending += [(page.parent / target).resolve() for target in targets if target and "://" not in target]
    pages = set((tree.ROOT / "docs").rglob("*.md"))
    assert sorted(map(tree.label, pages - reached)) == []


def test_a_dead_link_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "a.md"
    page.write_text(
        "# One heading\n\n`[x](gone.md)`\n\n```\n[y](gone.md)\n```\n[z](gone.md) [w](#one-heading)\n[v]: b.md\n"
    )
    assert links(page.read_text()) == ["gone.md", "#one-heading", "b.md"]
    assert [dead(page, target) for target in ("gone.md", "#one-heading", "#other", "a.md#one-heading")] == [
        True,
        False,
        True,
        False,
    ]
    assert not dead(page, "https://example.com/gone")
