import datetime
from typing import Any

from accounts.api.viewsets import AccountViewSet
from fitness.api.operations import DAY_IN_PATH, operation
from fitness.api.serializers import DayWindowPageQuery
from fitness.api.viewsets import parse_day
from nutrition.api.serializers import NutritionDaySerializer, NutritionPageSerializer
from nutrition.models import NutritionDay, NutritionDayQuerySet


class NutritionViewSet(AccountViewSet):
    """Energy and macronutrients, one record a day."""

    tag = "Nutrition"
    day: datetime.date
    instance: NutritionDay

    def read_path(self) -> None:
        if self.kwargs:
            self.day = parse_day(self.kwargs["day"])
        if self.kwargs and self.action != "update":  # PUT creates the day where there is none
            self.instance = self.account.nutrition_days.get(day=self.day)

    @operation("get_nutrition", query=DayWindowPageQuery, responses={200: NutritionPageSerializer})
    def list(self) -> dict[str, Any]:
        """List nutrition days, newest first"""
        days = self.account.nutrition_days.between(self.query["since"], self.query["until"])
        page, next_cursor = NutritionDayQuerySet.newest_first.page(days, self.query, self.account)
        return {"nutrition": NutritionDaySerializer.rendered_list(page), "next_cursor": next_cursor}

    @operation("get_nutrition_day", path=[DAY_IN_PATH], responses={200: NutritionDaySerializer})
    def retrieve(self) -> dict[str, Any]:
        """Get one nutrition day

        404 for a day that nothing was logged for.
        """
        return NutritionDaySerializer.rendered(self.instance)

    @operation(
        "log_nutrition",
        method="PUT",
        path=[DAY_IN_PATH],
        body=NutritionDaySerializer,
        may_be_missing=False,
        responses={200: NutritionDaySerializer, 201: NutritionDaySerializer},
    )
    def update(self) -> tuple[dict[str, Any], int]:
        """Set the totals of a day

        201 for the first record of the day, 200 for one that takes the place of earlier totals. What was
        logged in the app before stays, as a part of these totals: meals stay ticked. Repeating the request
        changes nothing more.
        """
        nutrition_day, created = NutritionDay.objects.log(self.account, self.day, self.body)
        return NutritionDaySerializer.rendered(nutrition_day), 201 if created else 200

    @operation("delete_nutrition_day", method="DELETE", path=[DAY_IN_PATH], responses={204: None})
    def destroy(self) -> None:
        """Delete a nutrition day

        With what was logged for it in the app.
        """
        self.instance.remove()
