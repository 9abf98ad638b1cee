from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from fitness.api import fields
from fitness.api.serializers import StrictSerializer, Values
from training.api.serializers.progression import (
    ProgressionRuleSerializer,
    ProgressionSerializer,
    StepTargetSerializer,
)


class RulesToTry(ProgressionSerializer):
    """The rules of a plan, to store or only to try on the past."""

    dry_run = fields.BooleanField(
        default=False, help_text="Store nothing: answer what the rules would have done with past sessions."
    )
    next_deload = fields.DayField(
        default=None,
        allow_null=True,
        help_text="A day of the week that is to be the next deload; needs deload_every.",
    )

    def validate(self, attrs: Values) -> Values:
        if attrs["next_deload"] and attrs["deload_every"] is None:
            raise ValidationError(
                {"deload_every": ["is needed for next_deload: every how many weeks, 4 to 12."]}
            )
        values: Values = super().validate(attrs)
        return values


class ReportedRuleSerializer(ProgressionRuleSerializer):
    """A rule with what it asks for now, why, and how it goes on."""

    exercise = fields.StringField(help_text="The name of the exercise.")
    target = StepTargetSerializer(help_text="What is asked for now.")
    misses = fields.IntegerField(help_text="Misses in a row.")
    last_session = fields.TimestampField(allow_null=True, help_text="Start of the workout that moved it.")
    reason = fields.StringField(help_text="Why the target is what it is; empty before the first session.")
    forecast = StepTargetSerializer(many=True, help_text="What is asked for next, while all sets are done.")


class TriedRuleSerializer(StrictSerializer):
    """What a rule would have done with the sessions of the last two years."""

    weekday = fields.IntegerField()
    position = fields.IntegerField()
    exercise = fields.StringField()
    sessions = fields.IntegerField(help_text="How many there were.")
    asked_for_more = fields.IntegerField(help_text="In how many it would have asked for more than was done.")
    stepped_down = fields.IntegerField(help_text="After how many it would have asked for less.")
    target = StepTargetSerializer(allow_null=True, help_text="What it would ask for now; null without any.")


class ReportedProgressionSerializer(ProgressionSerializer):
    plan_id = fields.StringField()
    plan_name = fields.StringField()
    next_deload = fields.DayField(allow_null=True, help_text="The Monday of the next deload week.")
    rules = ReportedRuleSerializer(many=True)


class ProgressionResult(ReportedProgressionSerializer):
    tried = TriedRuleSerializer(many=True, help_text="With dry_run alone; nothing was stored then.")
    before = serializers.DictField(help_text="What has changed, as it was.")
