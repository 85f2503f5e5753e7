"""Office files made by hand: archives of XML parts with only what a test is about."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

_DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_SHEETS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_FORMAT = "application/vnd.openxmlformats-officedocument"
_MANIFEST = "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
MAIN = {
    "word/document.xml": f"{_FORMAT}.wordprocessingml.document.main+xml",
    "xl/workbook.xml": f"{_FORMAT}.spreadsheetml.sheet.main+xml",
    "ppt/presentation.xml": f"{_FORMAT}.presentationml.presentation.main+xml",
}


def archive(entries: Mapping[str, str | bytes], *, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as opened:
        for name, content in entries.items():
            opened.writestr(name, content)
    return buffer.getvalue()


def relationships(links: Sequence[tuple[str, str]], *, external: Sequence[str] = ()) -> str:
    """Write links as (kind, target), with ids rId1, rId2, ... in order."""
    body = "".join(
        f'<Relationship Id="rId{number}" Type="{_OFFICE}/relationships/{kind}" Target="{target}"'
        + (' TargetMode="External"/>' if target in external else "/>")
        for number, (kind, target) in enumerate(links, start=1)
    )
    return f'{_DECLARATION}<Relationships xmlns="{_PACKAGE}/relationships">{body}</Relationships>'


def office(main: str, parts: Mapping[str, str | bytes]) -> bytes:
    """Write an office file whose text is in the part `main`."""
    types = f'<Types xmlns="{_PACKAGE}/content-types"><Override PartName="/{main}" ContentType="{MAIN[main]}"/></Types>'
    return archive(
        {
            "[Content_Types].xml": _DECLARATION + types,
            "_rels/.rels": relationships([("officeDocument", main)]),
            **parts,
        }
    )


def docx(body: str, parts: Mapping[str, str | bytes] | None = None, links: Sequence[tuple[str, str]] = ()) -> bytes:
    """Write a Word file from the inside of its body; `parts` are named in full, `links` from the folder `word`."""
    namespaces = (
        f'xmlns:w="{WORD}" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
        ' xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
        ' xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    )
    document = f"{_DECLARATION}<w:document {namespaces}><w:body>{body}</w:body></w:document>"
    rest = {"word/_rels/document.xml.rels": relationships(links), **(parts or {})}
    return office("word/document.xml", {"word/document.xml": document, **rest})


def paragraph(*runs: str, properties: str = "") -> str:
    texts = "".join(f'<w:r><w:t xml:space="preserve">{escape(run)}</w:t></w:r>' for run in runs)
    return f"<w:p>{f'<w:pPr>{properties}</w:pPr>' if properties else ''}{texts}</w:p>"


def cell(reference: str, value: float | str, style: int = 0) -> str:
    if isinstance(value, str):
        return f'<c r="{reference}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    return f'<c r="{reference}" s="{style}"><v>{value}</v></c>'


def xlsx(
    sheets: Mapping[str, str],
    *,
    states: Mapping[str, str] | None = None,
    properties: str = "",
    more: Mapping[str, str | bytes] | None = None,
) -> bytes:
    """Write a workbook from the insides of its sheets; style 1 is a date, 2 a time of day, 3 a date with time."""
    listed = "".join(
        f'<sheet name="{escape(name)}" sheetId="{number}" r:id="rId{number}"'
        + (f' state="{states[name]}"/>' if states and name in states else "/>")
        for number, name in enumerate(sheets, start=1)
    )
    head = f'<workbook xmlns="{_SHEETS}" xmlns:r="{_OFFICE}/relationships">{properties}'
    workbook = f"{head}<sheets>{listed}</sheets></workbook>"
    links = [("worksheet", f"worksheets/sheet{number}.xml") for number in range(1, len(sheets) + 1)]
    formats = "".join(f'<xf numFmtId="{number}"/>' for number in (0, 14, 21, 22))
    parts: dict[str, str | bytes] = {
        "xl/workbook.xml": _DECLARATION + workbook,
        "xl/_rels/workbook.xml.rels": relationships([*links, ("styles", "styles.xml")]),
        "xl/styles.xml": f'{_DECLARATION}<styleSheet xmlns="{_SHEETS}"><cellXfs>{formats}</cellXfs></styleSheet>',
    }
    for number, content in enumerate(sheets.values(), start=1):
        parts[f"xl/worksheets/sheet{number}.xml"] = f'{_DECLARATION}<worksheet xmlns="{_SHEETS}">{content}</worksheet>'
    return office("xl/workbook.xml", {**parts, **(more or {})})


def rows(*rows_of_cells: Sequence[float | str], first: int = 1) -> str:
    """Write rows of text and numbers from column A."""
    lines = []
    for number, values in enumerate(rows_of_cells, start=first):
        cells = "".join(cell(f"{chr(65 + at)}{number}", value) for at, value in enumerate(values))
        lines.append(f'<row r="{number}">{cells}</row>')
    return f"<sheetData>{''.join(lines)}</sheetData>"


def ods(tables: Mapping[str, str], *, styles: str = "", more: Mapping[str, str] | None = None) -> bytes:
    """Write an OpenDocument spreadsheet from the rows of its tables."""
    names = {
        "office": "office:1.0", "table": "table:1.0", "text": "text:1.0", "style": "style:1.0", "fo": "fo:1.0",
    }  # fmt: skip
    spaces = " ".join(f'xmlns:{key}="urn:oasis:names:tc:opendocument:xmlns:{value}"' for key, value in names.items())
    body = "".join(f'<table:table table:name="{name}">{content}</table:table>' for name, content in tables.items())
    content = (
        f"{_DECLARATION}<office:document-content {spaces}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:spreadsheet>{body}</office:spreadsheet></office:body></office:document-content>"
    )
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    manifest = f'<manifest:manifest xmlns:manifest="{_MANIFEST}"/>'
    entries = {"mimetype": kind, "content.xml": content, "META-INF/manifest.xml": _DECLARATION + manifest}
    return archive({**entries, **(more or {})}, method=zipfile.ZIP_STORED)


def pptx(
    slides: Sequence[str],
    *,
    notes: Mapping[int, str] | None = None,
    hidden: Sequence[int] = (),
    more: Mapping[str, str | bytes] | None = None,
    links: Sequence[tuple[str, str]] = (),
) -> bytes:
    """Write a presentation from the insides of its slides' shape trees; `notes` by slide from 1.

    `more` are parts named in full, `links` those of the presentation from the folder `ppt`.
    """
    spaces = (
        'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
        f' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="{_OFFICE}/relationships"'
        ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    )
    listed = "".join(f'<p:sldId id="{255 + number}" r:id="rId{number}"/>' for number in range(1, len(slides) + 1))
    parts: dict[str, str | bytes] = {
        "ppt/presentation.xml": f"<p:presentation {spaces}><p:sldIdLst>{listed}</p:sldIdLst></p:presentation>",
        # Named against their order, which only the relationships tell.
        "ppt/_rels/presentation.xml.rels": relationships(
            [
                *(("slide", f"slides/slide{len(slides) + 1 - number}.xml") for number in range(1, len(slides) + 1)),
                *links,
            ]
        ),
    }
    for number, content in enumerate(slides, start=1):
        name = f"slide{len(slides) + 1 - number}.xml"
        show = ' show="0"' if number in hidden else ""
        tree = f"<p:cSld><p:spTree>{content}</p:spTree></p:cSld>"
        parts[f"ppt/slides/{name}"] = f"<p:sld {spaces}{show}>{tree}</p:sld>"
        if notes and number in notes:
            parts[f"ppt/slides/_rels/{name}.rels"] = relationships([("notesSlide", f"../notesSlides/{name}")])
            note = f"<p:cSld><p:spTree>{notes[number]}</p:spTree></p:cSld>"
            parts[f"ppt/notesSlides/{name}"] = f"<p:notes {spaces}>{note}</p:notes>"
    return office("ppt/presentation.xml", {**parts, **(more or {})})


def shape(*paragraphs: str, kind: str = "", at: tuple[int, int] | None = None) -> str:
    """Write a shape with text; `kind` is its placeholder's type, `at` its left and top."""
    placeholder = f'<p:nvPr><p:ph type="{kind}"/></p:nvPr>' if kind else "<p:nvPr/>"
    place = f'<a:xfrm><a:off x="{at[0]}" y="{at[1]}"/></a:xfrm>' if at else ""
    texts = "".join(f"<a:p><a:r><a:t>{escape(text)}</a:t></a:r></a:p>" for text in paragraphs)
    return f"<p:sp><p:nvSpPr>{placeholder}</p:nvSpPr><p:spPr>{place}</p:spPr><p:txBody>{texts}</p:txBody></p:sp>"
