"""What the mail reader makes of messages: headers, one body, and files that are documents of their own."""

from email.message import EmailMessage
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText

import pytest

from knowhub.errors import Unreadable
from knowhub.model.extraction import ReadDocument
from knowhub.readers import eml as reader
from tests import mails


def read(data: bytes | EmailMessage) -> ReadDocument:
    return reader.read(data if isinstance(data, bytes) else data.as_bytes(), "a.eml")


def mail(body: str = "Hello\n", **headers: str) -> EmailMessage:
    message = EmailMessage()
    for name, value in headers.items():
        message[name.replace("_", "-")] = value
    message.set_content(body)
    return message


def test_headers_and_text_are_read_and_kept_as_metadata() -> None:
    message = mail(
        "Grüße\naus Köln\n",
        From="Jürgen Müller <j@mail.example>",
        To="team@mail.example",
        Subject="Über uns: 会议",
        Date="Mon, 02 Mar 2026 10:00:00 +0100",
        X_Other="not shown",
    )
    document = read(message)
    assert document.text == (
        "From: Jürgen Müller <j@mail.example>\nTo: team@mail.example\nDate: Mon, 02 Mar 2026 10:00:00 +0100\n"
        "Subject: Über uns: 会议\n\nGrüße\naus Köln\n"
    )
    assert document.title == "Über uns: 会议"
    assert document.metadata == {
        "from": "Jürgen Müller <j@mail.example>",
        "to": "team@mail.example",
        "subject": "Über uns: 会议",
        "date": "2026-03-02T10:00:00+01:00",
    }


def test_attachments_are_files_of_their_own_and_named_below_the_text() -> None:
    message = mail(Subject="s")
    message.add_attachment(b"%PDF-1.7", maintype="application", subtype="pdf", filename="Plän.pdf")
    message.add_attachment("a,b\n", subtype="csv", filename="C:\\folder\\table.csv")
    document = read(message)
    found = [(each.name, each.content_type, each.data) for each in document.attachments]
    assert found == [("Plän.pdf", "application/pdf", b"%PDF-1.7"), ("table.csv", "text/csv", b"a,b\n")]
    assert document.text == "Subject: s\n\nHello\n\nAttachment: Plän.pdf\nAttachment: table.csv\n"
    assert document.losses == ()


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("..", "part-1"),
        ("/etc/passwd", "passwd"),
        ("a\x00\x1b[31mb\u202egnp.exe", "a [31mb gnp.exe"),
        ("=?utf-8?b?Li4vLi4veC50eHQ=?=", "x.txt"),
        ("x" * 300 + ".txt", "x" * 196 + ".txt"),
    ],
)
def test_a_files_name_is_safe(sent: str, kept: str) -> None:
    part = MIMEText("x")
    part.add_header("Content-Disposition", "attachment", filename=sent)
    message = MIMEMultipart()
    message.attach(part)
    assert [each.name for each in read(message.as_bytes()).attachments] == [kept]


def test_a_message_with_attachments_alone_is_read() -> None:
    message = EmailMessage()
    message.add_attachment(b"%PDF-1.7", maintype="application", subtype="pdf", filename="a.pdf")
    assert read(message).text == "Attachment: a.pdf\n"


def test_a_signature_is_a_loss_and_no_file() -> None:
    message = mail(Subject="s")
    message.add_attachment(b"-----BEGIN PGP SIGNATURE-----", maintype="application", subtype="pgp-signature")
    document = read(message)
    assert document.attachments == ()
    assert [(loss.code, loss.where) for loss in document.losses] == [("PART_NOT_READ", "application/pgp-signature")]


def test_a_forwarded_message_is_an_attachment() -> None:
    message = mail("see below\n", Subject="outer")
    message.add_attachment(mail("inner text\n", Subject="inner"))
    document = read(message)
    assert document.text == "Subject: outer\n\nsee below\n\nAttachment: inner.eml\n"
    assert [(each.name, each.content_type) for each in document.attachments] == [("inner.eml", "message/rfc822")]
    assert b"inner text" in document.attachments[0].data


