"""`python -m tests.opensearch [PORT]`: a node in the foreground, for a person; Ctrl-C ends it and forgets its state."""

import signal
import sys

from tests.opensearch.node import node


def main() -> None:
    """Start a node, say where it is, and wait."""
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with node(port) as running:
            sys.stdout.write(f"OpenSearch answers on {running.url}; Ctrl-C stops it and forgets what it holds\n")
            sys.stdout.flush()
            running.process.wait()
            sys.exit("The node ended by itself")
    except KeyboardInterrupt:
        return


main()
