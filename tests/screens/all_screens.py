"""The screens that people have, which test_layout.py opens once each, and what axe finds serious on them."""

import datetime

from django.urls import reverse
from django.utils import timezone

from accounts.models import StoredFile, Task
from fitness.management.commands import seed_demo
from nutrition.models import FoodEntry
from tests.conftest import freshly_signed_in
from tests.imports.steps import work
from tests.imports.test_import_pages import imported, uploaded
from tests.screens.browser import violations
from training.models import Exercise
from training.models.own_exercise import make

SCREENS = [
    *("home", "more", "start-training", "progress", "lifts", "records"),
    *("workouts", "routines", "plans", "exercises"),
    *("log-workout", "create-routine", "create-plan", "own-exercises", "new-own-exercise"),
    *("body", "log-weight", "measurements", "log-measurement", "goals", "set-goal"),
    *(
        "nutrition",
        "foods",
        "add-food",
        "set-nutrition-targets",
        "supplements",
        "add-supplement",
    ),
    *("profile", "alerts", "calendar", "end-calendar", "developer", "data", "account", "delete-account"),
    *("change-email", "confirm-password", "factors", "set-up-authenticator", "add-passkey"),
]
FOR_VISITORS = ["home", "sign-in", "sign-up", "reset-password", "offline", "open-sign-in-link"]
# By the name of their addresses: those of one thing that somebody has.
OF_ONE = {
    "workouts": ["workout", "edit-workout", "delete-workout", "finished-training"],
    "routines": ["routine", "edit-routine", "delete-routine", "routine-rules"],
    "plans": ["plan", "edit-plan", "delete-plan", "plan-rules", "plan-deloads"],
    "weight_logs": ["edit-weight", "delete-weight"],
    "measurements": ["edit-measurement", "delete-measurement"],
    "foods": ["edit-food", "remove-food"],
    "food_entries": ["edit-entry", "remove-entry"],
    "supplements": ["edit-supplement", "remove-supplement"],
    "api_keys": ["key-corrections", "revoke-key"],
}
LIFT = "barbell-back-squat"

PART = "a part of a page, which a script fetches"
FILE = "a file, or what a program reads"
ELSEWHERE = "leads to another page"
LEFT_OUT = {
    **dict.fromkeys(("workout-entry", "workout-sets", "planned-entry", "exercise-suggestions"), PART),
    **dict.fromkeys(("draft", "exercise-context", "exercise-choices"), PART),
    **dict.fromkeys(("manifest", "service-worker", "calendar-feed", "picture"), FILE),
    **dict.fromkeys(("refused-rows", "export", "download-export"), FILE),
    "settings": ELSEWHERE,
    **dict.fromkeys(("export-strong", "export-hevy"), "the same page as export-everything"),
    "docs": "test_docs.py",
    "train": "test_train.py",
    "authorize": "test_consent.py",
    **dict.fromkeys(("set-password", "confirm-email"), "test_recovery.py"),
    **dict.fromkeys(("factor", "recovery-code", "make-recovery-codes"), "test_factors.py"),
    **dict.fromkeys(("remove-authenticator", "rename-passkey", "remove-passkey"), "test_factors.py"),
}


def screens_of(user):
    """(name, address) of each screen of an account, as far as it has what the screen is about."""
    yield from ((name, reverse(name)) for name in SCREENS)
    for records, names in OF_ONE.items():
        for one in getattr(user, records).all()[:1]:
            yield from ((name, reverse(name, args=[one.pk])) for name in names)
    yield "start-program", reverse("start-program", args=["upper-lower-double"])
    yield "exercise", reverse("exercise", args=[LIFT])
    yield from rules_of(user)
    yield from days_of(user)
    for own in Exercise.objects.owned_by(user)[:1]:
        names = ("edit-own-exercise", "delete-own-exercise", "same-exercise")
        yield from ((name, reverse(name, args=[own.pk])) for name in names)
        yield "merge-own-exercise", reverse("merge-own-exercise", args=[own.pk, LIFT])


