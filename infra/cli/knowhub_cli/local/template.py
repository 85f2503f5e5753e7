"""Reads `template.yaml` into what the local host runs."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from knowhub_cli.local.blueprint import (
    INTEGRATION_SECONDS,
    FunctionSpec,
    QueueSource,
    QueueSpec,
    Route,
    Template,
    Tick,
    UploadNotice,
)
from knowhub_cli.local.failures import TemplateError
from knowhub_cli.local.intrinsics import ACCOUNT, REGION, Intrinsics, parse, scalar_text
from knowhub_cli.local.places import Places

_SECONDS: Final = {"minute": 60, "hour": 3600, "day": 86400}
_FUNCTION: Final = "AWS::Serverless::Function"


def read_template(
    path: Path, places: Places, *, parameters: Mapping[str, str], overridden: frozenset[str] = frozenset()
) -> Template:
    """Read a SAM template; environment variables named in `overridden` are not even resolved.

    Resources whose condition does not hold, or that need no hosting, are left out. Raises `TemplateError`.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise TemplateError(f"{path} can't be read: {error.strerror}") from error
    return _Reading(parse(text, path.name), path.parent, places, parameters, overridden).whole()


class _Reading:
    """One pass over one template."""

    def __init__(
        self,
        data: Mapping[str, Any],
        root: Path,
        places: Places,
        parameters: Mapping[str, str],
        overridden: frozenset[str],
    ) -> None:
        self._data = data
        self._root = root
        self._places = places
        self._overridden = overridden
        self._intrinsics = Intrinsics(data, parameters, self._resource_value)
        self._globals: Mapping[str, Any] = data.get("Globals") or {}

    def whole(self) -> Template:
        events = [event for name, body in self._of_kind(_FUNCTION) for event in self._events(name, body)]
        return Template(
            functions={name: self._function(name, body) for name, body in self._of_kind(_FUNCTION)},
            routes=tuple(event for event in events if isinstance(event, Route)),
            sources=tuple(event for event in events if isinstance(event, QueueSource)),
            ticks=tuple(event for event in events if isinstance(event, Tick)),
            queues={name: self._queue(name, body) for name, body in self._of_kind("AWS::SQS::Queue")},
            notices=tuple(
                notice for name, body in self._of_kind("AWS::S3::Bucket") for notice in self._notices(name, body)
            ),
            binary_types=frozenset(self._binary_types()),
        )

    def _of_kind(self, kind: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
        for name, resource in (self._data.get("Resources") or {}).items():
            if not isinstance(resource, dict) or resource.get("Type") != kind:
                continue
            condition = resource.get("Condition")
            if condition is None or self._intrinsics.holds(condition, f"Resources.{name}.Condition"):
                yield name, resource.get("Properties") or {}

    def _resource_value(self, name: str, attribute: str | None) -> str:
        kind = str(self._data["Resources"][name].get("Type", ""))
        if attribute == "Arn":
            service = kind.split("::")[1].lower() if kind.count("::") > 1 else "local"
            return f"arn:aws:{service}:{REGION}:{ACCOUNT}:{name}"
        if attribute in {None, "QueueUrl"}:
            return self._places.of_resource(kind, name)
        return f"{name}.{attribute}"

    def _get(self, body: Mapping[str, Any], member: str, place: str, default: Any = None) -> Any:
        value = self._intrinsics.value({member: body[member]} if member in body else {}, place).get(member)
        return default if value is None else value

    def _function(self, name: str, body: Mapping[str, Any]) -> FunctionSpec:
        place = f"Resources.{name}"
        merged = {**(self._globals.get("Function") or {}), **body}
        code, handler = self._get(merged, "CodeUri", place), self._get(merged, "Handler", place)
        if not isinstance(code, str) or not isinstance(handler, str):
            raise TemplateError(f"{place}: the local host needs CodeUri and Handler")
        return FunctionSpec(
            name=name,
            code=(self._root / code).resolve(),
            handler=handler,
            timeout=float(self._get(merged, "Timeout", place, 3)),
            memory=int(self._get(merged, "MemorySize", place, 128)),
            environment=self._environment(body, place),
            layers=tuple(self._layers(body, place)),
        )

    def _environment(self, body: Mapping[str, Any], place: str) -> dict[str, str]:
        variables: dict[str, str] = {}
        for holder, where in ((self._globals.get("Function") or {}, "Globals.Function"), (body, place)):
            for key, node in ((holder.get("Environment") or {}).get("Variables") or {}).items():
                spot = f"{where}.Environment.Variables.{key}"
                if key in self._overridden:
                    continue
                value = self._intrinsics.value({key: node}, spot)
                if key in value:
                    variables[key] = scalar_text(value[key], spot)
                else:
                    variables.pop(key, None)
        return variables

    def _layers(self, body: Mapping[str, Any], place: str) -> Iterator[Path]:
        """Give the folders of those layers that ship source; installed ones are in the host's own environment."""
        listed = [*self._layer_list(self._globals.get("Function") or {}, "Globals.Function")]
        for layer in [*listed, *self._layer_list(body, place)]:
            resource = (self._data.get("Resources") or {}).get(layer) or {}
            if resource.get("Type") == "AWS::Serverless::LayerVersion":
                folder = self._get(resource.get("Properties") or {}, "ContentUri", f"Resources.{layer}")
                source = (self._root / str(folder) / "python").resolve()
                if source.is_dir():
                    yield source

    def _layer_list(self, body: Mapping[str, Any], place: str) -> list[str]:
        return [str(layer) for layer in self._get(body, "Layers", place, [])]

    def _events(self, name: str, body: Mapping[str, Any]) -> Iterator[Route | QueueSource | Tick]:
        for label, event in (body.get("Events") or {}).items():
            place = f"Resources.{name}.Events.{label}"
            kind = event.get("Type")
            properties = self._intrinsics.value(
                {key: node for key, node in (event.get("Properties") or {}).items() if key in _READ_OF_EVENTS}, place
            )
            if kind == "Api":
                yield _route(name, properties, place)
            elif kind == "SQS":
                yield _source(name, properties, place)
            elif kind in {"Schedule", "ScheduleV2"}:
                if _is_on(properties):
                    yield _tick(name, label, properties, place)
            else:
                raise TemplateError(f"{place}: the local host can't serve events of type {kind}")

    def _queue(self, name: str, body: Mapping[str, Any]) -> QueueSpec:
        place = f"Resources.{name}"
        redrive = self._get(body, "RedrivePolicy", place, {})
        target = redrive.get("deadLetterTargetArn")
        return QueueSpec(
            name=name,
            fifo=str(self._get(body, "FifoQueue", place, "false")).lower() == "true",
            visibility_seconds=int(self._get(body, "VisibilityTimeout", place, 30)),
            max_receives=int(redrive["maxReceiveCount"]) if target else None,
            dead_letters=_last_part(target) if target else None,
        )

    def _notices(self, name: str, body: Mapping[str, Any]) -> Iterator[UploadNotice]:
        place = f"Resources.{name}"
        for each in self._get(body, "NotificationConfiguration", place, {}).get("QueueConfigurations", []):
            rules = each.get("Filter", {}).get("S3Key", {}).get("Rules", [])
            prefixes = [rule["Value"] for rule in rules if str(rule.get("Name")).lower() == "prefix"]
            yield UploadNotice(name, prefixes[0] if prefixes else "", _last_part(each["Queue"]))

    def _binary_types(self) -> Iterator[str]:
        holders = [(self._globals.get("Api") or {}, "Globals.Api")]
        holders += [(body, f"Resources.{name}") for name, body in self._of_kind("AWS::Serverless::Api")]
        for holder, place in holders:
            for media_type in self._get(holder, "BinaryMediaTypes", place, []):
                yield str(media_type).replace("~1", "/").lower()


_READ_OF_EVENTS: Final = frozenset(
    {
        *("Path", "Method", "ResponseTransferMode", "TimeoutInMillis"),
        *("Queue", "BatchSize", "FunctionResponseTypes", "ScalingConfig", "Enabled"),
        *("Schedule", "ScheduleExpression", "State", "Input"),
    }
)
"""Members of an event that mean something here; the others (roles, retry policies, ...) are not even resolved."""


def _route(function: str, properties: Mapping[str, Any], place: str) -> Route:
    if "Path" not in properties or "Method" not in properties:
        raise TemplateError(f"{place}: an Api event needs Path and Method")
    method = str(properties["Method"]).upper()
    return Route(
        function=function,
        method="ANY" if method in {"ANY", "*"} else method,
        path=str(properties["Path"]),
        stream=properties.get("ResponseTransferMode") in {"RESPONSE_STREAM", "STREAM"},
        seconds=float(properties.get("TimeoutInMillis", INTEGRATION_SECONDS * 1000)) / 1000,
    )


def _source(function: str, properties: Mapping[str, Any], place: str) -> QueueSource:
    if "Queue" not in properties:
        raise TemplateError(f"{place}: an SQS event needs Queue")
    concurrency = properties.get("ScalingConfig", {}).get("MaximumConcurrency")
    return QueueSource(
        function=function,
        queue=_last_part(properties["Queue"]),
        batch_size=int(properties.get("BatchSize", 10)),
        partial="ReportBatchItemFailures" in properties.get("FunctionResponseTypes", []),
        concurrency=None if concurrency is None else int(concurrency),
    )


def _tick(function: str, label: str, properties: Mapping[str, Any], place: str) -> Tick:
    expression = str(properties.get("ScheduleExpression", properties.get("Schedule", "")))
    words = expression.removeprefix("rate(").removesuffix(")").split()
    unit = words[1].rstrip("s") if len(words) == 2 else ""  # noqa: PLR2004  a rate is a number and a unit
    if not expression.startswith("rate(") or unit not in _SECONDS or not words[0].isdigit() or words[0] == "0":
        raise TemplateError(f"{place}: the local host fires rate(...) schedules only, not {expression or 'none'}")
    payload = properties.get("Input")
    return Tick(function, label, float(int(words[0]) * _SECONDS[unit]), None if payload is None else str(payload))


def _is_on(properties: Mapping[str, Any]) -> bool:
    enabled = str(properties.get("Enabled", "true")).lower() != "false"
    return enabled and str(properties.get("State", "ENABLED")).upper() != "DISABLED"


def _last_part(arn: Any) -> str:
    """Give the logical id at the end of a queue's ARN or local address."""
    return str(arn).replace("#", ":").rsplit(":", 1)[-1]
