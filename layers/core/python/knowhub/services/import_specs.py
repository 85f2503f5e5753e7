"""What an import is asked to do, checked against what this hub has."""

from knowhub.chunkers import registry as chunkers
from knowhub.ports.sources import SourceSpec
from knowhub.readers import registry as readers
from knowhub.sources.specs import parse
from knowhub.transformers import registry as transformers


def spec_of(sent: object) -> SourceSpec:
    """Read the body of an import; raises `InvalidRequest` with every fault in its place."""
    spec = parse(sent, readers=readers.names(), chunkers=chunkers.names())
    transformers.build(spec.transformers)
    return spec
