"""The modules that hold the routes, one a resource."""

from knowhub.gateways.http import (
    admin,
    api_keys,
    ask,
    documents,
    identity,
    jobs,
    knowledge_bases,
    members,
    search,
    service,
    sessions,
    sources,
    uploads,
    users,
)

ROUTES = (
    service,
    identity,
    api_keys,
    users,
    knowledge_bases,
    members,
    documents,
    uploads,
    sources,
    jobs,
    search,
    ask,
    sessions,
    admin,
)
