"""The runtime as the process that Lambda starts: `python -m knowhub.runtime.streaming`."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.runtime_api import PATIENCE, RuntimeApiStandIn

LAYER = Path(__file__).parents[3] / "layers" / "core" / "python"

Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def api() -> Iterator[RuntimeApiStandIn]:
    with RuntimeApiStandIn() as api:
        yield api


@pytest.fixture
def start(api: RuntimeApiStandIn, tmp_path: Path) -> Iterator[Start]:
    """Start the runtime on handler source text; the files of a function lie in `task`."""
    started: list[subprocess.Popen[str]] = []

    def run(source: str | None, *, handler: str = "app.handler", layer: Path = LAYER, **environ: str) -> object:
        task = tmp_path / "task"
        task.mkdir(exist_ok=True)
        if source is not None:
            (task / "app.py").write_text(source)
        process = subprocess.Popen(
            [sys.executable, "-m", "knowhub.runtime.streaming"],
            env={
                "AWS_LAMBDA_RUNTIME_API": api.address,
                "_HANDLER": handler,
                "LAMBDA_TASK_ROOT": str(task),
                "PYTHONPATH": str(layer),
                **environ,
            },
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield run
    api.close()
    for process in started:
        process.communicate(timeout=PATIENCE)


def finish(process: "subprocess.Popen[str]") -> tuple[int, str]:
    out, _ = process.communicate(timeout=PATIENCE)
    return process.returncode, out


def test_a_function_is_served_from_its_folder(api: RuntimeApiStandIn, start: Start) -> None:
    start("def handler(event, context):\n    return [event, context.function_name]", AWS_LAMBDA_FUNCTION_NAME="ask")
    assert api.invoke("x").wait().response.json == ["x", "ask"]


def test_a_stream_leaves_the_process_while_the_handler_runs(
    api: RuntimeApiStandIn, start: Start, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    start(
        "import pathlib, time\n"
        "def handler(event, context):\n"
        "    yield b'first'\n"
        "    while not pathlib.Path(event).exists():\n"
        "        time.sleep(0.005)\n"
        "    yield b'second'\n"
    )
    invocation = api.invoke(str(gate))
    assert invocation.wait_for_chunks(1) == [b"first"]
    gate.touch()
    assert invocation.wait().response.chunks == [b"first", b"second"]


@pytest.mark.parametrize(
    ("source", "handler", "expected"),
    [
        (None, "app.handler", ("Runtime.ImportModuleError", "No module named 'app'")),
        ("import no_such_module_here", "app.handler", ("Runtime.ImportModuleError", "no_such_module_here")),
        ("def handler(:", "app.handler", ("Runtime.UserCodeSyntaxError", "app")),
        ("x = 1", "app.handler", ("Runtime.HandlerNotFound", "handler")),
        ("handler = 1", "app.handler", ("Runtime.HandlerNotFound", "handler")),
        ("x = 1", "handler", ("Runtime.MalformedHandlerName", "handler")),
        ("x = 1", "sys.exit", ("Runtime.BuiltInModuleConflict", "sys")),
        ("raise ValueError('no table')", "app.handler", ("ValueError", "no table")),
        ("raise SystemExit(0)", "app.handler", ("Runtime.ExitError", "0")),
    ],
)
def test_a_failing_start_is_reported_and_ends_the_process(
    api: RuntimeApiStandIn, start: Start, source: str | None, handler: str, expected: tuple[str, str]
) -> None:
    error_type, in_message = expected
    status, out = finish(start(source, handler=handler))
    assert status != 0
    assert set(api.init_error.json) == {"errorMessage", "errorType", "stackTrace"}
    assert api.init_error.json["errorType"] == error_type
    assert in_message in api.init_error.json["errorMessage"]
    assert api.init_error.headers["lambda-runtime-function-error-type"] == error_type
    assert api.paths == ["POST /init/error"]
    assert json.loads(out)["errorType"] == error_type


def test_the_stack_of_a_failing_start_shows_the_functions_code_alone(api: RuntimeApiStandIn, start: Start) -> None:
    finish(start("def connect():\n    raise ValueError('no table')\nconnect()"))
    frames = api.init_error.json["stackTrace"]
    assert ["app.py" in frame for frame in frames] == [True, True]


def test_a_cause_inside_an_import_shows_its_frames(api: RuntimeApiStandIn, start: Start) -> None:
    finish(start("def connect():\n    import no_such_module_here\nconnect()"))
    assert any("in connect" in frame for frame in api.init_error.json["stackTrace"])


def test_a_failing_start_without_a_host_still_ends_the_process(api: RuntimeApiStandIn, start: Start) -> None:
    api.close()
    status, out = finish(start("raise ValueError('no table')"))
    assert status == 1
    assert json.loads(out)["errorMessage"] == "no table"


@pytest.mark.parametrize("handler", ["package/module.handler", "package.module.handler"])
def test_a_handler_may_lie_in_a_package(api: RuntimeApiStandIn, start: Start, tmp_path: Path, handler: str) -> None:
    package = tmp_path / "task" / "package"
    package.mkdir(parents=True)
    (package / "module.py").write_text("def handler(event, context):\n    return 'packaged'")
    start(None, handler=handler)
    assert api.invoke().wait().response.json == "packaged"


def test_the_functions_own_code_comes_first_on_the_path(api: RuntimeApiStandIn, start: Start, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "shadow.py").write_text("where = 'path'")
    (elsewhere / "only_there.py").write_text("where = 'path'")
    source = "import shadow, only_there, sys\ndef handler(e, c):\n    return [shadow.where, only_there.where, sys.path]"
    (tmp_path / "task").mkdir()
    (tmp_path / "task" / "shadow.py").write_text("where = 'task'")
    start(source, PYTHONPATH=f"{LAYER}:{elsewhere}")
    shadow, only_there, path = api.invoke().wait().response.json
    assert (shadow, only_there) == ("task", "path")
    assert path[0] == str(tmp_path / "task")
    assert path.count(str(tmp_path / "task")) == 1
    assert path.index(str(LAYER)) < path.index(str(elsewhere))


def test_site_packages_of_the_layer_are_found_before_the_layer(
    api: RuntimeApiStandIn, start: Start, tmp_path: Path
) -> None:
    layer = tmp_path / "opt" / "python"
    layer.mkdir(parents=True)
    (layer / "knowhub").symlink_to(LAYER / "knowhub")
    packages = layer / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
    packages.mkdir(parents=True)
    (packages / "packed.py").write_text("where = 'site-packages'")
    (layer / "packed.py").write_text("where = 'layer'")
    start("import packed\ndef handler(e, c):\n    return packed.where", layer=layer)
    assert api.invoke().wait().response.json == "site-packages"


def test_nothing_but_the_runtime_is_imported_before_the_handler(api: RuntimeApiStandIn, start: Start) -> None:
    start("import sys\nseen = sorted(sys.modules)\ndef handler(e, c):\n    return seen")
    seen = api.invoke().wait().response.json
    assert {name for name in seen if name.startswith("knowhub") and ".runtime" not in name} == {"knowhub"}


def test_printed_lines_leave_the_process_at_once(api: RuntimeApiStandIn, start: Start) -> None:
    process = start("def handler(event, context):\n    print('a line for', event)\n    return 1")
    api.invoke("you").wait()
    assert process.stdout.readline() == "a line for you\n"


def test_records_of_other_libraries_are_logged(api: RuntimeApiStandIn, start: Start) -> None:
    process = start("import logging\ndef handler(event, context):\n    logging.getLogger('lib').warning('careful')")
    api.invoke().wait()
    line = process.stdout.readline()
    assert line.startswith("[WARNING]")
    assert "careful" in line


def test_a_handler_that_exits_is_answered_for_and_the_process_ends_with_its_status(
    api: RuntimeApiStandIn, start: Start
) -> None:
    process = start("import sys\ndef handler(event, context):\n    sys.exit(7)")
    assert api.invoke().wait().error.json["errorType"] == "Runtime.ExitError"
    assert finish(process)[0] == 7


def test_an_interrupt_while_idle_ends_the_process_quietly(api: RuntimeApiStandIn, start: Start) -> None:
    process = start("def handler(event, context):\n    return 1")
    api.invoke().wait()
    api.wait_for_requests(3)  # the next event, the answer, the next event again
    process.send_signal(signal.SIGINT)
    assert finish(process) == (130, "")


def test_a_host_that_goes_away_ends_the_process_with_an_error(api: RuntimeApiStandIn, start: Start) -> None:
    process = start("def handler(event, context):\n    return 1")
    api.invoke().wait()
    api.close()
    status, out = finish(process)
    assert status == 1
    assert json.loads(out)["errorType"] == "HostGone"


def test_without_its_variables_it_says_what_it_needs(start: Start) -> None:
    status, out = finish(start("x = 1", AWS_LAMBDA_RUNTIME_API="", handler=""))
    assert status == 2
    assert "AWS_LAMBDA_RUNTIME_API" in out
    assert "_HANDLER" in out


SNAPSHOT_REGISTRY = """
before, after = [], []
def get_before_snapshot(): return before
def get_after_restore(): return after
"""

SNAPSHOT_HANDLER = """
import snapshot_restore_py as hooks
seen = []
hooks.before += [(seen.append, ("before 1",), {}), (seen.append, ("before 2",), {})]
hooks.after += [(seen.append, ("after 1",), {}), (seen.append, ("after 2",), {})]
def handler(event, context):
    return seen
