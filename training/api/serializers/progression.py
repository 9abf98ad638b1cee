"""The rules of a plan or routine: how its targets follow what was lifted."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from django.db.models import TextChoices
from drf_spectacular.utils import OpenApiExample, extend_schema_serializer
from rest_framework.exceptions import ValidationError

from fitness.api import fields
from fitness.api.serializers import REMOVED, PageSerializer, StrictSerializer, Values
from training.api.serializers.plan import WEEKDAYS
from training.api.serializers.references import ExerciseIdField, ReferringSerializer
from training.models import Exercise
from training.models.exercise import TIMED
from training.models.planning import Planning
from training.plans import default_increment_kg, rule_from_json
from training.plans.plan_rules import DELOAD_PERCENT, ROUTINE_DAY, Place
from training.plans.rules import ALL_PARAMETERS, PARAMETERS

MAX_RULES = 100  # of a plan; with the sets that each judges, they bound what a workout costs
MAX_RULES_OF_ROUTINE = 30


class RuleKind(TextChoices):
    LINEAR = "linear"
    DOUBLE = "double"
    EFFORT = "effort"
    STAGES = "stages"
    WAVE = "wave"


def percent_field(most: float, help_text: str, **options: Any) -> fields.NumberField:
    return fields.NumberField(min_value=30, max_value=most, help_text=help_text, **options)


def optional(least: int, most: int, help_text: str, field: type[Any] = fields.NumberField) -> Any:
    """A field that some kinds have; null, or left out, takes the kind's default."""
    return field(allow_null=True, default=None, min_value=least, max_value=most, help_text=help_text)


class RuleStageSerializer(StrictSerializer):
    """A stage of a rule of the kind `stages`."""

    sets = fields.IntegerField(min_value=1, max_value=100, help_text="How many sets to do, 1 to 100.")
    reps = fields.IntegerField(min_value=1, max_value=10_000, help_text="Repetitions in each set.")


class RuleWeekSerializer(StrictSerializer):
    """What an entry asks in a week of a rule of the kind `wave`."""

    sets = fields.IntegerField(min_value=1, max_value=100, help_text="How many sets to do, 1 to 100.")
    reps = fields.IntegerField(min_value=1, max_value=10_000, help_text="Repetitions in each set.")
    percent = percent_field(120, "Percentage of the training max, 30 to 120.")
    open = fields.BooleanField(
        default=False,
        help_text="Whether the last set is done for as many repetitions as possible. Waves are judged by it.",
    )


class ProgressionRuleSerializer(StrictSerializer):
    """How the target of one entry of a plan follows what was lifted."""

    weekday = fields.IntegerField(
        min_value=1, max_value=7, help_text="The plan's day that has the entry; 1 is Monday, 7 is Sunday."
    )
    position = fields.IntegerField(
        min_value=0, max_value=99, help_text="The index of the entry in the day's exercises, from 0."
    )
    exercise_id = ExerciseIdField(help_text="The exercise of that entry.")
    kind = fields.ChoiceField(
        RuleKind,
        help_text="`linear`: done, the increment more; missed as often as `misses` in a row, less. `double`: "
        "repetitions from `reps_from` to `reps_to`, then the increment more. `effort`: up and down by the "
        "RPE of the last set. `stages`: the next stage after a miss, after the last one a reset (GZCLP). "
        "`wave`: weeks of percentages of a training max (5/3/1).",
    )
    increment_kg = optional(
        0,
        2000,
        "What is added at once in kg, of all kinds; 0 adds repetitions instead. Left out, it is "
        "what is usual for the exercise's equipment, such as 2.5 kg for a barbell.",
    )
    misses = optional(
        1,
        10,
        "`linear`, `double`: misses in a row before a deload, 1 to 10; 3 where left out.",
        fields.IntegerField,
    )
    deload_percent = optional(
        30, 100, "`linear`, `double`: what a deload leaves of the weight, in percent; 90 where left out."
    )
    reps_from = optional(
        1, 10_000, "`double`, required: the fewest repetitions of a set.", fields.IntegerField
    )
    reps_to = optional(
        1,
        10_000,
        "`double`, required: the most repetitions of a set, `reps_from` or more.",
        fields.IntegerField,
    )
    rpe_up = optional(0, 10, "`effort`: up to this RPE of the last set the weight goes up; 8 where left out.")
    rpe_down = optional(
        0, 10, "`effort`: above this RPE of the last set the weight goes down; 9.5 where left out."
    )
    stages = RuleStageSerializer(
        many=True, default=list, max_length=10, help_text="`stages`, required: 1 to 10, in their order."
    )
    reset_percent = optional(
        30,
        100,
        "`stages`: what a miss in the last stage leaves of the weight, in percent; 85 where left out.",
    )
    weeks = RuleWeekSerializer(
        many=True,
        default=list,
        max_length=6,
        help_text="`wave`, required: 1 to 6 weeks. Entries of an exercise in one day share a training max.",
    )
    training_max_kg = optional(
        0,
        2000,
        "`wave`, required: the training max to begin with in kg; 0 takes it from the first "
        "session. Another value begins anew.",
    )
    current_training_max_kg = fields.NumberField(
        read_only=True, allow_null=True, help_text="`wave`: the training max of today in kg."
    )
    sentence = fields.StringField(read_only=True, help_text="The rule in a few words for people.")

    def validate(self, attrs: Any) -> Any:
        parameters = PARAMETERS[attrs["kind"]]
        errors = {}
        for name in ALL_PARAMETERS:
            is_given = attrs[name] not in (None, [])
            if is_given and name not in parameters:
                known = ", ".join(["increment_kg", *parameters])
                errors[name] = [f"is not a field of the kind {attrs['kind']}, which has: {known}."]
            elif not is_given and name in parameters and parameters[name] is None:
                errors[name] = [f"is required for the kind {attrs['kind']}."]
        if errors:
            raise ValidationError(errors)
        values = {name: parameters[name] if attrs[name] is None else attrs[name] for name in parameters}
        for low, high in (("reps_from", "reps_to"), ("rpe_up", "rpe_down")):
            if low in values and values[low] > values[high]:
                raise ValidationError({low: [f"must not be above {high}."]})
        exercise = attrs["exercise_id"]
        increment_kg = attrs["increment_kg"]
        if increment_kg is None:
            increment_kg = default_increment_kg(exercise.equipment, self.context["account"].units)
        rule = rule_from_json({"kind": attrs["kind"], **values, "increment_kg": increment_kg})
        place = Place(attrs.get("weekday", ROUTINE_DAY), attrs["position"])
        return {"place": place, "exercise": exercise, "rule": rule}


