"""`python -m knowhub_cli` is the `knowhub` command."""

import sys

from knowhub_cli.main import main

if __name__ == "__main__":
    sys.exit(main())
