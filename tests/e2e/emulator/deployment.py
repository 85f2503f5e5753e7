"""Builds the application for this machine and deploys it to the emulator with sam, as to AWS but for what it lacks."""

import platform
import re
import uuid
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.emulator.ministack import ACCOUNT_KEY, Emulator
from tests.infra import sam
from tests.infra.sam import REGION
from tests.opensearch.running import opensearch_url

STACK = "knowhub"

PREFIX = f"emulated-{uuid.uuid4().hex[:12]}"
"""Of the indexes: the engine may be one that stays."""

_BUCKET = "deployment"


@dataclass(frozen=True)
class Deployment:
    """A deployed stack; `outputs` are the template's."""

    emulator: Emulator
    outputs: dict[str, str]


def deploy(emulator: Emulator, folder: Path) -> Deployment:
    """Build into the folder, deploy, and give the stack's outputs."""
    built = folder / "built"
    wheels = {
        "KNOWHUB_PYTHON_VERSION": emulator.python,
        "KNOWHUB_PYTHON_PLATFORM": _platform(),
    }
    sam.run("sam", "build", "--build-dir", str(built), extra=wheels)
    template = built / "template.yaml"
    template.write_text(_without_gaps(template.read_text(encoding="utf-8")), encoding="utf-8")
    s3 = emulator.client("s3")
    s3.create_bucket(Bucket=_BUCKET, CreateBucketConfiguration={"LocationConstraint": REGION})
    s3.close()
    sam.run(
        *("sam", "deploy", "--template-file", str(template), "--stack-name", STACK, "--s3-bucket", _BUCKET),
        *("--no-resolve-s3", "--no-confirm-changeset", "--no-progressbar"),
        *("--capabilities", "CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND", "--parameter-overrides"),
        *(f"{name}={value}" for name, value in _parameters(emulator).items()),
        extra={
            "AWS_ENDPOINT_URL": emulator.url,
            "AWS_CA_BUNDLE": str(emulator.certificate),
            "AWS_ACCESS_KEY_ID": ACCOUNT_KEY,
            "AWS_SECRET_ACCESS_KEY": ACCOUNT_KEY,
        },
    )
    cloudformation = emulator.client("cloudformation")
    (stack,) = cloudformation.describe_stacks(StackName=STACK)["Stacks"]
    cloudformation.close()
    return Deployment(emulator, {output["OutputKey"]: output["OutputValue"] for output in stack["Outputs"]})


def _parameters(emulator: Emulator) -> dict[str, str]:
    return {
        "PyRuntime": f"python{emulator.python}",
        "Architecture": "arm64" if platform.machine() in {"arm64", "aarch64"} else "x86_64",
        # The emulator starts functions in a way of its own, without exec wrappers.
        "AskStreaming": "false",
        "PublicUrl": "https://hub.example.org",
        # The emulator has no engine of its own; this one takes unsigned requests.
        "OpenSearchEndpoint": f"opensearch:{opensearch_url()}",
        "OpenSearchPrefix": PREFIX,
        "OpenSearchDomainArn": f"arn:aws:es:{REGION}:000000000000:domain/chunks",
    }


def _platform() -> str:
    machine = "aarch64" if platform.machine() in {"arm64", "aarch64"} else "x86_64"
    return f"{machine}-apple-darwin" if platform.system() == "Darwin" else f"{machine}-manylinux_2_28"


def _without_gaps(template: str) -> str:
    """Take out what the emulator stumbles over, and add what it asks for beyond AWS.

    It hands on a Number parameter as text, which its queue poller compares with a number. It checks sending a batch of
    messages as an action of its own, where AWS checks SendMessage. It cuts no parameter in a condition: the whole of it
    is compared instead, which comes to the same where nothing was chosen. What it gives for a secret's reference is no
    ARN, so its functions go without the secret of the first administrator.
    """
    cut = r"Fn::Select:\n +- 0\n +- Fn::Split:\n +- ':'\n +- (Ref: \w+)\n"
    template = re.sub(cut, r"\1\n", template)
    template = re.sub(r"(KNOWHUB_BOOTSTRAP_SECRET:)\n +Fn::Sub: [^\n]+\n", r"\1 ''\n", template)
    template = re.sub(r"(MaximumConcurrency:)\n +Ref: \w+\n", r"\1 2\n", template)
    return re.sub(
        r"^( +- )sqs:SendMessage\n", r"\1sqs:SendMessage\n\1sqs:SendMessageBatch\n", template, flags=re.MULTILINE
    )