def rules_of(user):
    """The screens of each kind of rule, of one lift of the active plan, and of one of a routine."""
    for plan in user.plans.active()[:1]:
        yield "plan-day", reverse("plan-day", args=[plan.pk, 1])
        yield "edit-plan-day", reverse("edit-plan-day", args=[plan.pk, 1])
        yield "plan-rule", reverse("plan-rule", args=[plan.pk, 1, 0])
        for kind in ("linear", "double", "effort", "stages", "wave"):
            yield kind, f"{reverse('plan-rule', args=[plan.pk, 1, 0])}?kind={kind}"
    for routine in user.routines.all()[:1]:
        yield "routine-rule", reverse("routine-rule", args=[routine.pk, 0, 0])


def days_of(user):
    today = timezone.localdate()
    yield from ((name, reverse(name, args=[today])) for name in ("nutrition-day", "supplements-day"))
    yield from ((name, reverse(name, args=[today])) for name in ("set-totals", "add-entry", "foods-for-day"))
    for food in user.foods.all()[:1]:
        yield "eat-food", reverse("eat-food", args=[food.pk, today])
    for day in user.nutrition_days.all()[:1]:
        yield "clear-nutrition-day", reverse("clear-nutrition-day", args=[day.day])


def states_of(user):
    """Screens of searches, choices, imports and exports, which look other than those of `screens_of`."""
    for search in ("exercises?q=squat", "exercises?q=zzzz", "exercises/chin-up", "workouts?q=squat"):
        yield search, f"/{search}"
    for search in ("workouts?q=zzzz", "workouts?day=2020-01-01", "progress?measure=reps&by=volume"):
        yield search, f"/{search}"
    yield "records, narrowed", "/progress/records?period=90-days&muscle_group=Core"
    yield "export-everything", reverse("export-everything")
    yield from (("import", reverse("import", args=[run.pk])) for run in user.import_runs.all())
    for run in user.import_runs.filter(state="done"):
        yield "undo-import", reverse("undo-import", args=[run.pk])
    for file in user.stored_files.all():
        yield "prepared-export", reverse("prepared-export", args=[file.pk])


def somebody_with_everything(monkeypatch):
    """The demo account, with a record of each kind that has a screen, and files that a worker has to make."""
    monkeypatch.setattr("fitness.site.data.exports.SMALL_BYTES", 0)
    user = seed_demo.seed("demo@example.org", timezone.localdate(), 200, "blue horse 77")
    make(user, name="Pendulum Thing", muscle_group="Legs", equipment="Machine")
    user.issue_key("assistant", "read_write", "never")
    skyr = user.foods.create(name="Skyr", portion=150, unit="g", calories=95, is_favorite=True)
    for ago in (0, 1):
        day = timezone.localdate() - datetime.timedelta(days=ago)
        FoodEntry.objects.add(user, day, [FoodEntry(calories=300, protein_g=20, meal="snacks")])
        skyr.eat(day, meal="dinner" if ago else "breakfast")
    page = freshly_signed_in(user)
    imported(page, "hevy_lbs_us.csv", time_zone="America/Los_Angeles")
    uploaded(page, "strong_comma.csv")
    page.post(reverse("export-everything"))
    work()
    for name, changes in (
        ("export-strong", {"is_whole": False, "problem": "It does not fit."}),
        ("export-hevy", {"size": 12_500_000}),
    ):
        page.post(reverse(name))
        file = StoredFile.objects.filter(account=user).latest("created_at")
        StoredFile.objects.filter(account=user, pk=file.pk).update(**changes)
        if name == "export-strong":
            Task.objects.filter(account=user).delete()
    return user


def serious_violations(screen, part=None, **options):
    """The serious ones of the `violations` of a screen, or of the part of it that a selector matches."""
    return [
        (one["id"], [node["html"] for node in one["nodes"]][:3])
        for one in violations(screen, part, **options)
        if one["impact"] in ("serious", "critical")
    ]
