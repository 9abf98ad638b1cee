from rest_framework.response import Response

from fitness.api.pagination import Keyset
from fitness.api.serializers import DayWindowPageQuery
from fitness.api.viewsets import DAY_IN_PATH, ApiViewSet, known_day, operation
from nutrition.models import NutritionDay
from nutrition.serializers import NutritionDaySerializer, NutritionPageSerializer


class NutritionViewSet(ApiViewSet):
    """Energy and macronutrients, one record a day."""

    tag = "Nutrition"
    newest = Keyset("nutrition", "day")

    def find(self, day):
        self.day = known_day(day)
        if self.action == "update":
            return None  # PUT makes the record where there is none
        return self.account.nutrition_days.get(day=self.day)

    @operation("get_nutrition", query=DayWindowPageQuery, answers={200: NutritionPageSerializer})
    def list(self, request):
        """List nutrition days, newest first"""
        days = self.account.nutrition_days.between(self.query["since"], self.query["until"])
        page, next_cursor = self.newest.page(days, self.query, self.account)
        return Response(
            {"nutrition": NutritionDaySerializer(page, many=True).data, "next_cursor": next_cursor}
        )

    @operation("get_nutrition_day", path=[DAY_IN_PATH], answers={200: NutritionDaySerializer})
    def retrieve(self, request, day):
        """Get one nutrition day

        404 for a day that nothing was logged for.
        """
        return Response(NutritionDaySerializer(self.record).data)

    @operation(
        "log_nutrition",
        path=[DAY_IN_PATH],
        body=NutritionDaySerializer,
        may_be_missing=False,
        answers={200: NutritionDaySerializer, 201: NutritionDaySerializer},
    )
    def update(self, request, day):
        """Set the totals of a day

        201 for the first record of the day, 200 for one that takes the place of earlier totals. Meals
        ticked in the app stay ticked. Repeating the request changes nothing more.
        """
        record, created = NutritionDay.objects.log(self.account, self.day, self.body)
        return Response(NutritionDaySerializer(record).data, status=201 if created else 200)

    @operation("delete_nutrition_day", path=[DAY_IN_PATH], answers={204: None})
    def destroy(self, request, day):
        """Delete a nutrition day

        With its ticked meals.
        """
        self.record.remove()
        return Response(status=204)
