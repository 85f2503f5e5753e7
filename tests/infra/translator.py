"""Translates `template.yaml` as CloudFormation would; run by the sam environment's own interpreter.

Arguments: the template, then a JSON object of parameters for each translation. Prints the JSON list of results.
"""

import json
import sys
from pathlib import Path
from typing import Any

import boto3
from samcli.yamlhelper import yaml_parse
from samtranslator.parser.parser import Parser
from samtranslator.translator.translator import Translator


def translated(text: str, parameters: dict[str, str]) -> dict[str, Any]:
    """Translate one template; code is taken to be in a bucket, where `sam package` would have put it."""
    template = yaml_parse(text)
    for resource in template["Resources"].values():
        for member in ("CodeUri", "ContentUri"):
            if member in resource.get("Properties", {}):
                resource["Properties"][member] = "s3://bucket/key"
    translator = Translator({}, Parser(), boto_session=boto3.Session(region_name="eu-central-1"))
    result: dict[str, Any] = translator.translate(template, parameters)
    return result


if __name__ == "__main__":
    source = Path(sys.argv[1]).read_text(encoding="utf-8")
    json.dump([translated(source, json.loads(argument)) for argument in sys.argv[2:]], sys.stdout)
