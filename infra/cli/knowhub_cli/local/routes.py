"""Which function answers a path: API Gateway's rules for resources."""

from collections.abc import Iterable
from dataclasses import dataclass

from knowhub_cli.local.blueprint import Route

_STATIC, _PARAMETER, _GREEDY = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Match:
    """A route, and what stood in the path's place-holders."""

    route: Route
    parameters: dict[str, str]


class RouteTable:
    """The template's routes. A static segment wins over `{name}`, that over `{name+}`, from left to right.

    A trailing slash is ignored where no resource has one. Of one resource's methods, the named one wins over `ANY`.
    """

    def __init__(self, routes: Iterable[Route]) -> None:
        self._resources: dict[str, dict[str, Route]] = {}
        for route in routes:
            self._resources.setdefault(route.path, {})[route.method] = route
        self._ordered = sorted(self._resources, key=_rank)

    def find(self, method: str, path: str) -> Match | None:
        """Find the route; None where no resource fits, or where the one that fits does not take the method."""
        spellings = [path, path.rstrip("/")] if path.endswith("/") else [path]
        for resource in self._ordered:
            for spelling in spellings:
                parameters = _fit(resource, spelling)
                if parameters is not None:
                    methods = self._resources[resource]
                    route = methods.get(method, methods.get("ANY"))
                    return None if route is None else Match(route, parameters)
        return None


def _rank(resource: str) -> list[int]:
    return [_kind(segment) for segment in resource.split("/")]


def _kind(segment: str) -> int:
    if not segment.startswith("{"):
        return _STATIC
    return _GREEDY if segment.endswith("+}") else _PARAMETER


def _fit(resource: str, path: str) -> dict[str, str] | None:
    wanted, given = resource.split("/"), path.split("/")
    parameters: dict[str, str] = {}
    for index, segment in enumerate(wanted):
        kind = _kind(segment)
        if index >= len(given) or (kind is not _STATIC and not given[index]):
            return None
        if kind == _GREEDY:
            parameters[segment[1:-2]] = "/".join(given[index:])
            return parameters
        if kind == _PARAMETER:
            parameters[segment[1:-1]] = given[index]
        elif segment != given[index]:
            return None
    return parameters if len(given) == len(wanted) else None