"""


def snapshot(start: Start, tmp_path: Path, source: str) -> "subprocess.Popen[str]":
    (tmp_path / "task").mkdir()
    (tmp_path / "task" / "snapshot_restore_py.py").write_text(SNAPSHOT_REGISTRY)
    return start(source, AWS_LAMBDA_INITIALIZATION_TYPE="snap-start")


def test_snapshot_hooks_run_around_the_restore(api: RuntimeApiStandIn, start: Start, tmp_path: Path) -> None:
    snapshot(start, tmp_path, SNAPSHOT_HANDLER)
    assert api.invoke().wait().response.json == ["before 2", "before 1", "after 1", "after 2"]
    assert api.paths[:2] == ["GET /restore/next", "GET /invocation/next"]


def test_a_snapshot_without_a_hook_registry_is_served(api: RuntimeApiStandIn, start: Start) -> None:
    start("def handler(event, context):\n    return 1", AWS_LAMBDA_INITIALIZATION_TYPE="snap-start")
    assert api.invoke().wait().response.json == 1
    assert api.paths[0] == "GET /restore/next"


def test_a_hook_that_fails_before_the_snapshot_is_a_failed_start(
    api: RuntimeApiStandIn, start: Start, tmp_path: Path
) -> None:
    source = SNAPSHOT_HANDLER + "hooks.before.append((int, ('x',), {}))"
    assert finish(snapshot(start, tmp_path, source))[0] == 64
    assert api.init_error.json["errorType"] == "ValueError"


def test_a_hook_that_fails_after_the_restore_is_reported(api: RuntimeApiStandIn, start: Start, tmp_path: Path) -> None:
    source = SNAPSHOT_HANDLER + "hooks.after.append((int, ('x',), {}))"
    assert finish(snapshot(start, tmp_path, source))[0] == 65
    assert api.restore_error.json["errorType"] == "ValueError"


def test_no_snapshot_means_no_restore(api: RuntimeApiStandIn, start: Start) -> None:
    start("def handler(event, context):\n    return 1", AWS_LAMBDA_INITIALIZATION_TYPE="on-demand")
    api.invoke().wait()
    assert "GET /restore/next" not in api.paths
