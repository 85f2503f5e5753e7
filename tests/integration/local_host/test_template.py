"""Reading templates: intrinsic functions, what is hosted, and errors that name the place."""

from pathlib import Path
from typing import Any

import pytest

from knowhub_cli.local.blueprint import QueueSource, QueueSpec, Route, Template, Tick, UploadNotice
from knowhub_cli.local.failures import TemplateError
from knowhub_cli.local.places import Places
from knowhub_cli.local.routes import RouteTable
from knowhub_cli.local.template import read_template
from tests.integration.local_host.hosting import PROJECT

REPOSITORY = Path(__file__).parents[3]
PLACES = Places(Path("/state"))


def read(root: Path = PROJECT, **parameters: str) -> Template:
    overridden = frozenset({"OVERRIDDEN", "KNOWHUB_CHUNK_INDEX"})
    return read_template(root / "template.yaml", PLACES, parameters=parameters, overridden=overridden)


def test_the_small_template_reads_as_it_is_meant() -> None:
    template = read()
    assert set(template.functions) == {"WebFunction", "JobsFunction"}
    web = template.functions["WebFunction"]
    assert (web.handler, web.timeout, web.memory) == ("app.handler", 20, 256)
    assert web.code == PROJECT / "functions" / "web"
    assert web.environment == {
        "GREETING": "hello",
        "KNOWHUB_TABLE": "sqlite:/state/catalog.sqlite3",
        "JOBS": "sqlite:/state/queues.sqlite3#Jobs",
        "LIST": "a-b",
    }
    assert template.functions["JobsFunction"].environment["BUCKET"] == "folder:/state/blobs"
    assert Route("WebFunction", "POST", "/api/stream/{what}", stream=True, seconds=15.0) in template.routes
    assert Route("WebFunction", "ANY", "/api/{proxy+}", stream=False, seconds=29.0) in template.routes
    assert template.sources[0] == QueueSource("JobsFunction", "Jobs", batch_size=5, partial=True, concurrency=None)
    assert template.ticks == (Tick("JobsFunction", "Tick", 60.0, None),)
    assert template.queues["Jobs"] == QueueSpec("Jobs", False, 600, 2, "JobsDead")
    assert template.queues["Ordered"].fifo
    assert template.notices == (UploadNotice("Files", "uploads/", "Jobs"),)
    assert template.binary_types == {"multipart/form-data", "image/*", "application/pdf"}


def test_parameters_and_conditions_decide() -> None:
    assert read(Loud="true", Greeting="hey").functions["WebFunction"].environment["GREETING"] == "hey!"


def test_an_unknown_parameter_is_refused() -> None:
    with pytest.raises(TemplateError, match="no parameter Volume"):
        read(Volume="11")


def test_the_applications_own_template_can_be_served() -> None:
    overridden = frozenset({"KNOWHUB_CHUNK_INDEX", "PUBLIC_URL", "KNOWHUB_OPEN_DOCS"})
    template = read_template(REPOSITORY / "template.yaml", PLACES, parameters={}, overridden=overridden)
    assert set(template.functions) == {"HttpFunction", "McpFunction", "A2aFunction", "SyncFunction", "ReaderFunction"}
    routes = RouteTable(template.routes)
    expected = {
        ("POST", "/api/v1/ask"): ("HttpFunction", True),
        ("POST", "/api/v1/kb/7/ask"): ("HttpFunction", True),
        ("GET", "/api/v1/kb/7"): ("HttpFunction", False),
        ("GET", "/api/v1/ask"): (None, False),
        ("POST", "/dify/retrieval"): ("HttpFunction", False),
        ("POST", "/mcp"): ("McpFunction", False),
        ("POST", "/mcp/"): ("McpFunction", False),
        ("GET", "/.well-known/oauth-protected-resource/mcp"): ("McpFunction", False),
        ("POST", "/a2a/v1"): ("A2aFunction", False),
        ("GET", "/.well-known/agent-card.json"): ("A2aFunction", False),
    }
    found = {request: routes.find(*request) for request in expected}
    assert {
        request: (match.route.function, match.route.stream) if match else (None, False)
        for request, match in found.items()
    } == expected
    assert {(source.function, source.queue) for source in template.sources} == {
        ("SyncFunction", "SyncQueue"),
        ("ReaderFunction", "DocumentQueue"),
    }
    assert template.queues["SyncQueue"].fifo
    assert template.queues["DocumentQueue"].dead_letters == "DocumentDeadLetters"
    assert [tick.seconds for tick in template.ticks] == [60.0]
    assert [(notice.prefix, notice.queue) for notice in template.notices] == [("uploads/", "DocumentQueue")]
    assert "multipart/form-data" in template.binary_types


FUNCTION = """
Conditions: { Circular: !Condition Circular }
Parameters: { Bare: { Type: String } }
Resources:
  F:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: code
      Handler: app.handler
"""


def write(folder: Path, more: str) -> Path:
    (folder / "template.yaml").write_text(FUNCTION + more, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("!Cidr [a, b, c]", "does not know Fn::Cidr"),
        ("!ImportValue other", "does not know Fn::ImportValue"),
        ("!Ref Nothing", "Nothing is neither a parameter nor a resource"),
        ("!Ref Bare", "parameter Bare has neither a value nor a default"),
        ("!GetAtt Nothing.Arn", "there is no resource Nothing"),
        ("!Sub 'a ${Nothing} b'", "Nothing is neither"),
        ("!If [Missing, a, b]", "there is no condition Missing"),
        ("!If [Circular, a, b]", "condition Circular depends on itself"),
        ("!Select [5, [a]]", "Fn::Select is not written"),
        ("!FindInMap [A, b, c]", "Fn::FindInMap is not written"),
        ("[a, b]", "has to be one value"),
    ],
)
def test_what_can_not_be_resolved_is_named_with_its_place(tmp_path: Path, value: str, words: str) -> None:
    root = write(tmp_path, f"      Environment: {{ Variables: {{ X: {value} }} }}\n")
    with pytest.raises(TemplateError, match=words) as refused:
        read(root)
    assert str(refused.value).startswith(("Resources.F.Environment.Variables.X", "Conditions.Circular"))


