"""A tool, and the call of one.

A call, step by step (Tool.call):

1. The arguments are read as models mean them, and validated by the serializers of REST. Example: log_weight
   with `"weight_kg": "80"` -> an error result that names arguments.weight_kg and what belongs there.
2. `before`: notices of what a write replaces or repeats, read while nothing is stored yet.
3. The operation: the handler of the REST view, called as a function.
4. `after`: notices of what the result lacks.
5. The result: one line of text, and the data as text and as structuredContent, with the notices in them.

Whatever raises in 1 to 4 becomes an error result, which a model can read and correct.
"""

import datetime
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NotRequired, TypeAlias, TypedDict

from django.conf import settings
from django.urls import reverse
from rest_framework.exceptions import ValidationError
from rest_framework.permissions import SAFE_METHODS

from accounts.models import Account
from fitness.api.errors import ApiError, api_error
from fitness.api.exceptions import BeingRestored, PreconditionFailed
from fitness.api.operations import Operation
from fitness.api.serializers import PageSerializer, StrictSerializer, Values
from fitness.api.viewsets import ApiViewSet, with_second_try
from fitness.json import Fragment, JsonObject, dumps, without_fragments
from mcp_endpoint import lines
from mcp_endpoint.schemas import (
    JsonSchema,
    arguments_schema,
    as_meant,
    expected_at,
    for_tools,
    in_the_unit_of_the_field,
    tool_result_schema,
)
from mcp_endpoint.serializers import IDS, Detail, of_change, with_detail, with_ids

# In the sentence of an error result; the envelope has the others.
MAX_PROBLEMS = 10
MAX_MESSAGE_LENGTH = 400

BYTES_A_TOKEN = 4  # about
MUCH = 5_000  # tokens of a list, from which on a notice says how many they are

Arguments: TypeAlias = JsonObject  # as the client has sent them, before validation


class CallResult(TypedDict):
    """The result of tools/call; an error has no structuredContent. `_meta` is for pages (mcp_endpoint/ui)."""

    content: list[dict[str, str]]
    isError: bool
    structuredContent: NotRequired[Fragment]
    _meta: NotRequired[JsonObject]


class ChangedSince(PreconditionFailed):
    """The record is not the one that the caller has read; `stored` is the record as it is now."""

    default_detail = (
        "somebody has changed the record since it was read, so nothing was stored. It is below as it is now: "
        "repeat the change on it, with its updated_at as if_updated_at."
    )

    def __init__(self, stored: JsonObject) -> None:
        super().__init__()
        self.stored = stored


@dataclass(frozen=True)
class RestOperation:
    """The REST operation of a tool. `path` names the arguments that REST has in the path, as text."""

    view: type[ApiViewSet]
    action: str
    path: tuple[str, ...]

    def __call__(self, account: Account, values: Values) -> Any:
        """The data of the operation. Parameters that the tool does not have are left out."""
        others = {name: value for name, value in values.items() if name not in self.path}
        unused = dict.fromkeys(self.declared.query.shared().fields)
        return self.view.perform(self.action, account, unused | others, **self.in_path(values))

    def in_path(self, values: Values) -> dict[str, str]:
        return {name: str(values[name]) for name in self.path}

    @property
    def declared(self) -> Operation:
        return self.view.operation_of(self.action)

    @property
    def result(self) -> type[StrictSerializer] | None:
        """What clients of REST read; None where that is nothing."""
        return self.declared.response


def rest(view: type[ApiViewSet], action: str, *path: str) -> RestOperation:
    return RestOperation(view, action, path)


def page_of(view: str) -> Callable[[JsonObject], str]:
    """The path of the page of a record, for `page` of a tool."""
    return lambda record: reverse(view, kwargs={"pk": record["id"]})


def page_of_day(view: str) -> Callable[[JsonObject], str]:
    return lambda record: reverse(view, kwargs={"day": datetime.date.fromisoformat(record["day"])})