def test_what_a_forwarded_message_holds_is_taken_out_with_the_place_of_its_message() -> None:
    inner = mails.mail("inner text\n", {"inner.txt": b"in"}, Subject="inner", From="a@mail.example")
    message = mails.mail("see below\n", {"outer.txt": b"out"}, (inner,), Subject="outer")
    found = [(each.name, each.within) for each in read(message).attachments]
    assert found == [("outer.txt", None), ("inner.eml", None), ("inner.txt", 1)]
    assert read(message).attachments[1].metadata == {"subject": "inner", "from": "a@mail.example"}


def test_messages_within_messages_end_with_a_loss_that_names_the_first_left_out() -> None:
    message = mails.mail("deep\n", {"deepest.txt": b"x"}, Subject="6")
    for number in range(5, 0, -1):
        message = mails.mail("around\n", {}, (message,), Subject=str(number))
    document = read(message)
    assert [each.name for each in document.attachments] == ["2.eml", "3.eml", "4.eml", "5.eml"]
    assert [(loss.code, loss.where) for loss in document.losses] == [
        ("ATTACHMENT_LIMIT", "attachment '2.eml/3.eml/4.eml/5.eml/6.eml'")
    ]


def test_files_beyond_the_limit_are_losses_with_their_names() -> None:
    message = mails.mail("many\n", {f"{number}.txt": b"x" for number in range(103)}, Subject="s")
    document = read(message)
    assert len(document.attachments) == 100
    assert [loss.where for loss in document.losses] == [f"attachment '{number}.txt'" for number in (100, 101, 102)]
    assert {loss.code for loss in document.losses} == {"ATTACHMENT_LIMIT"}


def test_parts_are_counted_over_all_messages() -> None:
    part = b"--x\nContent-Type: application/octet-stream\n\nz\n"
    inner = b"Subject: i\nContent-Type: multipart/mixed; boundary=x\n\n" + part * 500 + b"--x--\n"
    outer = b"".join(b"--y\nContent-Type: message/rfc822\n\n" + inner for _ in range(90))
    document = read(b"Subject: o\nContent-Type: multipart/mixed; boundary=y\n\n" + outer + b"--y--\n")
    assert len(document.attachments) == 100
    assert len(document.losses) < 1_100


def test_of_two_forms_of_one_text_the_plain_one_is_read() -> None:
    message = mail("plain words\n", Subject="s")
    message.add_alternative("<p>marked words</p>", subtype="html")
    document = read(message)
    assert document.text == "Subject: s\n\nplain words\n"
    assert document.attachments == ()


def test_a_message_with_html_alone_is_read_as_a_page() -> None:
    message = EmailMessage()
    message["Subject"] = "s"
    message.set_content("<html><body><p>marked <b>words</b></p><script>no()</script></body></html>", subtype="html")
    text = read(message).text
    assert "marked" in text
    assert "words" in text
    assert "no()" not in text
    assert "<p>" not in text


def test_files_within_the_marked_up_form_are_not_lost() -> None:
    message = mail("plain\n", Subject="s")
    message.add_alternative("<p>marked</p>", subtype="html")
    alternatives = message.get_payload()
    assert isinstance(alternatives, list)
    marked = alternatives[1]
    assert isinstance(marked, EmailMessage)
    marked.add_related(b"\x89PNG", maintype="image", subtype="png", filename="chart.png")
    assert [each.name for each in read(message).attachments] == ["chart.png"]


@pytest.mark.parametrize("charset", ["gb2312", "big5", "iso-2022-jp", "utf-16", "koi8-r"])
def test_text_is_decoded_as_it_says(charset: str) -> None:
    words = {"koi8-r": "Привет", "iso-2022-jp": "日本語のメール"}.get(charset, "中文")
    head = f"Subject: s\nContent-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: 8bit\n\n"
    assert words in read(head.encode() + words.encode(charset)).text


