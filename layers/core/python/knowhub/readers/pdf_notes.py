"""What a PDF page carries beside its text layer: the values of form fields, and comments."""

import ctypes
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from knowhub.readers.pdf_turns import Box

MOST_NOTES = 20_000
"""Of one page."""
_LONGEST = 1_000_000
"""Bytes of one value in UTF-16."""
_MOST_OPTIONS = 10_000
_FULL_XFA = 2
"""A form whose fields are in a language of their own, and whose pages only say so."""


@dataclass(frozen=True, slots=True)
class Note:
    """A line for the end of the page: a field with its value, or a comment; and where that stands."""

    text: str
    box: Box


@dataclass(slots=True)
class Found:
    """What a page's annotations gave: lines, files that are not read, and how many were too many."""

    notes: list[Note] = field(default_factory=list)
    files: int = 0
    left_out: int = 0


_MOST_OBJECTS = 20_000
"""Of a page that are looked at for pictures."""

Placed = Callable[[float, float, float, float], Box]
"""Gives the place on the page as it is shown from left, bottom, right, top."""


def form_of(document: Any) -> Any:
    """Open the document's form, which names and values of fields are asked through; None where it has none."""
    if not document.get_formtype():
        return None
    document.init_forms()
    return None if document.formenv is None else document.formenv.raw


def is_foreign_form(document: Any) -> bool:
    """Whether the document is a form that PDF only wraps."""
    return bool(document.get_formtype() == _FULL_XFA)


def annotations(page: Any, form: Any, placed: Placed) -> Found:
    """Read a page's form fields that have a value, as `name: value`, and its comments, as `Comment: words`."""
    from pypdfium2 import raw  # type: ignore[import-untyped] # it ships no types # noqa: PLC0415 - only the child has it

    count = raw.FPDFPage_GetAnnotCount(page)
    found = Found(left_out=max(0, count - MOST_NOTES))
    for index in range(min(count, MOST_NOTES)):
        annotation = raw.FPDFPage_GetAnnot(page, index)
        if annotation:
            _read(raw, annotation, form, placed, found)
            raw.FPDFPage_CloseAnnot(annotation)
    return found


def pictures(page: Any) -> int:
    """Count the pictures that a page shows; drawings of lines are none."""
    from pypdfium2 import raw  # noqa: PLC0415 - as above

    count = min(raw.FPDFPage_CountObjects(page), _MOST_OBJECTS)
    kinds = (raw.FPDFPageObj_GetType(raw.FPDFPage_GetObject(page, index)) for index in range(count))
    return sum(kind == raw.FPDF_PAGEOBJ_IMAGE for kind in kinds)


def _read(raw: Any, annotation: Any, form: Any, placed: Placed, found: Found) -> None:
    kind = raw.FPDFAnnot_GetSubtype(annotation)
    if kind == raw.FPDF_ANNOT_WIDGET:
        text = _field(raw, annotation, form)
    elif kind in {raw.FPDF_ANNOT_POPUP, raw.FPDF_ANNOT_LINK}:
        return
    else:
        words = _text(raw.FPDFAnnot_GetStringValue, annotation, b"Contents")
        text = f"Comment: {words}" if words else ""
        found.files += kind in {
            raw.FPDF_ANNOT_FILEATTACHMENT, raw.FPDF_ANNOT_SOUND, raw.FPDF_ANNOT_MOVIE, raw.FPDF_ANNOT_RICHMEDIA,
            raw.FPDF_ANNOT_SCREEN, raw.FPDF_ANNOT_THREED,
        }  # fmt: skip
    if text:
        found.notes.append(Note(text, _box(raw, annotation, placed)))


def _field(raw: Any, annotation: Any, form: Any) -> str:
    """Write a field with its value, which may stand in the field that it is a part of; an empty one is nothing."""
    if form is None:
        name, value = (_text(raw.FPDFAnnot_GetStringValue, annotation, key) for key in (b"T", b"V"))
    else:
        name, value = _label(raw, annotation, form), _value(raw, annotation, form)
    shown = "" if value == "Off" else value
    return f"{name}: {shown}" if name and shown else shown


def _label(raw: Any, annotation: Any, form: Any) -> str:
    """Give the name of a field that is meant for people, else the one that it has."""
    return _text(raw.FPDFAnnot_GetFormFieldAlternateName, form, annotation) or _text(
        raw.FPDFAnnot_GetFormFieldName, form, annotation
    )


def _value(raw: Any, annotation: Any, form: Any) -> str:
    kind = raw.FPDFAnnot_GetFormFieldType(form, annotation)
    if kind in {raw.FPDF_FORMFIELD_PUSHBUTTON, raw.FPDF_FORMFIELD_SIGNATURE}:
        return ""
    if kind in {raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON}:
        chosen = raw.FPDFAnnot_IsChecked(form, annotation)
        return (_text(raw.FPDFAnnot_GetFormFieldExportValue, form, annotation) or "Yes") if chosen else ""
    if kind in {raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX}:
        chosen = ", ".join(_chosen(raw, annotation, form))
        if chosen:
            return chosen
    return _text(raw.FPDFAnnot_GetFormFieldValue, form, annotation)


def _chosen(raw: Any, annotation: Any, form: Any) -> Iterator[str]:
    for index in range(min(raw.FPDFAnnot_GetOptionCount(form, annotation), _MOST_OPTIONS)):
        if raw.FPDFAnnot_IsOptionSelected(form, annotation, index):
            yield _text(raw.FPDFAnnot_GetOptionLabel, form, annotation, index)


def _text(ask: Callable[..., int], *arguments: Any) -> str:
    """Ask for a text, first for its length in bytes."""
    from pypdfium2 import raw  # noqa: PLC0415 - as above

    size = ask(*arguments, None, 0)
    if not 0 < size <= _LONGEST:
        return ""
    buffer = ctypes.create_string_buffer(size + 2)
    ask(*arguments, ctypes.cast(buffer, ctypes.POINTER(raw.FPDF_WCHAR)), size)
    words = ""
    with suppress(UnicodeDecodeError):
        words = buffer.raw[:size].decode("utf-16-le", errors="replace")
    return " ".join(words.replace("\0", " ").split())


def _box(raw: Any, annotation: Any, placed: Placed) -> Box:
    rectangle = raw.FS_RECTF()
    raw.FPDFAnnot_GetRect(annotation, ctypes.byref(rectangle))
    left, right = sorted((rectangle.left, rectangle.right))
    bottom, top = sorted((rectangle.bottom, rectangle.top))
    x0, y0, x1, y1 = placed(left, bottom, right, top)
    return round(x0, 2), round(y0, 2), round(x1, 2), round(y1, 2)
