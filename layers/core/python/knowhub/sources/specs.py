"""What an import is asked to do: JSON in, a checked spec out, and back again for keeping."""

from collections.abc import Collection, Mapping
from typing import Any, cast

from knowhub.net.urls import UnusableUrl, identity
from knowhub.ports.sources import SourceSpec, SourceType
from knowhub.sources import chunking_specs
from knowhub.sources.checking import Check, given

MOST_INPUTS = 1000
_MOST_EXTENSIONS = 100
_MOST_TRANSFORMERS = 20
_LONGEST_NAME = 200
_LONGEST_TEXT = 1_000_000

_INPUTS: Mapping[str, str] = {"file": "files", "dir": "path", "url": "urls", "auto": "inputs"}
_OWN: Mapping[str, frozenset[str]] = {
    "file": frozenset(),
    "dir": frozenset({"recursive", "extensions"}),
    "url": frozenset({"content_urls", "respect_robots"}),
    "auto": frozenset({"recursive", "extensions", "respect_robots"}),
}
_OPTIONS = frozenset({"name", "metadata", "chunk_size", "chunk_overlap", "chunking", "transformers", "reader"})


def parse(body: object, *, readers: Collection[str], chunkers: Collection[str]) -> SourceSpec:
    """Read `{"source": {"type": …}, …}`; raises `InvalidRequest` with every fault as `{loc, type, message}`.

    Options stand beside `source` or in it, but not in both. `readers` and `chunkers` are the names that exist. What
    transformers there are is for their registry to say.
    """
    check = Check()
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
    if not spec.respect_robots:
        source["respect_robots"] = False
    options: dict[str, Any] = {
        "name": spec.name,
        "metadata": dict(spec.metadata) or None,
        "chunk_size": spec.chunk_size,
        "chunk_overlap": spec.chunk_overlap,
        "chunking": spec.chunking and chunking_specs.to_json(spec.chunking),
        "transformers": [dict(each) for each in spec.transformers] or None,
        "reader": spec.reader,
    }
    return {"source": source, **{name: value for name, value in options.items() if value is not None}}


def merged_metadata(spec: SourceSpec, system: Mapping[str, object]) -> dict[str, object]:
    """Put a document's metadata together: the user's first, then the system's, which win."""
    return {**spec.metadata, **system}


def _spec(
    kind: SourceType,
    source: Mapping[str, Any],
    options: Mapping[str, Any],
    *,
    check: Check,
    readers: Collection[str],
    chunkers: Collection[str],
) -> SourceSpec:
    inputs = _inputs(kind, source, check)
    size, overlap = chunking_specs.sizes(options, check)
    return SourceSpec(
        type=kind,
        inputs=inputs,
        content_urls=_content_urls(source, len(inputs), check),
        recursive=check.flag(source.get("recursive", False), ("body", "source", "recursive")),
        extensions=_extensions(source, check),
        name=_name(options, check),
        metadata=check.members(options["metadata"], ("body", "metadata")) if given(options, "metadata") else {},
        chunk_size=size,
        chunk_overlap=overlap,
        chunking=chunking_specs.read(options["chunking"], chunkers, check) if given(options, "chunking") else None,
        transformers=_transformers(options, check),
        reader=check.one_of(options.get("reader"), readers, ("body", "reader")),
        respect_robots=check.flag(source.get("respect_robots", True), ("body", "source", "respect_robots")),
    )


def _inputs(kind: SourceType, source: Mapping[str, Any], check: Check) -> tuple[str, ...]:
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


def _check_identities(urls: tuple[str, ...], loc: tuple[str, ...], check: Check) -> None:
    for number, url in enumerate(urls):
        try:
            identity(url)
        except UnusableUrl as error:
            check.fault((*loc, number), "url", str(error))


def _content_urls(source: Mapping[str, Any], count: int, check: Check) -> tuple[str, ...]:
    if not given(source, "content_urls"):
        return ()
    loc = ("body", "source", "content_urls")
    found = tuple(url.strip() for url in check.texts(source["content_urls"], loc, MOST_INPUTS, 4096))
    if len(found) != count:
        check.fault(loc, "value_error", "as many content_urls as urls")
    return found


def _extensions(source: Mapping[str, Any], check: Check) -> tuple[str, ...]:
    if not given(source, "extensions"):
        return ()
    found = check.texts(source["extensions"], ("body", "source", "extensions"), _MOST_EXTENSIONS, 20)
    return tuple(dict.fromkeys(each.strip().lower().lstrip(".") for each in found))


def _name(options: Mapping[str, Any], check: Check) -> str | None:
    if not given(options, "name"):
        return None
    name = check.text(options["name"], ("body", "name"), _LONGEST_NAME)
    if name is not None and (name != name.strip() or "/" in name or not name.isprintable()):
        check.fault(("body", "name"), "value_error", "no slash, no control character, no white space at the ends")
    return name


def _transformers(options: Mapping[str, Any], check: Check) -> tuple[dict[str, Any], ...]:
    value = options.get("transformers") or []
    if isinstance(value, list) and len(value) <= _MOST_TRANSFORMERS and all(isinstance(each, dict) for each in value):
        return tuple(value)
    check.fault(("body", "transformers"), "list_type", f"a list of up to {_MOST_TRANSFORMERS} JSON objects")
    return ()
