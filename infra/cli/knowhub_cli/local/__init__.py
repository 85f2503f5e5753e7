"""The local host: template.yaml to workers, routes, queues and schedule."""
