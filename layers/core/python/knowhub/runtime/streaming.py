"""A Lambda runtime that streams: `python -m knowhub.runtime.streaming`.

The managed Python runtime sends an answer when it is whole. This one takes its place (the layer's `knowhub-stream`
wrapper starts it) and sends what a handler yields as it is yielded. A handler that returns an iterator of bytes is
streamed, and its first bytes are the HTTP integration prelude: JSON `{statusCode, headers, cookies?}`, eight NUL bytes.
Any other result is answered whole, as JSON.

This module reads the environment itself, although everything else leaves that to `knowhub.settings`: it is the
process's bootstrap, the variables are those of the Lambda Runtime API (`AWS_LAMBDA_RUNTIME_API`, `_HANDLER`,
`LAMBDA_TASK_ROOT`, ...) and not the hub's, and it has to report a failing import of the settings like any other.
"""

import logging
import os
import sys
from collections.abc import MutableMapping
from contextlib import suppress
from typing import TextIO

from knowhub.runtime.context import FunctionFacts
from knowhub.runtime.faults import ErrorReport, report_of
from knowhub.runtime.loading import Handler, arrange_path, load_handler
from knowhub.runtime.loop import Loop, ProcessEnd, exit_status, write_report
from knowhub.runtime.runtime_api import HostGone, RuntimeApi
from knowhub.runtime.snapshots import installed_hooks, run_after_restore, run_before_snapshot

# What the managed runtime exits with when a hook fails before a snapshot and after a restore.
_BEFORE_SNAPSHOT_FAILED = 64
_AFTER_RESTORE_FAILED = 65


def main(environ: MutableMapping[str, str], log: TextIO) -> int:
    """Run the handler that `environ` names until the host goes away, and return the exit status."""
    missing = [name for name in ("AWS_LAMBDA_RUNTIME_API", "_HANDLER") if not environ.get(name)]
    if missing:
        log.write(f"This is a Lambda runtime; it needs {' and '.join(missing)} in its environment\n")
        return 2
    api = RuntimeApi(environ["AWS_LAMBDA_RUNTIME_API"])
    try:
        handler = _start(api, environ, log)
        Loop(api, handler, FunctionFacts.read(environ), environ, log).run()
    except ProcessEnd as end:
        return end.status
    except HostGone as gone:
        write_report(log, report_of(gone))
        return 1
    except KeyboardInterrupt as interrupt:
        return exit_status(interrupt)


def _start(api: RuntimeApi, environ: MutableMapping[str, str], log: TextIO) -> Handler:
    _set_up_logging(log)
    arrange_path(environ.get("LAMBDA_TASK_ROOT") or os.getcwd())  # noqa: PTH109 - a search path entry is a string
    try:
        handler = load_handler(environ["_HANDLER"])
    except BaseException as error:
        report = report_of(error)
        _report_failed_start(api, report, log)
        raise ProcessEnd(exit_status(error) or 1) from error
    if environ.get("AWS_LAMBDA_INITIALIZATION_TYPE") == "snap-start":
        _pass_through_snapshot(api, log)
    return handler


def _pass_through_snapshot(api: RuntimeApi, log: TextIO) -> None:
    hooks = installed_hooks()
    try:
        run_before_snapshot(hooks)
    except BaseException as error:
        _report_failed_start(api, report_of(error), log)
        raise ProcessEnd(_BEFORE_SNAPSHOT_FAILED) from error
    api.restore_next()
    try:
        run_after_restore(hooks)
    except BaseException as error:
        report = report_of(error)
        write_report(log, report)
        with suppress(HostGone):
            api.fail_restore(report)
        raise ProcessEnd(_AFTER_RESTORE_FAILED) from error


def _report_failed_start(api: RuntimeApi, report: ErrorReport, log: TextIO) -> None:
    write_report(log, report)
    with suppress(HostGone):  # the exit status still tells
        api.fail_init(report)


def _set_up_logging(log: TextIO) -> None:
    # Records of libraries, which the handler's own logger does not carry, in the managed runtime's shape.
    logging.basicConfig(stream=log, format="[%(levelname)s]\t%(asctime)s\t%(name)s\t%(message)s")


def _line_by_line() -> None:
    # A pipe is block-buffered, and a frozen environment does not flush: lines would surface in a later invocation.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(line_buffering=True, write_through=True)


if __name__ == "__main__":
    _line_by_line()
    sys.exit(main(os.environ, sys.stdout))
