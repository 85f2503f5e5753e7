"""Write the OpenAPI document to standard output, in a stable form."""

import json
import sys

from knowhub.gateways.http.application import application
from knowhub.gateways.http.openapi import document

if __name__ == "__main__":
    json.dump(document(application()), sys.stdout, indent=2, ensure_ascii=False, sort_keys=True)
    sys.stdout.write("\n")
