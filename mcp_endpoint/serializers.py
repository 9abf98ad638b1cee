"""Arguments and results of tools where they differ from the queries, bodies and answers of REST."""

from body.serializers import MeasurementSerializer, WeightLogSerializer
from fitness.api import fields
from fitness.api.serializers import PageSerializer, QuerySerializer, WindowPageQuery
from nutrition.serializers import NutritionDaySerializer
from supplements.serializers import SupplementLogSerializer
from training.serializers.exercise import ExerciseQuery, HistoryQuery
from training.serializers.stats import RecordPageSerializer, RecordsQuery


class NoArguments(QuerySerializer):
    pass


class WorkoutArguments(QuerySerializer):
    workout_id = fields.StringField(help_text="Id of a workout, from list_workouts.")


class HistoryArguments(HistoryQuery):
    exercise_id = fields.StringField(help_text="Id of a catalogue entry, from search_exercises.")
    until = None


class SearchArguments(ExerciseQuery):
    query = fields.StringField(
        source="q",
        default="",
        allow_blank=True,
        max_length=200,
        help_text="Name, or words of it in any order, such as `incline db press`, `RDL`, `skull crushers`.",
    )
    q = None


class PlanArguments(QuerySerializer):
    plan_id = fields.StringField(help_text="Id of a training plan, from list_training_plans.")


class BodyMetricsArguments(WindowPageQuery):
    until = None
    cursor = None


class RecordsArguments(RecordsQuery):
    cursor = None


class NutritionArguments(NutritionDaySerializer):
    day = fields.DayField(help_text="The day whose totals these are, YYYY-MM-DD.")


class SupplementArguments(SupplementLogSerializer):
    supplement_id = fields.StringField(help_text="Id of a supplement, from list_supplements.")


class BodyMetricsSerializer(PageSerializer):
    weight = WeightLogSerializer(many=True)
    measurements = MeasurementSerializer(many=True)
    next_cursor = None


class RecordsSerializer(RecordPageSerializer):
    next_cursor = None
