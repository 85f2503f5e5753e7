"""From a setting to a generator; nothing is asked, and only what is made is loaded."""

from collections.abc import Callable
from typing import Any

from knowhub.calling.keys import Key
from knowhub.choices import GeneratorChoice
from knowhub.ports.generator import Generator


def generator_of(choice: GeneratorChoice, key: Key | None, client: Callable[[], Any]) -> Generator:
    """Make a generator; `client` gives the client of `bedrock-runtime`."""
    if choice.endpoint is None:
        from knowhub.generators.bedrock import BedrockGenerator  # noqa: PLC0415 - loads botocore

        return BedrockGenerator(client(), choice.model)
    from knowhub.calling.posting import Poster  # noqa: PLC0415 - nothing that Bedrock needs
    from knowhub.generators.openai_compatible import OpenAiCompatibleGenerator  # noqa: PLC0415 - as above

    return OpenAiCompatibleGenerator(Poster(choice.endpoint), choice, key=key)