class RoutineRuleSerializer(ProgressionRuleSerializer):
    """How the target of one entry of a routine follows what was lifted."""

    weekday = REMOVED
    position = fields.IntegerField(
        min_value=0, max_value=99, help_text="The index of the entry in the routine's exercises, from 0."
    )


EXAMPLE = {
    "deload_every": 6,
    "deload_percent": 85,
    "rules": [
        {
            "weekday": 1,
            "position": 0,
            "exercise_id": "barbell-back-squat",
            "kind": "linear",
            "increment_kg": 2.5,
            "misses": 3,
            "deload_percent": 90,
        },
        {
            "weekday": 1,
            "position": 1,
            "exercise_id": "barbell-bench-press",
            "kind": "double",
            "increment_kg": 2.5,
            "reps_from": 6,
            "reps_to": 8,
        },
        {
            "weekday": 5,
            "position": 0,
            "exercise_id": "barbell-overhead-press",
            "kind": "wave",
            "increment_kg": 2.5,
            "training_max_kg": 60,
            "weeks": [
                {"sets": 5, "reps": 5, "percent": 75},
                {"sets": 5, "reps": 3, "percent": 85},
                {"sets": 5, "reps": 1, "percent": 95, "open": True},
            ],
        },
    ],
}


@extend_schema_serializer(examples=[OpenApiExample("Three rules", value=EXAMPLE, request_only=True)])
class ProgressionSerializer(ReferringSerializer):
    """How the targets of a plan follow what was lifted."""

    deload_every = fields.IntegerField(
        default=None,
        allow_null=True,
        min_value=4,
        max_value=12,
        help_text="Every how many weeks, 4 to 12, one is a deload, whose workouts move no target; null for "
        "none. Weeks begin on Monday, and count from the one in which this was set or the plan was last "
        "activated.",
    )
    deload_percent = percent_field(
        100, "What a deload week leaves of each weight, in percent, 30 to 100.", default=DELOAD_PERCENT
    )
    rules = ProgressionRuleSerializer(
        many=True,
        max_length=MAX_RULES,
        help_text="One for each entry whose target is to move, at most 100; all others stay as they are. A "
        "rule that is sent as it was goes on where it is; a new or changed one begins with the entry's "
        "target. Entries of an exercise on several days share a target where rule and target are the same. "
        "An empty list removes all rules and their steps.",
    )

    def validate(self, attrs: Any) -> Any:
        attrs = super().validate(attrs)
        found: Counter[Place] = Counter(rule["place"] for rule in attrs["rules"])
        errors: dict[str, Any] = {"rules": dict(self.misplaced(self.planning(attrs), attrs["rules"], found))}
        if errors["rules"]:
            raise ValidationError(errors)
        rules = {rule["place"]: (rule["exercise"].id, rule["rule"]) for rule in attrs["rules"]}
        return {**attrs, "rules": rules}

    def planning(self, attrs: Values) -> Planning:
        """The plan or routine that the rules are for."""
        planning: Planning = self.context["instance"]
        return planning

    def misplaced(
        self, planning: Planning, rules: list[Values], found: Counter[Place]
    ) -> Iterator[tuple[int, dict[str, list[str]]]]:
        """Yields (index, errors) of each rule that its entry cannot have."""
        noun, entries = planning.noun, dict(planning.week.entries())
        ids = [rule["exercise"].id for rule in rules]
        seen = Exercise.objects.seen_by(self.context["account"])
        timed = set(seen.filter(TIMED, pk__in=ids).values_list("pk", flat=True)) if ids else ()
        for index, rule in enumerate(rules):
            place, exercise = rule["place"], rule["exercise"]
            day = WEEKDAYS.get(place.weekday, "")
            if place not in entries:
                count = sum(other.weekday == place.weekday for other in entries)
                last = f"; its last position is {count - 1}" if count else ""
                yield index, {"position": [f"{day or 'the routine'} has no exercise there{last}."]}
            elif entries[place]["exercise_id"] != exercise.id:
                planned = entries[place]["exercise_id"] + (f" on {day}" if day else "")
                yield index, {"exercise_id": [f"the {noun} has {planned} at this position."]}
            elif found[place] > 1:
                yield index, {"position": ["occurs more than once; an entry has one rule."]}
            elif exercise.is_assisted:
                message = "is an assisted exercise, whose weight is help; targets of these do not move."
                yield index, {"exercise_id": [message]}
            elif exercise.id in timed:
                message = "is measured by time or distance; targets of these do not move."
                yield index, {"exercise_id": [message]}


