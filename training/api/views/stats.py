from typing import TypedDict

from accounts.api.viewsets import AccountViewSet
from fitness.api.operations import operation
from fitness.api.serializers import PageQuery, RecentWindow
from training import stats
from training.api.serializers.stats import (
    RecordPageSerializer,
    TrainingStatsSerializer,
)
from training.models.workout_exercise import WorkoutExerciseQuerySet


class PersonalRecordPage(TypedDict):
    records: list[stats.PersonalRecord]
    next_cursor: str | None


class TrainingStatsViewSet(AccountViewSet):
    """What is computed from the records: totals, personal records, trends."""

    tag = "Stats"

    @operation("get_training_stats", query=RecentWindow, responses={200: TrainingStatsSerializer})
    def totals(self) -> stats.Totals:
        """Get training totals of a window

        The last 90 days unless `since` or `until` say otherwise; `until` alone means the 90 days
        before it.
        """
        return stats.totals(self.account, self.query["since"], self.query["until"])

    @operation("get_personal_records", query=PageQuery, responses={200: RecordPageSerializer})
    def records(self) -> PersonalRecordPage:
        """List personal records, newest first

        One for each exercise with a completed working set, across all history.
        """
        best = stats.best_sessions(self.account)
        rows, next_cursor = WorkoutExerciseQuerySet.newest_records_first.page(best, self.query, self.account)
        return {"records": [stats.personal_record(row) for row in rows], "next_cursor": next_cursor}
