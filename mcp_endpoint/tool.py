"""What a tool is, and what a call of one comes to."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from rest_framework.exceptions import ValidationError

from fitness.api.errors import refusal_of
from fitness.api.exceptions import StorageFull
from fitness.api.pagination import InvalidCursor
from fitness.api.renderers import Fragment, dumps
from fitness.api.serializers import StrictSerializer
from fitness.api.viewsets import settled
from mcp_endpoint.schemas import arguments_schema, result_schema, what_belongs

# In the sentence of a failed call; the envelope has them all, whole.
PROBLEMS_TOLD = 10
MESSAGE_LENGTH = 400


@dataclass(frozen=True)
class Tool:
    """A row of the table.

    `run(account, values)` answers the result as plain values and Fragments. `summary` is a template
    over the result; a page of a list has none. `missing(arguments)` answers (the argument that names
    no record, what to do about it). `if_empty(arguments)` is the summary when nothing was found.
    """

    name: str
    arguments: type[StrictSerializer]
    result: type[StrictSerializer]
    run: Callable
    description: str
    summary: str = ""
    missing: Callable | None = None
    if_empty: Callable[[dict], str] | None = None
    writes: bool = False
    idempotent: bool = False
    destructive: bool = False

    @property
    def definition(self):
        """The tool as tools/list tells it."""
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": self.input_schema,
            "outputSchema": result_schema(self.result()),
            "annotations": self.annotations,
        }

    @property
    def title(self):
        return self.name.replace("_", " ").capitalize()

    @property
    def annotations(self):
        """The hints whose defaults are wrong for the tool; 2025-03-26 knows a title only here."""
        if not self.writes:
            return {"title": self.title, "readOnlyHint": True, "openWorldHint": False}
        return {
            "title": self.title,
            "readOnlyHint": False,
            "destructiveHint": self.destructive,
            "idempotentHint": self.idempotent,
            "openWorldHint": False,
        }

    @cached_property
    def input_schema(self):
        return arguments_schema(self.arguments())

    @cached_property
    def names(self):
        return list(self.input_schema.get("properties", ()))

    @cached_property
    def optional(self):
        return set(self.names) - set(self.input_schema.get("required", ()))

    def call(self, account, arguments):
        """The result of tools/call, whatever happens; a failure never carries structuredContent."""
        try:
            result = settled(account, lambda: self.run(account, self.valid(account, arguments)))
            text = dumps(result)
        except (InvalidCursor, StorageFull) as error:
            (problems,) = error.detail.values()  # of the query or of the body, in REST
            return self.failure(ValidationError({"arguments": problems}), arguments)
        except Exception as error:
            return self.failure(error, arguments)
        return {
            "content": [text_block(self.told(result, arguments)), text_block(text.decode())],
            "structuredContent": Fragment(text),
            "isError": False,
        }

    def valid(self, account, arguments):
        """The values of the arguments; null for an optional one is as good as none.

        Raises ValidationError with paths under `arguments`.
        """
        given = {
            name: value for name, value in arguments.items() if value is not None or name not in self.optional
        }
        try:
            return self.arguments.validated(given, {"account": account, "record": None})
        except ValidationError as error:
            raise ValidationError({"arguments": error.detail}) from None

    def told(self, result, arguments):
        """The result in one line."""
        if self.summary:
            return " ".join(self.summary.format_map(result).split())
        lists = {key: items for key, items in result.items() if isinstance(items, list)}
        if not any(lists.values()):
            return self.if_empty(arguments) if self.if_empty else f"No {' and no '.join(lists)} found."
        shown = ", ".join(f"{key}: {len(items)} shown" for key, items in lists.items())
        return f"{shown}. {self.how_to_get_more(result, lists, arguments)}".strip()

    def how_to_get_more(self, result, lists, arguments):
        narrow = " and ".join(name for name in ("since", "until") if name in self.names)
        or_narrow = f", or narrow {narrow}" if narrow else ""
        if result.get("next_cursor"):
            return f"There are more: call {self.name} again with cursor set to next_cursor{or_narrow}."
        limit = arguments.get("limit") or self.input_schema["properties"]["limit"]["default"]
        if "next_cursor" not in result and any(len(items) == limit for items in lists.values()):
            return f"There may be more: raise limit (at most 100){or_narrow}."
        return "That is all."

    def failure(self, error, arguments):
        """A result of which the text alone tells what was wrong and how to mend the call."""
        refusal = refusal_of(error)
        if refusal.status == 404 and self.missing:
            argument, message = self.missing(arguments)
            path = f"arguments.{argument}" if argument else "arguments"
            refusal = replace(refusal, details=[{"path": path, "message": message}])
            return failed(f"{self.name} failed: {path}: {message}", refusal)
        return failed(f"{self.name} failed: {self.problems(refusal)}", refusal)

    def problems(self, refusal):
        told = [self.explained(**problem) for problem in refusal.details[:PROBLEMS_TOLD]]
        if more := len(refusal.details) - len(told):
            told.append(f"and {more} more problems, listed below.")
        return " | ".join(told) or refusal.message

    def explained(self, path, message):
        """A problem, and what belongs at its place: the call can be mended without a look at the schema."""
        return f"{path}: {message[:MESSAGE_LENGTH]} ({what_belongs(self.input_schema, path)})"


def failed(sentence, refusal):
    """The result of a call that was refused: a sentence to act on, then the envelope of REST."""
    return {
        "content": [text_block(sentence), text_block(dumps(refusal.envelope).decode())],
        "isError": True,
    }


def text_block(text):
    return {"type": "text", "text": text}