@pytest.mark.parametrize(
    ("value", "resolved"),
    [
        ("!Sub '${AWS::Region}/${!Kept}/${V}'", "local/${Kept}/"),
        ("!Sub ['${V}-${F}', { V: !Join [',', [a, b]] }]", "a,b-F"),
        ("!GetAtt F.Arn", "arn:aws:serverless:local:000000000000:F"),
        ("!If [IsBare, one, two]", "one"),
        ("!If [Either, one, two]", "one"),
        ("!Select [1, !Split ['|', 'a|b']]", "b"),
        ("true", "true"),
        ("7", "7"),
        ("{ 'Fn::Sub': 'long ${AWS::StackName}' }", "long knowhub"),
    ],
)
def test_values_resolve_as_cloudformation_has_them(tmp_path: Path, value: str, resolved: str) -> None:
    text = f"""
Parameters: {{ V: {{ Type: String, Default: '' }} }}
Conditions:
  IsBare: !Equals [!Ref V, '']
  Either: !Or [!Not [!Condition IsBare], !Condition IsBare]
Resources:
  F:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: code
      Handler: app.handler
      Environment: {{ Variables: {{ X: {value} }} }}
"""
    (tmp_path / "template.yaml").write_text(text, encoding="utf-8")
    assert read(tmp_path).functions["F"].environment == {"X": resolved}


@pytest.mark.parametrize(
    ("event", "words"),
    [
        ("{ Type: SNS, Properties: {} }", "can't serve events of type SNS"),
        ("{ Type: Api, Properties: { Path: / } }", "needs Path and Method"),
        ("{ Type: SQS, Properties: {} }", "needs Queue"),
        ("{ Type: Schedule, Properties: { Schedule: 'cron(0 12 * * ? *)' } }", "rate"),
        ("{ Type: Schedule, Properties: { Schedule: rate(0 minutes) } }", "rate"),
    ],
)
def test_an_event_that_can_not_be_served_is_named_with_its_place(tmp_path: Path, event: str, words: str) -> None:
    with pytest.raises(TemplateError, match=words) as refused:
        read(write(tmp_path, f"      Events: {{ E: {event} }}\n"))
    assert str(refused.value).startswith("Resources.F.Events.E")


@pytest.mark.parametrize(
    ("schedule", "seconds"),
    [
        ("{ Type: Schedule, Properties: { Schedule: rate(1 hour) } }", [3600.0]),
        ("{ Type: ScheduleV2, Properties: { ScheduleExpression: rate(5 minutes), Input: '{}' } }", [300.0]),
        ("{ Type: ScheduleV2, Properties: { ScheduleExpression: rate(2 days), State: DISABLED } }", []),
        ("{ Type: Schedule, Properties: { Schedule: rate(1 day), Enabled: false } }", []),
    ],
)
def test_schedules_are_read(tmp_path: Path, schedule: str, seconds: list[float]) -> None:
    ticks = read(write(tmp_path, f"      Events: {{ E: {schedule} }}\n")).ticks
    assert [tick.seconds for tick in ticks] == seconds


@pytest.mark.parametrize("text", ["a: [", "- a", "", "a: !!python/object:os.system x"])
def test_what_is_no_template_is_said_in_one_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "template.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(TemplateError) as refused:
        read(tmp_path)
    assert "\n" not in str(refused.value)


def routes(*paths: str, **more: Any) -> RouteTable:
    return RouteTable(Route(path, more.get("method", "ANY"), path, stream=False, seconds=1) for path in paths)


@pytest.mark.parametrize(
    ("path", "resource", "parameters"),
    [
        ("/a/b", "/a/b", {}),
        ("/a/x", "/a/{one}", {"one": "x"}),
        ("/a/x/y", "/a/{rest+}", {"rest": "x/y"}),
        ("/a/x/y/", "/a/{rest+}", {"rest": "x/y/"}),
        ("/a/b/", "/a/b", {}),
        ("/b", "/{any+}", {"any": "b"}),
        ("/a", "/{any+}", {"any": "a"}),
        ("/a/", "/{any+}", {"any": "a/"}),
        ("/", None, {}),
        ("", None, {}),
    ],
)
def test_the_most_specific_resource_wins(path: str, resource: str | None, parameters: dict[str, str]) -> None:
    match = routes("/{any+}", "/a/{rest+}", "/a/{one}", "/a/b").find("GET", path)
    assert (match.route.path if match else None) == resource
    assert (match.parameters if match else {}) == parameters


def test_a_named_method_wins_over_any_and_the_resource_decides_before_the_method() -> None:
    table = RouteTable(
        [
            Route("any", "ANY", "/a/{rest+}", stream=False, seconds=1),
            Route("get", "GET", "/a/{rest+}", stream=False, seconds=1),
            Route("post", "POST", "/a/b", stream=False, seconds=1),
        ]
    )
    found = [table.find(*request) for request in (("GET", "/a/x"), ("PUT", "/a/x"), ("POST", "/a/b"), ("GET", "/a/b"))]
    assert [match.route.function if match else None for match in found] == ["get", "any", "post", None]
