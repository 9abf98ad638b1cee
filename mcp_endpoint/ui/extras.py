"""What a page needs beyond the data of a result: the unit of the account's screens, a trend, buttons."""

from collections.abc import Callable

from accounts.models import Account
from body.trend import daily_points
from fitness.api.serializers import RecentWindow
from fitness.json import Fragment, JsonObject, dumps, without_fragments
from mcp_endpoint.tool import Arguments, CallResult, Tool
from mcp_endpoint.ui import buttons
from mcp_endpoint.ui.pages import PAGES

KEY = "fitness/page"  # in `_meta` of a result


def call(tool: Tool, account: Account, arguments: Arguments) -> CallResult:
    """The result of tools/call for a host that shows pages; one that succeeds has what its page needs."""
    more = EXTRAS[tool.name](account, arguments) if tool.name in EXTRAS else None
    result = tool.call(account, arguments)
    if result["isError"] or tool.name not in PAGES:
        return result
    page = {"units": account.units, **(more(without_fragments(result["structuredContent"])) if more else {})}
    return {**result, "_meta": {KEY: Fragment(dumps(page))}}


More = Callable[[JsonObject], JsonObject]  # the extras of a result


def workout(account: Account, arguments: Arguments) -> More:
    return lambda saved: {"buttons": buttons.workout_buttons(account, saved)}


def plan(account: Account, arguments: Arguments) -> More:
    followed = account.plans.active().values_list("pk", flat=True).first()
    before = str(followed) if followed else None
    return lambda saved: {"buttons": buttons.plan_buttons(account, saved, before)}


def body_metrics(account: Account, arguments: Arguments) -> More:
    """The trend of the same window; of the last 90 days where none is given."""

    def trend(_: JsonObject) -> JsonObject:
        window = RecentWindow.validated({"since": arguments["since"]} if arguments.get("since") else {})
        logs = account.weight_logs.of_trend(**window).oldest_first()
        rows = logs.values_list("logged_at", "weight_kg", "body_fat_percent", named=True)
        return {"trend": daily_points(list(rows), **window)}

    return trend


EXTRAS: dict[str, Callable[[Account, Arguments], More]] = {
    "log_workout": workout,
    "create_training_plan": plan,
    "get_body_metrics": body_metrics,
}
