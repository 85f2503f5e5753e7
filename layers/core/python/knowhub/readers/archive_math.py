"""Formulas of Office (OMML) on one line, so that what is above, below, or under a root stays apart."""

from collections.abc import Callable
from types import MappingProxyType
from xml.etree.ElementTree import Element

from knowhub.readers.archive_xml import attribute, child, local, value_of


def math_text(formula: Element) -> str:
    """Write a formula: `(a+1)/b`, `x^2`, `a_i`, `√(x)`, `∑_(i=1)^n i`; what has no form of its own is read in order."""
    return "".join(map(_element, formula))


def _element(element: Element) -> str:
    kind = local(element)
    if kind == "t":
        return element.text or ""
    if kind.endswith("Pr") or kind in {"del", "moveFrom"}:
        return ""
    write = _FORMS.get(kind)
    return math_text(element) if write is None else write(element)


def _part(element: Element, name: str) -> str:
    found = child(element, name)
    return "" if found is None else math_text(found)


def _grouped(text: str) -> str:
    """Put what is more than one sign, name or number into brackets."""
    return text if len(text) < 2 or text.isalnum() or _is_bracketed(text) else f"({text})"  # noqa: PLR2004 - one sign


def _is_bracketed(text: str) -> bool:
    return text.startswith("(") and text.find(")") == len(text) - 1


def _fraction(element: Element) -> str:
    return f"{_grouped(_part(element, 'num'))}/{_grouped(_part(element, 'den'))}"


def _scripts(element: Element) -> str:
    below, above = _part(element, "sub"), _part(element, "sup")
    base = _part(element, "e")
    return base + (f"_{_grouped(below)}" if below else "") + (f"^{_grouped(above)}" if above else "")


def _before(element: Element) -> str:
    below, above = _part(element, "sub"), _part(element, "sup")
    return (f"_{_grouped(below)}" if below else "") + (f"^{_grouped(above)}" if above else "") + _part(element, "e")


def _root(element: Element) -> str:
    degree = _part(element, "deg")
    return f"{degree}√({_part(element, 'e')})"


def _sum(element: Element) -> str:
    sign = value_of(element, "naryPr", "chr") or "∫"
    below, above = _part(element, "sub"), _part(element, "sup")
    limits = (f"_{_grouped(below)}" if below else "") + (f"^{_grouped(above)}" if above else "")
    return f"{sign}{limits} {_part(element, 'e')}"


def _brackets(element: Element) -> str:
    properties = child(element, "dPr")
    signs = []
    for name, usual in (("begChr", "("), ("sepChr", "|"), ("endChr", ")")):
        mark = child(properties, name)
        signs.append(usual if mark is None else attribute(mark, "val") or "")
    opening, between, closing = signs
    inside = between.join(math_text(each) for each in element if local(each) == "e")
    return f"{opening}{inside}{closing}"


def _limit(element: Element) -> str:
    mark = "_" if local(element) == "limLow" else "^"
    return f"{_part(element, 'e')}{mark}{_grouped(_part(element, 'lim'))}"


def _function(element: Element) -> str:
    return f"{_part(element, 'fName')} {_part(element, 'e')}"


def _rows(element: Element) -> str:
    """Write the rows of a matrix, or lines of equations, apart."""
    rows = [each for each in element if local(each) in {"mr", "e"}]
    cells = [", ".join(math_text(cell) for cell in row) if local(row) == "mr" else math_text(row) for row in rows]
    return f"[{'; '.join(cells)}]" if local(element) == "m" else "; ".join(cells)


_FORMS: MappingProxyType[str, Callable[[Element], str]] = MappingProxyType(
    {
        "f": _fraction,
        "sSup": _scripts,
        "sSub": _scripts,
        "sSubSup": _scripts,
        "sPre": _before,
        "rad": _root,
        "nary": _sum,
        "d": _brackets,
        "limLow": _limit,
        "limUpp": _limit,
        "func": _function,
        "m": _rows,
        "eqArr": _rows,
    }
)
