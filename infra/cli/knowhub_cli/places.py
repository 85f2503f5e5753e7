"""Where something was found, in words."""

from collections.abc import Mapping
from typing import Any


def place(locator: Mapping[str, Any] | None) -> str:
    """Name the most telling place of a locator: page, slide, sheet and rows, JSON path, else lines."""
    known = {name: value for name, value in (locator or {}).items() if value is not None}
    if "page" in known:
        return f"page {known['page']}"
    if "slide" in known:
        return f"slide {known['slide']}"
    if "sheet" in known:
        return f"sheet {known['sheet']}{_span(' rows', known.get('row_start'), known.get('row_end'))}"
    if "json_path" in known:
        return str(known["json_path"])
    return _span("lines", known.get("line_start"), known.get("line_end")).strip()


def _span(unit: str, first: object, last: object) -> str:
    """Name a range, which may be of one."""
    if first is None:
        return ""
    return f"{unit} {first}" if last is None or last == first else f"{unit} {first}-{last}"
