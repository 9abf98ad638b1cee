from django.urls import URLPattern, path

from training.api.views.exercise import ExerciseViewSet, HistoryViewSet
from training.api.views.plan import PlanViewSet
from training.api.views.progression import ProgressionViewSet, RoutineProgressionViewSet
from training.api.views.routine import RoutineViewSet
from training.api.views.stats import TrainingStatsViewSet
from training.api.views.workout import WorkoutViewSet
from training.web.train import views as train
from training.web.views import exercise, own_exercise, plan, progress, routine, workout
from training.web.views.rules import RuleViews, plan_rules, routine_rules

api = [
    path("exercises", ExerciseViewSet.as_view({"get": "list"})),
    path("exercises/<str:exercise_id>", ExerciseViewSet.as_view({"get": "retrieve"})),
    path("exercises/<str:exercise_id>/history", HistoryViewSet.as_view({"get": "list"})),
    path("workouts", WorkoutViewSet.as_view({"get": "list", "post": "create"})),
    path("workouts/count", WorkoutViewSet.as_view({"get": "count"})),
    path("workouts/events", WorkoutViewSet.as_view({"get": "events"})),
    path(
        "workouts/<str:workout_id>",
        WorkoutViewSet.as_view({"get": "retrieve", "put": "update", "delete": "destroy"}),
    ),
    path("routines", RoutineViewSet.as_view({"get": "list", "post": "create"})),
    path(
        "routines/<str:routine_id>",
        RoutineViewSet.as_view({"get": "retrieve", "put": "update", "delete": "destroy"}),
    ),
    path(
        "routines/<str:routine_id>/progression",
        RoutineProgressionViewSet.as_view({"get": "retrieve", "put": "update"}),
    ),
    path("routines/<str:routine_id>/progression/steps", RoutineProgressionViewSet.as_view({"get": "list"})),
    path("plans", PlanViewSet.as_view({"get": "list", "post": "create"})),
    path(
        "plans/<str:plan_id>",
        PlanViewSet.as_view({"get": "retrieve", "put": "update", "delete": "destroy"}),
    ),
    path(
        "plans/<str:plan_id>/progression",
        ProgressionViewSet.as_view({"get": "retrieve", "put": "update"}),
    ),
    path("plans/<str:plan_id>/progression/steps", ProgressionViewSet.as_view({"get": "list"})),
    path("plans/<str:plan_id>/activate", PlanViewSet.as_view({"post": "activate"})),
    path("stats/training", TrainingStatsViewSet.as_view({"get": "totals"})),
    path("stats/records", TrainingStatsViewSet.as_view({"get": "records"})),
]


def rule_paths(noun: str, views: RuleViews) -> list[URLPattern]:
    """The addresses of the rules of all entries, and of one. The weekday of a routine's is 0."""
    rule = f"{noun}s/<uuid:pk>/rules/<int:weekday>/<int:position>"
    return [
        path(f"{noun}s/<uuid:pk>/rules", views.rules, name=f"{noun}-rules"),
        path(rule, views.rule, name=f"{noun}-rule"),
        path(f"{rule}/preview", views.preview, name=f"preview-{noun}-rule"),
        path(f"{rule}/copy", views.copy, name=f"copy-{noun}-rule"),
        path(f"{rule}/remove", views.remove, name=f"remove-{noun}-rule"),
        path(f"{rule}/reset", views.reset, name=f"reset-{noun}-rule"),
    ]


