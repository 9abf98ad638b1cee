"""The screens that tests of widths and of access go through, and what axe finds serious on them."""

from django.urls import reverse

from tests.screens.browser import violations

SCREENS = [
    *("home", "more", "start-training", "progress", "records", "workouts", "routines", "plans", "exercises"),
    *("own-exercises", "new-own-exercise"),
    *("body", "log-weight", "measurements", "log-measurement", "goals", "set-goal"),
    *("nutrition", "add-meal", "set-nutrition-targets", "supplements", "add-supplement"),
    *("profile", "alerts", "calendar", "developer", "account", "delete-account"),
]


def screens_of(user):
    """(name, address) of the SCREENS, of a program, and of the rules of a plan that the account has."""
    yield from ((name, reverse(name)) for name in SCREENS)
    yield "start-program", reverse("start-program", args=["upper-lower-double"])
    for plan in user.plans.all()[:1]:
        yield from ((name, reverse(name, args=[plan.pk])) for name in ("plan-rules", "plan-deloads"))
        for kind in ("linear", "double", "effort", "stages", "wave"):
            yield kind, f"{reverse('plan-rule', args=[plan.pk, 1, 0])}?kind={kind}"


def serious_violations(screen, part=None, **options):
    """The serious ones of the `violations` of a screen, or of the part of it that a selector matches."""
    return [
        (one["id"], [node["html"] for node in one["nodes"]][:3])
        for one in violations(screen, part, **options)
        if one["impact"] in ("serious", "critical")
    ]
