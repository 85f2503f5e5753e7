"""What an import is asked to do: JSON in, a checked spec out, and back again for keeping."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from knowhub.errors import InvalidRequest
from knowhub.model.knowledge_base import Chunking
from knowhub.net.urls import UnusableUrl, identity
from knowhub.ports.sources import SourceSpec, SourceType

MOST_INPUTS = 1000
_MOST_EXTENSIONS = 100
_MOST_TRANSFORMERS = 20
_LONGEST_NAME = 200
_LONGEST_TEXT = 1_000_000
_SIZES = range(100, 8001)
_OVERLAPS = range(4001)
_DEFAULT = Chunking()

_INPUTS: Mapping[str, str] = {"file": "files", "dir": "path", "url": "urls", "auto": "inputs"}
_OWN: Mapping[str, frozenset[str]] = {
    "file": frozenset(),
    "dir": frozenset({"recursive", "extensions"}),
    "url": frozenset({"content_urls"}),
    "auto": frozenset({"recursive", "extensions"}),
}
_OPTIONS = frozenset({"name", "metadata", "chunk_size", "chunk_overlap", "chunking", "transformers", "reader"})


def parse(body: object, *, readers: Collection[str], chunkers: Collection[str]) -> SourceSpec:
    """Read `{"source": {"type": …}, …}`; raises `InvalidRequest` with every fault as `{loc, type, message}`.

    Options stand beside `source` or in it, but not in both. `readers` and `chunkers` are the names that exist. What
    transformers there are is for their registry to say.
    """
    check = _Check()
    outer = check.members(body, ("body",))
    source = check.members(outer.get("source"), ("body", "source"))
    kind = source.get("type")
    if not isinstance(kind, str) or kind not in _INPUTS:
        check.fault(("body", "source", "type"), "literal_error", f"one of {', '.join(_INPUTS)}")
        raise check.error()
    known = _OWN[kind] | {"type", _INPUTS[kind]}
    check.known(outer, _OPTIONS | {"source"}, ("body",))
    check.known(source, _OPTIONS | known, ("body", "source"))
    options = {name: source[name] for name in _OPTIONS & set(source)}
    for name in sorted(_OPTIONS & set(outer)):
        if name in options:
            check.fault(("body", name), "value_error", "this option is given twice")
        options[name] = outer[name]
    spec = _spec(cast("SourceType", kind), source, options, check=check, readers=readers, chunkers=chunkers)
    if check.faults:
        raise check.error()
    return spec


def to_json(spec: SourceSpec) -> dict[str, Any]:
    """Write a spec so that `parse` gives it back."""
    source: dict[str, Any] = {"type": spec.type}
    source[_INPUTS[spec.type]] = spec.inputs[0] if spec.type == "dir" else list(spec.inputs)
    if spec.content_urls:
        source["content_urls"] = list(spec.content_urls)
    if spec.recursive:
        source["recursive"] = True
    if spec.extensions:
        source["extensions"] = list(spec.extensions)
    cut = spec.chunking
    options: dict[str, Any] = {
        "name": spec.name,
        "metadata": dict(spec.metadata) or None,
        "chunk_size": spec.chunk_size,
        "chunk_overlap": spec.chunk_overlap,
        "chunking": cut and {"strategy": cut.strategy, "size": cut.size, "overlap": cut.overlap},
        "transformers": [dict(each) for each in spec.transformers] or None,
        "reader": spec.reader,
    }
    return {"source": source, **{name: value for name, value in options.items() if value is not None}}


def merged_metadata(spec: SourceSpec, system: Mapping[str, object]) -> dict[str, object]:
    """Put a document's metadata together: the user's first, then the system's, which win."""
    return {**spec.metadata, **system}


@dataclass(slots=True)
class _Check:
    """Collects faults while values are looked at."""

    faults: list[dict[str, object]] = field(default_factory=list)

    def fault(self, loc: tuple[str | int, ...], kind: str, message: str) -> None:
        """Note one fault; it shows the place and never the value."""
        self.faults.append({"loc": list(loc), "type": kind, "message": message})

    def error(self) -> InvalidRequest:
        """Build the error of all faults."""
        return InvalidRequest("The import does not fit", {"errors": self.faults})

    def members(self, value: object, loc: tuple[str, ...]) -> dict[str, Any]:
        """Take an object; nothing else has members."""
        if isinstance(value, dict):
            return value
        self.fault(loc, "dict_type", "a JSON object")
        return {}

    def known(self, members: Mapping[str, object], names: Collection[str], loc: tuple[str, ...]) -> None:
        """Refuse members that would silently be without effect."""
        for name in sorted(set(members) - set(names)):
            self.fault((*loc, name), "extra_forbidden", "this member is not known")

    def text(self, value: object, loc: tuple[str | int, ...], longest: int) -> str | None:
        """Take a text that is more than white space."""
        if isinstance(value, str) and value.strip() and len(value) <= longest:
            return value
        self.fault(loc, "string_type", f"a text of 1 to {longest} characters")
        return None

    def texts(self, value: object, loc: tuple[str, ...], most: int, longest: int) -> tuple[str, ...]:
        """Take a list of different texts."""
        if not isinstance(value, list) or not 1 <= len(value) <= most:
            self.fault(loc, "list_type", f"a list of 1 to {most} texts")
            return ()
        found = [self.text(each, (*loc, number), longest) for number, each in enumerate(value)]
        return tuple(each for each in found if each is not None)

    def whole(self, value: object, loc: tuple[str, ...], within: range) -> int | None:
        """Take a whole number of a range."""
        if isinstance(value, int) and not isinstance(value, bool) and value in within:
            return value
        self.fault(loc, "int_type", f"a whole number from {within.start} to {within.stop - 1}")
        return None