web = [
    path("workouts", workout.workouts, name="workouts"),
    path("workouts/new", workout.form_views.create, name="log-workout"),
    path("workouts/new/rows", workout.form_views.new_rows, name="new-workout-rows"),
    path("workouts/entries/<slug:exercise_id>", workout.form_views.entry, name="workout-entry"),
    path("workouts/<uuid:pk>", workout.workout, name="workout"),
    path("workouts/<uuid:pk>/sets", workout.workout_sets, name="workout-sets"),
    path("workouts/<uuid:pk>/edit", workout.form_views.edit, name="edit-workout"),
    path("workouts/<uuid:pk>/edit/rows", workout.form_views.edited_rows, name="workout-rows"),
    path("workouts/<uuid:pk>/delete", workout.form_views.delete, name="delete-workout"),
    path("train", train.train, name="train"),
    path("train/start", train.start_training, name="start-training"),
    path("train/draft", train.draft, name="draft"),
    path("train/rest-alarm", train.rest_alarm, name="rest-alarm"),
    path("train/drafts/<uuid:pk>", train.change_draft, name="change-draft"),
    path("train/drafts/<uuid:pk>/next-time", train.next_time, name="next-time"),
    path("train/exercises", train.exercise_choices, name="exercise-choices"),
    path("train/exercises/<slug:exercise_id>", train.exercise_context, name="exercise-context"),
    path("train/finished/<uuid:pk>", train.finished, name="finished-training"),
    path("routines", routine.routines, name="routines"),
    path("routines/new", routine.form_views.create, name="create-routine"),
    path("routines/new/rows", routine.form_views.new_rows, name="new-routine-rows"),
    path("routines/entries/<slug:exercise_id>", routine.form_views.entry, name="planned-entry"),
    path("routines/starters", routine.add_starter_routines, name="add-starter-routines"),
    path("routines/<uuid:pk>", routine.routine, name="routine"),
    path("routines/<uuid:pk>/edit", routine.form_views.edit, name="edit-routine"),
    path("routines/<uuid:pk>/edit/rows", routine.form_views.edited_rows, name="routine-rows"),
    path("routines/<uuid:pk>/delete", routine.form_views.delete, name="delete-routine"),
    path("plans", plan.plans, name="plans"),
    path("plans/new", plan.form_views.create, name="create-plan"),
    path("plans/programs/<slug:key>", plan.start_program, name="start-program"),
    path("plans/<uuid:pk>", plan.plan, name="plan"),
    path("plans/<uuid:pk>/days/<int:weekday>", plan.plan_day, name="plan-day"),
    path("plans/<uuid:pk>/days/<int:weekday>/edit", plan.edit_day, name="edit-plan-day"),
    path("plans/<uuid:pk>/days/<int:weekday>/edit/rows", plan.day_rows, name="plan-day-rows"),
    path("plans/<uuid:pk>/deloads", plan_rules.deloads, name="plan-deloads"),
    *rule_paths("plan", plan_rules),
    *rule_paths("routine", routine_rules),
    path("plans/<uuid:pk>/edit", plan.form_views.edit, name="edit-plan"),
    path("plans/<uuid:pk>/activate", plan.activate_plan, name="activate-plan"),
    path("plans/<uuid:pk>/delete", plan.form_views.delete, name="delete-plan"),
    path("exercises", exercise.exercises, name="exercises"),
    path("exercises/own", own_exercise.own_exercises, name="own-exercises"),
    path("exercises/own/new", own_exercise.new_own_exercise, name="new-own-exercise"),
    path("exercises/own/make", own_exercise.make_own_exercise, name="make-own-exercise"),
    path("exercises/own/<slug:pk>/edit", own_exercise.edit_own_exercise, name="edit-own-exercise"),
    path("exercises/own/<slug:pk>/delete", own_exercise.delete_own_exercise, name="delete-own-exercise"),
    path("exercises/own/<slug:pk>/retire", own_exercise.retire_own_exercise, name="retire-own-exercise"),
    path("exercises/own/<slug:pk>/offer", own_exercise.offer_own_exercise, name="offer-own-exercise"),
    path("exercises/own/<slug:pk>/same", own_exercise.choose_same_exercise, name="same-exercise"),
    path(
        "exercises/own/<slug:pk>/same/<slug:kept_id>",
        own_exercise.merge_own_exercise,
        name="merge-own-exercise",
    ),
    path("exercises/<slug:pk>", exercise.exercise, name="exercise"),
    path("images/<path:name>", exercise.picture, name="picture"),
    path("progress", progress.progress, name="progress"),
    path("progress/lifts", progress.lifts, name="lifts"),
    path("progress/pins/<slug:pk>", progress.pin, name="pin-lift"),
    path("progress/pins/<slug:pk>/remove", progress.unpin, name="unpin-lift"),
    path("progress/records", progress.records, name="records"),
    path("exercise-suggestions", exercise.suggestions, name="exercise-suggestions"),
]
