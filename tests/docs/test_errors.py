"""Every error code that can be answered is in docs/errors.md, and no other."""

import ast
import inspect
import re

from knowhub import errors
from knowhub.gateways.http.envelope import STATUS, status_of
from tests.architecture import tree

PAGE = (tree.ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `([A-Z_]+)` \| (\d{3}) \|", re.MULTILINE)
GATEWAY_CODE = re.compile(r'"error":\{"code":"([A-Z_]+)"')


def documented() -> dict[str, int]:
    return {code: int(status) for code, status in ROW.findall(PAGE)}


def codes_of_classes() -> set[str]:
    classes = [found for _, found in inspect.getmembers(errors, inspect.isclass)]
    return {found.code for found in classes if issubclass(found, errors.KnowhubError)}


def codes_in_sources() -> set[str]:
    """Find the codes that are put together where they are raised: `NotFound("THING")` and `error.code = "..."`."""
    found = set()
    for path in tree.modules():
        for node in ast.walk(tree.syntax(path)):
            if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "NotFound":
                things = [argument.value for argument in node.args[:1] if isinstance(argument, ast.Constant)]
                found |= {f"{thing!s}_NOT_FOUND" for thing in things}
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
                names = {ast.unparse(target).rpartition(".")[2] for target in node.targets}
                found |= {str(node.value.value)} if "code" in names else set()
    return found


def codes_of_the_gateways() -> set[str]:
    """Find the codes that our table knows and those that API Gateway answers with by itself."""
    template = tree.ROOT / "template.yaml"
    return {*STATUS} | set(GATEWAY_CODE.findall(template.read_text(encoding="utf-8")))


def test_every_code_is_documented() -> None:
    everything = codes_of_classes() | codes_in_sources() | codes_of_the_gateways()
    assert everything - set(documented()) == set()


def test_every_documented_code_can_be_answered() -> None:
    assert set(documented()) - codes_of_classes() - codes_in_sources() - codes_of_the_gateways() == set()


def test_the_documented_status_is_the_one_that_is_answered() -> None:
    ours = codes_of_classes() | codes_in_sources()
    assert {code: status_of(code) for code in documented() if code in ours} == {
        code: status for code, status in documented().items() if code in ours
    }
