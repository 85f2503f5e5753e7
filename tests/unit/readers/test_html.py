"""The HTML reader: what of a page becomes Markdown, and pages that mean harm."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowhub.errors import Unreadable, UnsupportedMediaType
from knowhub.model.extraction import ReadDocument
from knowhub.readers import html_documents, registry


def read(html: str | bytes, content_type: str | None = None) -> ReadDocument:
    data = html if isinstance(html, bytes) else html.encode()
    return registry.read(data, name="page.html", content_type=content_type)


def text(html: str) -> str:
    return read(html).text


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<h1>One</h1><p>Two <b>bold</b>\n  words</p><h3>三</h3>", "# One\n\nTwo bold words\n\n### 三"),
        ("<p>One<br>two</p>", "One\ntwo"),
        ("<ul><li>a<li>b<ol><li>c<li>d</ol><li>e</ul>", "- a\n- b\n  1. c\n  2. d\n- e"),
        ('<ol start="7"><li>a</li><li><p>b</p><p>c</p></li></ol>', "7. a\n8. b\n\n   c"),
        ("<dl><dt>Term<dd>Meaning</dl>", "Term\n\n- Meaning"),
        ("<blockquote><p>a<p>b</blockquote><p>c", "> a\n>\n> b\n\nc"),
        ('<p>See <a href="https://e.org/a b">the page</a>.</p>', "See [the page](https://e.org/a%20b)."),
        ("<p>Run <code>a|b</code> or <code>`x`</code></p>", "Run `a|b` or `` `x` ``"),
        (
            '<pre><code class="language-py">\nif x &lt; 1:\n    y = "`"\n\n</code></pre>',
            '```py\nif x < 1:\n    y = "`"\n```',
        ),
        ("<pre>a ``` b</pre>", "````\na ``` b\n````"),
        ("<pre>a<br>b</pre>", "```\na\nb\n```"),
        (
            "<table><tr><th>A<th>B|C<tr><td>1<br>2<td>x<p>y</table>",
            "| A | B\\|C |\n| --- | --- |\n| 1 2 | x y |",
        ),
        (
            "<table><tr><td colspan=2>ab<td>c<tr><td rowspan=2>1<td>2<td>3<tr><td>4<td>5</table>",
            "| ab |  | c |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n|  | 4 | 5 |",
        ),
        (
            "<table><caption>Cap</caption><tr><td>a<td>b<tr><td>c<td>d</table>",
            "Cap\n\n| a | b |\n| --- | --- |\n| c | d |",
        ),
        ("<table><tr><td><h2>Layout</h2><p>one</p><td>two</table>", "## Layout\n\none\n\ntwo"),
        ("<table><tr><td>only one cell</table>", "only one cell"),
        ('<p>A <img alt="walrus" src="x.png"> here', "A walrus here"),
        ("<p># no heading<p>&lt;div&gt; no tag<p>===", "\\# no heading\n\n\\<div> no tag\n\n\\==="),
        ("<p>&copy; 2024 &amp; caf&eacute; &#x4e2d;", "© 2024 & café 中"),
        ("<p>it's 1 < 2 and 3 > 2</p>", "it's 1 < 2 and 3 > 2"),
        ("<a href=/x><h2>Card</h2><p>words</a>", "## Card\n\nwords"),
        ('<p>Town <input value="Tromsø"> <input type=date value=2024-02-01>', "Town Tromsø 2024-02-01"),
        ("<p>Say <textarea>a <b> c</textarea>", "Say a <b> c"),
        ("<p>A</p><svg><title>no</title><g><text x=1>Axis <tspan>one</tspan></text></g></svg>", "A\n\nAxis one"),
        ("<p><ruby>漢字<rp>(</rp><rt>かんじ</rt><rp>)</rp></ruby>です", "漢字(かんじ)です"),
        ("<details><summary>More</summary><p>words</details>", "More\n\nwords"),
        ("<xmp><b>raw</b></xmp>", "```\n<b>raw</b>\n```"),
    ],
)
def test_structure_is_kept(html: str, expected: str) -> None:
    assert text(html) == expected


@pytest.mark.parametrize(
    "html",
    [
        "<script>var a = '<p>no</p>';</script>",
        "<style>p { no: no }</style>",
        "<nav>no</nav>",
        '<div role="navigation">no</div>',
        "<p hidden>no</p>",
        "<p style='color: red; display: NONE'>no</p>",
        '<div style="visibility:hidden">no</div>',
        '<p aria-hidden="true">no</p>',
        "<template><p>no</p></template>",
        "<noscript>no</noscript>",
        "<select><option>no</select>",
        "<svg><title>no</title><desc>no</desc></svg>",
        '<svg aria-hidden="true"><text>no</text></svg>',
        '<input type="hidden" value="no"><input type=submit value=no>',
        "<textarea hidden>no</textarea>",
        "<iframe>no</iframe>",
        "<!-- no -->",
        "<!-->",
        "<?php no ?>",
        "<![CDATA[no]]>",
    ],
)
def test_what_is_not_shown_is_dropped(html: str) -> None:
    assert text(f"<p>before</p>{html}<p>after</p>") == "before\n\nafter"


def test_the_main_element_is_the_content_if_it_holds_enough() -> None:
    page = "<header>Site</header><main><p>The content of the page.</p></main><footer>Foot</footer>"
    assert text(page) == "The content of the page."
    assert text('<p>Site</p><div role="main">The content</div>') == "The content"
    assert text("<p>All of the page stands outside of it.</p><main>x</main>") == (
        "All of the page stands outside of it.\n\nx"
    )


def test_the_title_is_the_pages() -> None:
    assert read("<title> The\n title &amp; <b> </title><svg><title>no</title></svg><p>x").title == "The title & <b>"
    assert read("<!doctype html><html><head><title>Head</title></head><body><h1>x</h1></body></html>").title == "Head"
    assert read("<p>x").title is None
    assert read("<title> </title><meta property='og:title' content=' Shared '><h1>Head</h1><p>x").title == "Shared"
    assert read("<h2>no</h2><h1>The <b>first</b></h1><p>x<h1>Second</h1>").title == "The first"
    assert read("<svg><g><title>icon</title></g></svg><p>x").title is None


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        ("b.html", "[x](https://e.org/d/b.html)"),
        ("/c?a=1&copy=2", "[x](https://e.org/c?a=1&copy=2)"),
        ("//f.org/", "[x](https://f.org/)"),
        ("mailto:a@e.org", "[x](mailto:a@e.org)"),
        ("a(b)", "[x](https://e.org/d/a%28b%29)"),
        ("#top", "x"),
        ("javascript:alert(1)", "x"),
        (" JavaScript:alert(1)", "x"),
        ("data:text/html,x", "x"),
        ("http://[", "[x](http://[)"),
        ("", "x"),
    ],
)
def test_addresses_are_made_whole_and_scripts_are_none(href: str, expected: str) -> None:
    assert text(f'<base href="https://e.org/d/"><p><a href="{href}">x</a>') == expected


CHINESE = "知识库保存文档，检索会返回最相关的片段。"


def test_the_byte_order_mark_comes_before_the_header_and_that_before_the_page() -> None:
    page = f'<meta charset="big5"><p>{CHINESE}'
    marked = read(b"\xef\xbb\xbf" + page.encode(), "text/html; charset=gbk")
    assert (marked.text, marked.encoding) == (CHINESE, "utf-8")
    sent = read(page.encode("gb18030"), "text/html; charset=GB2312")
    assert (sent.text, sent.encoding) == (CHINESE, "gb18030")


@pytest.mark.parametrize("meta", ['<meta charset="gbk">', '<meta http-equiv=x content="text/html; charset=gb2312">'])
def test_the_page_names_its_encoding(meta: str) -> None:
    page = read(f"{meta}<p>caf\u00e9 {CHINESE[:2]}".encode("gb18030"))
    assert (page.text, page.encoding) == (f"caf\u00e9 {CHINESE[:2]}", "gb18030")


@pytest.mark.parametrize("label", ["utf-16", "hex", "punycode", "nonsense", "unicode_escape"])
def test_an_encoding_that_is_none_is_not_followed(label: str) -> None:
    assert read(f'<meta charset="{label}"><p>{CHINESE}'.encode(), f"text/html; charset={label}").text == CHINESE


def test_a_wrong_declaration_gives_way_to_the_evidence() -> None:
    page = read(f"<meta charset=gbk><p>{CHINESE}é".encode())
    assert page.text == f"{CHINESE}é"


def test_a_page_without_text_fails_with_a_reason() -> None:
    with pytest.raises(Unreadable, match="no text that is shown"):
        read("<script>x</script><p hidden>y</p>")


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 100_000 + "deep",
        "<b>" * 100_000 + "deep",
        "".join(f"<p><b id={number}>deep" for number in range(20_000)),
        "<table><tr><td>" * 20_000 + "deep",
        "<ul><li>" * 20_000 + "deep",
        "<span><p>" * 20_000 + "deep",
        "<div>" * 1_900 + "<p>deep" * 20_000,
        "<a href=x>" * 50_000 + "deep",
        "deep" + '<a "' * 100_000,
        "deep" + "<a =\"'" * 100_001,
        "deep" + "<!--" * 100_000,
        "deep" + "<![CDATA[" * 100_000,
        "deep" + "<title>" * 50_000,
        "deep" + "<script>" * 50_000,
        "deep" + "<" * 300_000,
        "deep" + "</x>" * 100_000,
        "deep<p hidden>" + "<p hidden>x" * 20_000,
        "deep<table><tr><td colspan=99999 rowspan=99999>x" + "<tr><td>y" * 20_000,
        "deep" + "&" * 300_000 + "&#" * 100_000,
        "deep <x " + "a " * 200_000 + ">",
        "deep" + "x" * 1_000_000,
    ],
)
def test_hostile_pages_are_read_in_time_and_space_that_fit_their_length(html: str) -> None:
    document = read(html)
    assert "deep" in document.text
    assert len(document.text) < 10 * len(html) + 1_000_000


def test_elements_nested_too_deeply_keep_their_text() -> None:
    document = read("<p>one\n</p>" + "<div>" * 3_000 + "two<p>three</p>" + "</div>" * 3_000 + "<h2>four</h2>")
    assert [(loss.code, loss.where) for loss in document.losses] == [("NESTING_TOO_DEEP", "line 2")]
    assert document.text == "one\n\ntwo three\n\n## four"


def test_frames_and_recordings_are_a_loss_unless_they_are_hidden() -> None:
    shown = "<p>a\n<iframe src=x></iframe>\n<video><source></video><embed>"
    hidden = "<iframe hidden></iframe><noscript><iframe></iframe></noscript><object style='display:none'></object>"
    losses = read(f"{shown}{hidden}<p>b").losses
    assert [(loss.code, loss.where, loss.detail[:2]) for loss in losses] == [("EMBEDDED_NOT_READ", "line 2", "3 ")]


def test_nesting_within_the_limit_is_no_loss() -> None:
    assert read("<div>" * 1_900 + "x" + "</div>" * 1_900).losses == ()
    assert read("<li>x" * 5_000 + "<p>y" * 5_000 + "<table>" + "<tr><td>z" * 5_000).losses == ()


def test_without_the_parser_a_page_is_refused_by_its_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "selectolax.lexbor", None)
    assert registry.detect(b"<p>x", name="a.html") == "html"
    with pytest.raises(UnsupportedMediaType, match="selectolax is not installed") as refused:
        read("<p>x")
    assert refused.value.detail == {"type": "text/html"}


TAGS = ["p", "div", "h2", "li", "ul", "ol", "table", "tr", "td", "pre", "code", "a href=x", "b", "span", "blockquote",
        "br", "dl", "dd", "dt", "caption", "x y='", "svg", "main", "article", "em"]  # fmt: skip
PARTS = st.one_of(
    st.sampled_from([f"<{tag}>" for tag in TAGS] + [f"</{tag.split()[0]}>" for tag in TAGS]),
    st.sampled_from(["word", " ", "字", "&amp;", "<", "'", '"', "=", ">", "<!--x-->", "|", "`", "\n"]),
)


@given(st.lists(PARTS, max_size=60).map("".join))
def test_no_word_is_lost_and_none_is_invented(html: str) -> None:
    """Compare with what the parser alone takes for text, where nothing is left out on purpose."""
    from selectolax.lexbor import LexborHTMLParser

    plain = LexborHTMLParser(html.replace("<svg>", "").replace("<x y='>", ""))
    page = html.replace("<svg>", "").replace("<x y='>", "")
    expected = (plain.body.text() if plain.body else "").count("word")
    try:
        found = html_documents.read(b"<body>" + page.encode(), "x").text.count("word")
    except Unreadable:
        found = 0
    mains = page.count("<main>")
    assert found == expected or (mains and found <= expected)


@given(st.lists(PARTS, max_size=60).map("".join))
def test_any_page_is_read_or_refused(html: str) -> None:
    try:
        document = html_documents.read(html.encode(), "x")
    except Unreadable:
        return
    assert document.text.strip()
