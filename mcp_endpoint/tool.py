"""What a tool is, and what a call of one comes to."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from rest_framework.exceptions import ValidationError
from rest_framework.permissions import SAFE_METHODS

from accounts.models import Account
from fitness.api.errors import ApiError, api_error
from fitness.api.exceptions import StorageFull
from fitness.api.pagination import InvalidCursor
from fitness.api.renderers import Fragment, dumps
from fitness.api.serializers import PageSerializer, StrictSerializer
from fitness.api.viewsets import ApiViewSet, retry_if_deleted
from mcp_endpoint.phrases import for_tools
from mcp_endpoint.schemas import arguments_schema, expected_at, result_schema, without_nulls
from mcp_endpoint.serializers import Detail

# In the sentence of a failed call; the envelope has the others.
MAX_PROBLEMS = 10
MAX_MESSAGE_LENGTH = 400


@dataclass(frozen=True)
class Outcome:
    """What a summary is made of.

    `arguments` are as they were sent and `values` as they were validated; `earlier` is what the tool's
    function of that name found before the call; `result` holds plain values and Fragments.
    """

    arguments: dict
    values: dict[str, Any]
    earlier: Any
    result: Any


@dataclass(frozen=True)
class RestOperation:
    """The REST operation that a tool does.

    `path` names the arguments that REST has in the path, where they are text; `query` holds the parameters
    that the tool's arguments lack.
    """

    view: type[ApiViewSet]
    action: str
    path: tuple[str, ...] = ()
    query: dict[str, Any] = field(default_factory=dict)

    def __call__(self, account: Account, values: dict[str, Any]) -> Any:
        path = {name: str(values[name]) for name in self.path}
        others = {name: value for name, value in values.items() if name not in path}
        return self.view.perform(self.action, account, {**others, **self.query}, **path)

    @property
    def writes(self) -> bool:
        return getattr(self.view, self.action).operation.method not in SAFE_METHODS


def rest(view: type[ApiViewSet], action: str, *path: str, **query: Any) -> RestOperation:
    return RestOperation(view, action, path, query)


@dataclass(frozen=True, kw_only=True)
class Tool:
    """A row of the table.

    `operation` is what the tool does, and decides which key may call it. `run(account, values)` takes its
    place where the tool reads more than the operation; both return plain values and Fragments.
    `shorten(result)` makes the brief form of a list. `earlier(account, values)` finds what a summary needs
    of the time before the call. `summary` puts an Outcome into words; of a page only one that is not empty.
    `missing(arguments)` returns (the argument that names nothing, what to do about it). `if_empty(arguments)`
    is the summary when nothing was found.
    """

    name: str
    description: str
    arguments: type[StrictSerializer]
    result: type[StrictSerializer]
    operation: RestOperation
    summary: Callable[[Outcome], str]
    run: Callable[[Account, dict[str, Any]], Any] | None = None
    shorten: Callable[[dict], dict] | None = None
    earlier: Callable[[Account, dict[str, Any]], Any] | None = None
    missing: Callable | None = None
    if_empty: Callable[[dict], str] | None = None
    idempotent: bool = False
    destructive: bool = False

    @property
    def writes(self) -> bool:
        return self.operation.writes

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

    def call(self, account, arguments):
        """The result of tools/call, whatever happens; a failure never carries structuredContent."""
        try:
            outcome = retry_if_deleted(account, lambda: self.outcome(account, arguments))
            text = dumps(outcome.result)
        except (InvalidCursor, StorageFull) as error:
            (problems,) = error.detail.values()  # of the query or of the body, in REST
            return self.failure(ValidationError({"arguments": problems}), arguments)
        except Exception as error:
            return self.failure(error, arguments)
        return {
            "content": [text_block(self.told(outcome)), text_block(text.decode())],
            "structuredContent": Fragment(text),
            "isError": False,
        }

    def outcome(self, account: Account, arguments: dict) -> Outcome:
        values = self.valid(account, arguments)
        earlier = self.earlier(account, values) if self.earlier else None
        result = (self.run or self.operation)(account, values)
        if self.shorten and values["detail"] == Detail.BRIEF:
            result = self.shorten(result)
        return Outcome(arguments, values, earlier, result)

    def valid(self, account, arguments):
        """The values of the arguments; null for an optional one means that it was left out.

        Raises ValidationError with paths under `arguments`.
        """
        given = without_nulls(arguments, self.input_schema)
        try:
            return self.arguments.validated(given, {"account": account, "instance": None})
        except ValidationError as error:
            raise ValidationError({"arguments": error.detail}) from None

    def told(self, outcome: Outcome) -> str:
        """The result in one line."""
        if not issubclass(self.result, PageSerializer):
            return in_one_line(self.summary(outcome))
        lists = {key: items for key, items in outcome.result.items() if isinstance(items, list)}
        if not any(lists.values()):
            nothing = f"No {' and no '.join(lists)} found."
            return self.if_empty(outcome.arguments) if self.if_empty else nothing
        more = self.how_to_get_more(outcome, lists)
        return in_one_line(f"{self.summary(outcome)} {more}")

    def how_to_get_more(self, outcome: Outcome, lists: dict[str, list]) -> str:
        narrow = " and ".join(name for name in ("since", "until") if name in self.names)
        or_narrow = f", or narrow {narrow}" if narrow else ""
        if outcome.result.get("next_cursor"):
            return f"There are more: call {self.name} again with cursor set to next_cursor{or_narrow}."
        limit = outcome.values["limit"]
        if "next_cursor" not in outcome.result and any(len(items) == limit for items in lists.values()):
            return f"There may be more: raise limit (at most 100){or_narrow}."
        return "That is all."

    def failure(self, error, arguments):
        """A result of which the text alone tells what was wrong and how to mend the call."""
        refusal = api_error(error)
        if refusal.status == 404 and self.missing:
            argument, message = self.missing(arguments)
            message = for_tools(message)
            path = f"arguments.{argument}" if argument else "arguments"
            refusal = replace(refusal, details=[{"path": path, "message": message}])
            return failed(f"{self.name} failed: {path}: {message}", refusal)
        return failed(f"{self.name} failed: {self.problems(refusal)}", refusal)

    def problems(self, refusal):
        told = [self.explained(**problem) for problem in refusal.details[:MAX_PROBLEMS]]
        if more := len(refusal.details) - len(told):
            told.append(f"and {more} more problems, listed below.")
        return " | ".join(told) or refusal.message

    def explained(self, path, message):
        """A problem, and what belongs at its place: the call can be mended without a look at the schema."""
        return f"{path}: {for_tools(message)[:MAX_MESSAGE_LENGTH]} ({expected_at(self.input_schema, path)})"


def failed(sentence: str, refusal: ApiError) -> dict[str, Any]:
    """The result of a call that was refused: a sentence to act on, then the envelope of REST.

    What the sentence says is left out of the envelope: its message, and those of the problems told.
    """
    told = [{"path": problem["path"]} for problem in refusal.details[:MAX_PROBLEMS]]
    others = [
        {**problem, "message": for_tools(problem["message"])} for problem in refusal.details[MAX_PROBLEMS:]
    ]
    envelope = {"error": {"code": refusal.code, "details": told + others}}
    return {"content": [text_block(sentence), text_block(dumps(envelope).decode())], "isError": True}


def in_one_line(text: str) -> str:
    return " ".join(text.split())


def text_block(text):
    return {"type": "text", "text": text}
