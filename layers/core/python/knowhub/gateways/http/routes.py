"""The modules that hold the routes, one a resource."""

from knowhub.gateways.http import ask, documents, jobs, knowledge_bases, search, service, sources, uploads

ROUTES = (service, knowledge_bases, documents, uploads, sources, jobs, search, ask)
