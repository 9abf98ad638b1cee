"""Parts of a request that have separate goals: the rate limits, and the validation of sets."""

import statistics
import time

from django.test import RequestFactory
from rest_framework import serializers

from fitness.api import rate_limits
from training.api.serializers.workout import WorkoutSerializer

REPEATS = 100
SETS = 40


def rate_limits_ms(rounds):
    """CPU milliseconds of this process to count one request against both limits, including the headers."""
    requests = RequestFactory()
    return statistics.median(
        cpu_ms(count_twice, [requests.get("/") for _ in range(REPEATS)]) for _ in range(rounds)
    )


def count_twice(request):
    rate_limits.count(request, "address", "127.0.0.1")
    rate_limits.count(request, "key", "benchmark")
    rate_limits.headers(request)


def validation_ratio(athlete, rounds):
    """CPU time that 40 sets add to the validation of a workout, divided by the same for DRF's serializers."""
    context = {"account": athlete.account, "instance": None}
    workout = athlete.a_workout()
    (entry, *_), (*_, one_set) = workout["exercises"], workout["exercises"][0]["sets"]
    bodies = [workout | {"exercises": [entry | {"sets": [one_set] * count}]} for count in (0, SETS)]

    def with_the_service(body):
        WorkoutSerializer.validated(body, context)

    def with_drf(body):
        DRFWorkout(data=body).is_valid(raise_exception=True)

    def added_ms(validate):
        without_sets, with_sets = (cpu_ms(validate, [body] * REPEATS) for body in bodies)
        return with_sets - without_sets

    return statistics.median(added_ms(with_the_service) / added_ms(with_drf) for _ in range(rounds))


def cpu_ms(function, items):
    """The mean CPU milliseconds of `function(item)`."""
    started = time.process_time()
    for item in items:
        function(item)
    return (time.process_time() - started) / len(items) * 1000


class DRFSet(serializers.Serializer):
    type = serializers.ChoiceField(["warmup", "working"], default="working")
    weight_kg = serializers.FloatField(min_value=0, max_value=2000)
    reps = serializers.IntegerField(min_value=0, max_value=10_000)
    completed = serializers.BooleanField(default=True)
    rpe = serializers.FloatField(min_value=0, max_value=10, allow_null=True, default=None)


class DRFExercise(serializers.Serializer):
    exercise_id = serializers.CharField()
    notes = serializers.CharField(default="", allow_blank=True, max_length=5000)
    superset_id = serializers.CharField(default=None, allow_null=True, max_length=200)
    sets = DRFSet(many=True)


class DRFWorkout(serializers.Serializer):
    """The fields of a workout that clients send, as ordinary nested serializers of DRF."""

    title = serializers.CharField(default="", allow_blank=True, max_length=200)
    notes = serializers.CharField(default="", allow_blank=True, max_length=5000)
    started_at = serializers.DateTimeField()
    duration_seconds = serializers.IntegerField(min_value=0, max_value=604_800)
    exercises = DRFExercise(many=True)
