"""The words of charts and diagrams, which stand in parts of their own."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from knowhub.readers.archive_parts import Source
from knowhub.readers.archive_xml import attribute, child, local

_DIGITS = ".15g"
"""What a spreadsheet keeps of a number; files hold 17 digits."""
_POINTS = (("cat", "val"), ("xVal", "yVal"))


def graphic_lines(frame: Element, source: Source, *, values: bool = True) -> list[str] | None:
    """Give the lines of the chart or diagram that an element shows; None where its part can't be read.

    Without `values` only the titles of charts: their numbers are cells beside them.
    """
    is_chart = local(frame) == "chart"
    part = source.named(attribute(frame, "id" if is_chart else "dm"))
    root = None if part is None else part.root_or_none()
    if root is None:
        return None
    return list(_chart(root, values=values) if is_chart else _diagram(root))


def drawing_text(element: Element) -> str:
    """Join the paragraphs of text in a drawing, each on one line."""
    lines = (_joined(each) for each in element.iter() if local(each) == "p")
    return "\n".join(line for line in lines if line)


def _joined(element: Element) -> str:
    pieces = ((each.text or "") if local(each) == "t" else " " for each in element.iter() if local(each) in {"t", "br"})
    return " ".join("".join(pieces).split())


def _chart(root: Element, *, values: bool) -> Iterator[str]:
    """Write titles, then a line for each series: its name, and each point's category with its value."""
    titles = [" ".join(drawing_text(each).split()) for each in root.iter() if local(each) == "title"]
    named = "; ".join(filter(None, titles))
    yield f"Chart: {named}" if named else "Chart"
    if not values:
        return
    for series in root.iter():
        if local(series) == "ser":
            yield from _series(series)
        elif local(series) == "data" and series.tag.endswith("}data"):
            yield from _levels(series)


def _series(series: Element) -> Iterator[str]:
    name = " ".join(_cached(child(series, "tx")).values()) or _value(child(series, "tx"))
    for across, up in _POINTS:
        categories, numbers = _cached(child(series, across)), _cached(child(series, up))
        places = sorted({*categories, *numbers})
        points = (f"{categories.get(at, '')} {numbers.get(at, '')}".strip() for at in places)
        line = "; ".join(filter(None, points))
        if line:
            yield f"{name}: {line}" if name else line
            return
    if name:
        yield name


def _cached(reference: Element | None) -> dict[int, str]:
    """Give the points that a chart keeps of its cells, by their number; names on several levels are joined."""
    found: dict[int, str] = {}
    for point in reference.iter() if reference is not None else ():
        index = attribute(point, "idx") or ""
        if local(point) == "pt" and index.isdecimal():
            text = _value(point)
            found[int(index)] = f"{text} {found[int(index)]}" if int(index) in found else text
    return found


def _value(element: Element | None) -> str:
    text = (getattr(child(element, "v"), "text", None) or "").strip()
    try:
        return format(float(text), _DIGITS) if len(text) > 15 else text  # noqa: PLR2004 - more digits than a number has
    except ValueError:
        return " ".join(text.split())


def _levels(data: Element) -> Iterator[str]:
    """Write the points of a chart of the newer kind, which keeps them as mere text."""
    points = [" ".join((each.text or "").split()) for each in data.iter() if local(each) == "pt"]
    line = "; ".join(filter(None, points))
    if line:
        yield line


def _diagram(root: Element) -> Iterator[str]:
    """Write the words of a diagram as a list, deeper ones under those that they belong to."""
    words = {
        attribute(point, "modelId") or "": " ".join(drawing_text(body).split())
        for point in root.iter()
        if local(point) == "pt" and (body := child(point, "t")) is not None
    }
    below: dict[str, list[str]] = {}
    belongs = [each for each in root.iter() if local(each) == "cxn" and attribute(each, "type") in {None, "parOf"}]
    for each in sorted(belongs, key=_order):
        below.setdefault(attribute(each, "srcId") or "", []).append(attribute(each, "destId") or "")
    inner = {key for keys in below.values() for key in keys}
    waiting = [(key, 0) for key in reversed([*(key for key in below if key not in inner), *words])]
    seen: set[str] = set()
    while waiting:
        key, depth = waiting.pop()
        if key in seen:
            continue
        seen.add(key)
        text = words.get(key, "")
        if text:
            yield f"{'  ' * min(depth, 8)}- {text}"
        waiting.extend((one, depth + bool(text)) for one in reversed(below.get(key, [])))


def _order(connection: Element) -> int:
    order = attribute(connection, "srcOrd") or ""
    return int(order) if order.isdecimal() and len(order) < 10 else 0  # noqa: PLR2004 - a number of 32 bits