@pytest.mark.parametrize("charset", ["unknown-charset", "ascii", "utf-8", ""])
def test_text_that_is_not_what_it_says_is_decoded_by_evidence(charset: str) -> None:
    words = "这是一个用中文写的消息，它的编码没有正确声明。"
    head = f'Subject: s\nContent-Type: text/plain; charset="{charset}"\nContent-Transfer-Encoding: 8bit\n\n'
    assert words in read(head.encode() + words.encode("gb18030")).text


def test_lines_that_flow_are_joined() -> None:
    head = b"Subject: s\nContent-Type: text/plain; format=flowed\n\n"
    assert read(head + b"one \ntwo\nthree\n-- \nname\n").text.endswith("one two\nthree\n-- \nname\n")


def test_headers_that_are_broken_stay_as_they_are() -> None:
    document = read(b"Subject: =?utf-8?b?!!!?= =?nothing?q?x?=\nDate: yesterday\n\nbody\n")
    assert document.text.endswith("body\n")
    assert "date" not in document.metadata


def test_folded_headers_are_one_line_and_long_ones_are_cut() -> None:
    document = read(b"Subject: one\n two\nTo: " + b"a@mail.example, " * 10_000 + b"\n\nbody\n")
    assert document.title == "one two"
    assert len(document.text) < 3_000
    assert [(loss.code, loss.where) for loss in document.losses] == [("HEADER_TRUNCATED", "header To")]


@pytest.mark.parametrize("characters", [700, 3_000])
def test_a_long_encoded_subject_is_decoded_before_it_is_cut(characters: int) -> None:
    message = mail(Subject="会" * characters)
    document = read(message)
    kept = min(characters, 2_000)
    assert document.metadata["subject"] == "会" * kept
    assert document.title == "会" * 200
    assert [loss.code for loss in document.losses] == ["HEADER_TRUNCATED"] * (characters > kept)


@pytest.mark.parametrize("word", ["=?a?q?", "=?utf-8?q?x?= ", "=?utf-8?b?4pyT", "=?", "x" * 10, " \t"])
def test_a_hostile_header_is_read_in_part(word: str) -> None:
    document = read(b"Subject: x" + word.encode() * 100_000 + b"\n\nbody\n")
    assert document.text.endswith("body\n")
    assert [loss.code for loss in document.losses] == ["HEADER_TRUNCATED"]


def test_marked_up_text_is_decoded_as_the_part_says_whatever_the_page_says() -> None:
    head = "Subject: s\nContent-Type: text/html; charset=big5\nContent-Transfer-Encoding: 8bit\n\n"
    page = '<html><meta charset="gbk"><p>中文</p></html>'
    assert "中文" in read(head.encode() + page.encode("big5")).text


def test_parts_within_parts_end() -> None:
    message = MIMEText("deep")
    for _ in range(80):
        outer = MIMEMultipart()
        outer.attach(message)
        message = outer  # type: ignore[assignment]  # both are messages
    message["Subject"] = "s"
    assert [loss.code for loss in read(message.as_bytes()).losses] == ["PART_LIMIT"]


def test_very_many_parts_are_capped() -> None:
    body = b"".join(b"--x\nContent-Type: application/octet-stream\n\nz\n" for _ in range(1_200))
    document = read(b"Subject: s\nContent-Type: multipart/mixed; boundary=x\n\n" + body + b"--x--\n")
    assert len(document.attachments) == 100
    assert document.losses[0].code == "PART_LIMIT"
    assert len(document.losses) == 901


@pytest.mark.parametrize("data", [b"\n", b"X-Mailer: none\n\n \n"])
def test_a_message_without_text_fails_with_a_reason(data: bytes) -> None:
    with pytest.raises(Unreadable) as refused:
        read(data)
    assert refused.value.detail["reason"] == "NO_TEXT"