def _spec(
    kind: SourceType,
    source: Mapping[str, Any],
    options: Mapping[str, Any],
    *,
    check: _Check,
    readers: Collection[str],
    chunkers: Collection[str],
) -> SourceSpec:
    inputs = _inputs(kind, source, check)
    size, overlap = _sizes(options, check)
    return SourceSpec(
        type=kind,
        inputs=inputs,
        content_urls=_content_urls(source, len(inputs), check),
        recursive=_flag(source, "recursive", check),
        extensions=_extensions(source, check),
        name=_name(options, check),
        metadata=check.members(options["metadata"], ("body", "metadata")) if _given(options, "metadata") else {},
        chunk_size=size,
        chunk_overlap=overlap,
        chunking=_chunking(options, chunkers, check),
        transformers=_transformers(options, check),
        reader=_one_of(options.get("reader"), readers, ("body", "reader"), check),
    )


def _inputs(kind: SourceType, source: Mapping[str, Any], check: _Check) -> tuple[str, ...]:
    loc = ("body", "source", _INPUTS[kind])
    if kind == "dir":
        path = check.text(source.get("path"), loc, 4096)
        return () if path is None else (path,)
    found = check.texts(source.get(_INPUTS[kind]), loc, MOST_INPUTS, _LONGEST_TEXT if kind == "auto" else 4096)
    if kind == "url":
        found = tuple(url.strip() for url in found)
        _check_identities(found, loc, check)
    if len(set(found)) < len(found):
        check.fault(loc, "value_error", "no input stands twice")
    return found


def _check_identities(urls: tuple[str, ...], loc: tuple[str, ...], check: _Check) -> None:
    for number, url in enumerate(urls):
        try:
            identity(url)
        except UnusableUrl as error:
            check.fault((*loc, number), "url", str(error))


def _content_urls(source: Mapping[str, Any], count: int, check: _Check) -> tuple[str, ...]:
    if not _given(source, "content_urls"):
        return ()
    loc = ("body", "source", "content_urls")
    found = tuple(url.strip() for url in check.texts(source["content_urls"], loc, MOST_INPUTS, 4096))
    if len(found) != count:
        check.fault(loc, "value_error", "as many content_urls as urls")
    return found


def _extensions(source: Mapping[str, Any], check: _Check) -> tuple[str, ...]:
    if not _given(source, "extensions"):
        return ()
    found = check.texts(source["extensions"], ("body", "source", "extensions"), _MOST_EXTENSIONS, 20)
    return tuple(dict.fromkeys(each.strip().lower().lstrip(".") for each in found))


def _flag(source: Mapping[str, Any], name: str, check: _Check) -> bool:
    value = source.get(name, False)
    if not isinstance(value, bool):
        check.fault(("body", "source", name), "bool_type", "true or false")
    return value is True


def _name(options: Mapping[str, Any], check: _Check) -> str | None:
    if not _given(options, "name"):
        return None
    name = check.text(options["name"], ("body", "name"), _LONGEST_NAME)
    if name is not None and (name != name.strip() or "/" in name or not name.isprintable()):
        check.fault(("body", "name"), "value_error", "no slash, no control character, no white space at the ends")
    return name


def _sizes(options: Mapping[str, Any], check: _Check) -> tuple[int | None, int | None]:
    size = overlap = None
    if _given(options, "chunk_size"):
        size = check.whole(options["chunk_size"], ("body", "chunk_size"), _SIZES)
    if _given(options, "chunk_overlap"):
        overlap = check.whole(options["chunk_overlap"], ("body", "chunk_overlap"), _OVERLAPS)
    if size is not None and overlap is not None and overlap >= size:
        check.fault(("body", "chunk_overlap"), "value_error", "overlap is less than size")
    return size, overlap


def _chunking(options: Mapping[str, Any], chunkers: Collection[str], check: _Check) -> Chunking | None:
    if not _given(options, "chunking"):
        return None
    loc = ("body", "chunking")
    members = check.members(options["chunking"], loc)
    check.known(members, {"strategy", "size", "overlap"}, loc)
    strategy = _one_of(members.get("strategy"), chunkers, (*loc, "strategy"), check)
    size = check.whole(members.get("size", _DEFAULT.size), (*loc, "size"), _SIZES)
    overlap = check.whole(members.get("overlap", _DEFAULT.overlap), (*loc, "overlap"), _OVERLAPS)
    if size is None or overlap is None:
        return None
    if overlap >= size:
        check.fault((*loc, "overlap"), "value_error", "overlap is less than size")
    return Chunking(strategy, size, overlap)


def _transformers(options: Mapping[str, Any], check: _Check) -> tuple[dict[str, Any], ...]:
    value = options.get("transformers") or []
    if isinstance(value, list) and len(value) <= _MOST_TRANSFORMERS and all(isinstance(each, dict) for each in value):
        return tuple(value)
    check.fault(("body", "transformers"), "list_type", f"a list of up to {_MOST_TRANSFORMERS} JSON objects")
    return ()


def _one_of(value: object, names: Collection[str], loc: tuple[str, ...], check: _Check) -> str | None:
    if value is None or (isinstance(value, str) and value in names):
        return value
    check.fault(loc, "literal_error", f"one of {', '.join(sorted(names))}")
    return None


def _given(members: Mapping[str, object], name: str) -> bool:
    return members.get(name) is not None
