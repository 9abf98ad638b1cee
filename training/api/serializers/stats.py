from fitness.api import fields
from fitness.api.serializers import PageSerializer, StrictSerializer
from training.models.exercise import MuscleGroup


class MuscleGroupTotalsSerializer(StrictSerializer):
    muscle_group = fields.ChoiceField(MuscleGroup)
    sessions = fields.IntegerField(help_text="Workouts with at least one completed set of the group.")
    sets = fields.IntegerField(help_text="Completed sets, warm-ups included.")
    volume_kg = fields.NumberField(help_text="Volume of the group in kg, to 2 decimals.")


class TrainingStatsSerializer(StrictSerializer):
    """Totals over the workouts that started in a window."""

    since = fields.TimestampField(help_text="Start of the window (inclusive).")
    until = fields.TimestampField(help_text="End of the window (exclusive).")
    sessions = fields.IntegerField(help_text="Workouts.")
    completed_sets = fields.IntegerField(help_text="Completed sets, warm-ups included.")
    volume_kg = fields.NumberField(
        help_text="Sum of weight_kg × reps over completed sets that are not warm-ups, to 2 decimals."
    )
    total_duration_seconds = fields.IntegerField()
    by_muscle_group = MuscleGroupTotalsSerializer(
        many=True, help_text="Groups with a completed set, largest volume first."
    )
    streak_days = fields.IntegerField(
        help_text="Consecutive UTC days with a workout, ending on the window's last day or the day before; "
        "may reach back before `since`."
    )


class PersonalRecordSerializer(StrictSerializer):
    """The heaviest completed set of 1 rep or more that is no warm-up, of equals the one with most reps, then
    the earliest. The weight of an assisted exercise is help: its record is the set with most help.
    """

    exercise_id = fields.StringField()
    name = fields.StringField(help_text="The exercise's name.")
    weight_kg = fields.NumberField()
    reps = fields.IntegerField()
    estimated_1rm_kg = fields.NumberField(
        help_text="Estimated one-rep maximum, kg: weight_kg × (1 + reps / 30), to one decimal (Epley)."
    )
    workout_id = fields.StringField(help_text="The workout in which it was set.")
    date = fields.TimestampField(help_text="When that workout started.")


class RecordPageSerializer(PageSerializer):
    records = PersonalRecordSerializer(many=True)
