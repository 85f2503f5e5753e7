"""The modules that hold the routes, one a resource."""

from knowhub.gateways.http import ask, documents, jobs, knowledge_bases, search, service

ROUTES = (service, knowledge_bases, documents, jobs, search, ask)