ROUTINE_EXAMPLE = {
    "rules": [
        {
            "position": 0,
            "exercise_id": "barbell-bench-press",
            "kind": "linear",
            "increment_kg": 2.5,
            "misses": 3,
            "deload_percent": 90,
        },
        {
            "position": 1,
            "exercise_id": "bent-over-barbell-row",
            "kind": "double",
            "increment_kg": 2.5,
            "reps_from": 8,
            "reps_to": 10,
        },
    ],
}


@extend_schema_serializer(examples=[OpenApiExample("Two rules", value=ROUTINE_EXAMPLE, request_only=True)])
class RoutineProgressionSerializer(ProgressionSerializer):
    """How the targets of a routine follow what was lifted."""

    deload_every = deload_percent = REMOVED
    rules = RoutineRuleSerializer(
        many=True,
        max_length=MAX_RULES_OF_ROUTINE,
        help_text="One for each entry whose target is to move, at most 30; all others stay as they are. A "
        "rule that is sent as it was goes on where it is; a new or changed one begins with the entry's "
        "target. An empty list removes all rules and their steps.",
    )

    def validate(self, attrs: Any) -> Any:
        return {**super().validate(attrs), "deload_every": None, "deload_percent": DELOAD_PERCENT}


class StepKind(TextChoices):
    PROGRESSED = "progressed"
    HELD = "held"
    MOVED = "moved"
    NEXT_STAGE = "next_stage"
    NEXT_WEEK = "next_week"
    DELOADED = "deloaded"
    HELD_BY_YOU = "held_by_you"


class StepTargetSerializer(StrictSerializer):
    """What is asked of an exercise; of a wave, the sets by which the week is judged."""

    sets = fields.IntegerField(help_text="How many sets to do.")
    reps = fields.IntegerField(help_text="Repetitions in each set.")
    weight_kg = fields.NumberField(help_text="Load in kg; 0 for body weight alone.")
    open = fields.BooleanField(help_text="Whether the last set is for as many repetitions as possible.")
    training_max_kg = fields.NumberField(allow_null=True, help_text="The training max of a wave in kg.")


class ProgressionStepSerializer(StrictSerializer):
    """What one workout did to the target of an exercise."""

    id = fields.StringField()
    at = fields.TimestampField(help_text="When the workout started.")
    workout_id = fields.StringField()
    weekday = fields.IntegerField(help_text="The day of the plan that the workout counts for.")
    exercise_id = fields.StringField(help_text="The catalogue's exercise.")
    kind = fields.ChoiceField(
        StepKind,
        help_text="`progressed`: more. `held`: the same again. `moved`: to what was lifted, which was more "
        "than asked. `next_stage`, `next_week`: of a rule that has them. `deloaded`: less. `held_by_you`: "
        "it would have changed, and the person has switched that off.",
    )
    reason = fields.StringField(
        help_text="Why, in words, with weights in the account's unit and days in its time zone."
    )
    before = StepTargetSerializer()
    after = StepTargetSerializer()


class ProgressionStepPageSerializer(PageSerializer):
    steps = ProgressionStepSerializer(many=True)


class RoutineStepSerializer(ProgressionStepSerializer):
    """What one workout did to the target of an exercise of a routine."""

    weekday = REMOVED


class RoutineStepPageSerializer(PageSerializer):
    steps = RoutineStepSerializer(many=True)