@dataclass(frozen=True, kw_only=True)
class Tool:
    """A row of the table of tools.

    `operation` is the REST operation of the tool, and decides which key may call it. The arguments are its
    body or query, the result is its response, unless `arguments` or `result` says otherwise. Those of a PATCH
    may all be left out. Ids of its path are arguments too, and so is `detail` where there is a brief form,
    which `shorten(result)` makes.
    `run(account, values)` is called in the place of the operation where the tool does more than that. The
    result may have `notices`.
    `line(record, account)` is what the text says of the record, or of a page; `done`, what a write has done.
    `before(account, values)` and `after(account, values, result)` make the notices.
    `page(record)` is the path where a person corrects what was saved.
    `missing` says how to correct a call whose record does not exist, where the name of a list does not.
    """

    name: str
    description: str
    operation: RestOperation
    arguments: type[StrictSerializer] | None = None
    result: type[StrictSerializer] | None = None
    line: Callable[[JsonObject, Account], str] = lines.page
    done: str = "Saved"
    run: Callable[[Account, Values], Any] | None = None
    shorten: Callable[[JsonObject], JsonObject] | None = None
    before: Callable[[Account, Values], Sequence[str]] | None = None
    after: Callable[[Account, Values, Any], Sequence[str]] | None = None
    page: Callable[[JsonObject], str] | None = None
    missing: Callable[[Account, Arguments], str] | str = ""
    idempotent: bool = False
    destructive: bool = False

    @cached_property
    def takes(self) -> type[StrictSerializer]:
        declared = self.operation.declared
        own = self.arguments or declared.body or declared.query
        own = with_ids(of_change(own) if declared.method == "PATCH" else own, self.operation.path)
        return with_detail(own) if self.shorten else own

    @cached_property
    def returns(self) -> type[StrictSerializer]:
        found = self.result or self.operation.result
        assert found, self.name
        return found

    @cached_property
    def writes(self) -> bool:
        return self.operation.declared.method not in SAFE_METHODS

    @property
    def definition(self) -> JsonObject:
        """The tool's item in the result of tools/list.

        Its annotations are the hints whose defaults are wrong for it. In 2025-03-26 only they have the title.
        """
        title = self.name.replace("_", " ").capitalize()
        of_writes = {"destructiveHint": self.destructive, "idempotentHint": self.idempotent}
        hints = of_writes if self.writes else {}
        return {
            "name": self.name,
            "title": title,
            "description": self.description,
            "inputSchema": self.input_schema,
            "outputSchema": tool_result_schema(self.returns()),
            "annotations": {"title": title, "readOnlyHint": not self.writes, **hints, "openWorldHint": False},
        }

    @cached_property
    def input_schema(self) -> JsonSchema:
        return arguments_schema(self.takes())

    @cached_property
    def is_page(self) -> bool:
        return issubclass(self.returns, PageSerializer)

    def call(self, account: Account, arguments: Arguments) -> CallResult:
        """The result of tools/call; a call that fails has an error result."""
        try:
            values, result, notices = with_second_try(account, lambda: self.carried_out(account, arguments))
            shorten = self.shorten if values.get("detail") == Detail.BRIEF else None
            data = dumps(shorten(result) if shorten else result)
        except Exception as error:
            return self.failure(error, account, arguments)
        notices = [*notices, *self.of_any_answer(arguments, values, result, data)]
        if notices:  # in front of the other members
            said = dumps([in_one_line(notice) for notice in notices])
            data = b'{"notices":%b,%b' % (said, data[1:])
        return {
            "content": [text_block(self.text(result, account)), text_block(data.decode())],
            "structuredContent": Fragment(data),
            "isError": False,
        }

    def carried_out(self, account: Account, arguments: Arguments) -> tuple[Values, Any, list[str]]:
        """The validated arguments, the result in JSON values and Fragments, and its notices."""
        if self.writes and account.is_being_restored:
            raise BeingRestored()
        given = as_meant(arguments, self.takes.shared())
        try:
            values = self.takes.validated(given, {"account": account, "instance": None})
        except ValidationError as error:
            raise ValidationError({"arguments": error.detail}) from None
        before = self.before(account, values) if self.before else ()
        result = (self.run or self.operation)(account, values)
        own = result.pop("notices", ()) if isinstance(result, dict) else ()
        after = self.after(account, values, result) if self.after else ()
        return values, result, [*before, *own, *after]

    def text(self, result: Any, account: Account) -> str:
        """The one line: what was found, or what a write has done to which record."""
        result = result if self.is_page else without_fragments(result)
        line = self.line(result.get("deleted", result), account)
        if "deleted" in result:
            line = f"Deleted: {line}"
        elif "before" in result:
            line = f"Changed {', '.join(result['before']) or 'nothing'}: {line}"
        elif self.writes and self.done:
            line = f"{self.done}: {line}"
        return in_one_line(f"{line[:1].upper()}{line[1:]}.")

    def of_any_answer(self, arguments: Arguments, values: Values, result: Any, data: bytes) -> Iterator[str]:
        """The notices that do not depend on the tool: how to get more or less, and where to correct."""
        if self.is_page and "next_cursor" not in result:
            narrow = ", or narrow since" if "since" in values else ""
            if any(len(items) == values["limit"] for items in result.values()):
                yield f"There may be more: raise limit (at most 100){narrow}."
        tokens = len(data) // BYTES_A_TOKEN
        if self.is_page and self.shorten and values["detail"] != Detail.BRIEF and tokens >= MUCH:
            yield f"These are about {round(tokens, -3):,} tokens; with detail brief they are fewer."
        if self.page and not self.idempotent and arguments.get("id") not in (None, ""):
            yield "Saved as a new one; id was ignored. Corrections are made in the app or by update tools."
        if self.page and settings.PUBLIC_URL:
            # Without a full stop, which programs would take for a part of the address.
            yield f"Correct it at {settings.PUBLIC_URL}{self.page(without_fragments(result))}"

    def failure(self, exc: Exception, account: Account, arguments: Arguments) -> CallResult:
        """An error result, whose sentence alone is enough to correct the call."""
        if isinstance(exc, ValidationError) and isinstance(exc.detail, dict):
            # The place is `arguments`, or where REST has them: its query or its body.
            (detail,) = exc.detail.values()
            exc = ValidationError({"arguments": detail})
        error = api_error(exc)
        if error.status == 404 and (self.missing or self.operation.path):
            missing = self.missing(account, arguments) if callable(self.missing) else self.missing
            if not missing:
                _, source = IDS[self.operation.path[0]]
                missing = f"names no record of this account; take an id from {source}."
            message = for_tools(missing)
            path = ".".join(["arguments", *self.operation.path[:1]])
            error = replace(error, details=[{"path": path, "message": message}])
            return error_result(f"{self.name} failed: {path}: {message}", error)
        given = as_meant(arguments, self.takes.shared())
        for problem in error.details:  # what is wrong with a field of another unit is said with the sum
            if words := in_the_unit_of_the_field(given, self.input_schema, problem["path"]):
                problem["message"] = f"unknown {self.takes.member}; {words}"
        stored = {"stored": exc.stored} if isinstance(exc, ChangedSince) else {}
        return error_result(f"{self.name} failed: {self.problems(error)}", error, **stored)

    def problems(self, error: ApiError) -> str:
        """What is wrong, and what belongs there, so that the call can be corrected without the schema."""
        explained = []
        for problem in error.details[:MAX_PROBLEMS]:
            message = for_tools(problem["message"])[:MAX_MESSAGE_LENGTH]
            expected = expected_at(self.input_schema, problem["path"])
            explained.append(f"{problem['path']}: {message} ({expected})")
        if more := len(error.details) - len(explained):
            explained.append(f"and {more} more problems, listed below.")
        return " | ".join(explained) or error.message


def error_result(sentence: str, error: ApiError, **more: JsonObject) -> CallResult:
    """The result of a call that failed: a sentence to act on, then the error envelope of REST, and `more`.

    The envelope leaves out what the sentence holds: its message, and those of the first problems.
    """
    error.note()
    in_sentence = [{"path": problem["path"]} for problem in error.details[:MAX_PROBLEMS]]
    others = [
        {"path": problem["path"], "message": for_tools(problem["message"])}
        for problem in error.details[MAX_PROBLEMS:]
    ]
    envelope = {"error": {"code": error.code, "details": in_sentence + others}, **more}
    return {"content": [text_block(sentence), text_block(dumps(envelope).decode())], "isError": True}


def in_one_line(text: str) -> str:
    return " ".join(text.split())


def text_block(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}
