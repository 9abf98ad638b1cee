"""The form for the rule of one entry, checked by the serializer of the API.

Stages and weeks are typed a line each: "5 × 3", "1 × 5+ @ 85 %".
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import Account
from fitness.api.errors import problems
from fitness.web import units
from training.api.serializers.progression import (
    MAX_RULES,
    MAX_RULES_OF_ROUTINE,
    ProgressionSerializer,
    RoutineProgressionSerializer,
)
from training.models.planned import PlannedExercise
from training.models.planning import Planning, ProgressionValues
from training.plans import Wave, default_increment_kg, rule_to_json
from training.plans.loading import WITHOUT_STEPS
from training.plans.plan_rules import Place
from training.plans.program_plans import training_maxes
from training.plans.rules import ALL_PARAMETERS, LISTS, PARAMETERS, Rule
from training.web.forms.base import number, number_text, stored_number, text, texts
from training.web.rules import entries_for_rules

WEIGHTS = ("increment", "training_max")  # typed in the account's unit
STAGE = re.compile(r"(\d+)\s*[x×*]\s*(\d+)")
# Before the percentage people may write any word: "at", "bei", "al".
WEEK = re.compile(r"(\d+)\s*[x×*]\s*(\d+)\s*(\+?)\s*(?:[^\W\d_]+|@|,)?\s*(\d+(?:[.,]\d+)?)\s*%?")


class Kind(NamedTuple):
    name: str
    label: str | Promise
    help: str | Promise


KINDS = [
    Kind(
        "linear",
        gettext_lazy("Weight every workout"),
        gettext_lazy("All sets done: more weight next time. Missed too often: a step down."),
    ),
    Kind(
        "double",
        gettext_lazy("Reps, then weight"),
        gettext_lazy("One rep more each time up to the top of a range, then more weight."),
    ),
    Kind(
        "effort",
        gettext_lazy("By effort (RPE)"),
        gettext_lazy("Up while the last set feels easy enough, down when it was too hard."),
    ),
    Kind(
        "stages",
        gettext_lazy("Stages (GZCLP)"),
        gettext_lazy("More weight while it goes; after a miss fewer reps in more sets."),
    ),
    Kind(
        "wave",
        gettext_lazy("Percentages (5/3/1)"),
        gettext_lazy("Weeks at percentages of a training max, which grows each round."),
    ),
]
WITHOUT_WEIGHT = ("linear", "double", "effort")  # kinds that can add repetitions alone

# Stages to choose: what screens call them, and their lines.
PRESETS = {
    "GZCLP, main lift": (gettext_lazy("GZCLP, main lift"), "5 × 3\n6 × 2\n10 × 1"),
    "GZCLP, second lift": (gettext_lazy("GZCLP, second lift"), "3 × 10\n3 × 8\n3 × 6"),
}
TOP_SETS = "1 × 5+ @ 85 %\n1 × 3+ @ 90 %\n1 × 1+ @ 95 %"
# A lift that a day has three times: the first, second and last set of each week.
OF_THREE = (
    "1 × 5 @ 65 %\n1 × 3 @ 70 %\n1 × 5 @ 75 %",
    "1 × 5 @ 75 %\n1 × 3 @ 80 %\n1 × 3 @ 85 %",
    TOP_SETS,
)

LABELS: dict[str, tuple[str | Promise, str | Promise]] = {
    "increment": (
        gettext_lazy("Add at once"),
        gettext_lazy("The smallest change that you can load; 0 adds repetitions instead."),
    ),
    "misses": (gettext_lazy("Misses in a row before a step down"), ""),
    "deload_percent": (gettext_lazy("A step down leaves, in %"), ""),
    "reps_from": (gettext_lazy("Fewest reps"), ""),
    "reps_to": (gettext_lazy("Most reps"), ""),
    "rpe_up": (gettext_lazy("Up to this RPE of the last set: more"), ""),
    "rpe_down": (gettext_lazy("Above this RPE: less"), gettext_lazy("In between the weight stays.")),
    "stages": (gettext_lazy("Stages, one a line"), gettext_lazy("Sets × reps, such as 5 × 3.")),
    "reset_percent": (gettext_lazy("After the last stage, back to, in %"), ""),
    "weeks": (
        gettext_lazy("Weeks, one a line"),
        gettext_lazy("Such as 1 × 5+ at 85 %. With + the last set is for as many reps as you can."),
    ),
    "training_max": (
        gettext_lazy("Training max"),
        gettext_lazy("About 90 % of what you can lift once. Empty: taken from your next workout."),
    ),
}


@dataclass
class Field:
    """A field of the form as the template shows it."""

    name: str
    label: str | Promise
    help: str | Promise
    value: str
    error: str
    lines: int  # 0: an input of one line
    mode: str


class RuleForm:
    """The rule of the entry at a place of a plan, as texts.

    `values` are all rules of the plan after a change, once the form is valid.
    """

    values: ProgressionValues

    def __init__(
        self, account: Account, plan: Planning, place: Place, kind: str, texts: dict[str, str]
    ) -> None:
        self.account, self.plan, self.place = account, plan, place
        self.kind, self.texts = kind, texts
        self.entry = plan.week.by_place[place]
        self.former = {one: rule for one, (_, rule) in plan.progressions.places.items()}
        self.exercise_id = self.entry["exercise_id"]
        self.errors: dict[str, str] = {}

    @classmethod
    def of(cls, account: Account, plan: Planning, place: Place, kind: str, preset: str = "") -> "RuleForm":
        """The form with the stored rule, or with what is usual for the exercise."""
        form = cls(account, plan, place, kind, {})
        rule = form.former.get(place)
        if kind not in PARAMETERS:
            usual = "double" if form.entry["equipment"] in WITHOUT_STEPS else "linear"
            form.kind = rule.kind if rule else usual
        stored = rule if rule and rule.kind == form.kind else None
        form.texts = form.stored_texts(stored) if stored else form.usual_texts()
        if form.kind == "stages" and preset in PRESETS:
            form.texts["stages"] = PRESETS[preset][1]
        return form

    @classmethod
    def posted(cls, account: Account, plan: Planning, place: Place, post: QueryDict) -> "RuleForm":
        kind = text(post, "kind")
        typed = texts(post, [*LABELS, "training_max_kg", "increment_kg"])
        form = cls(account, plan, place, kind if kind in PARAMETERS else "linear", typed)
        form.exercise_id = text(post, "exercise")
        return form

    @property
    def refusal(self) -> str:
        """An error that belongs to no field."""
        return self.errors.get("", "")

    @property
    def kinds(self) -> list[Kind]:
        return [kind for kind in KINDS if self.suits(self.entry, kind.name) or kind.name == self.kind]

    @staticmethod
    def suits(entry: PlannedExercise, kind: str) -> bool:
        """Whether a kind makes sense for an entry: stages and percentages need a weight."""
        return kind in WITHOUT_WEIGHT or bool(entry["weight_kg"]) or entry["equipment"] not in WITHOUT_STEPS

    @property
    def names(self) -> list[str]:
        return ["increment", *(name.removesuffix("_kg") for name in PARAMETERS[self.kind])]

    @property
    def fields(self) -> list[Field]:
        unit = self.account.units
        found = []
        for name in sorted(self.names, key=list(LABELS).index):
            label, help_text = LABELS[name]
            if name in WEIGHTS:
                label = _("%(label)s, in %(unit)s") % {"label": label, "unit": unit}
            lines = {"stages": 4, "weeks": 4}.get(name, 0)
            mode = "numeric" if name in ("misses", "reps_from", "reps_to") else "decimal"
            value, error = self.texts.get(name, ""), self.errors.get(name, "")
            found.append(Field(name, label, help_text, value, error, lines, "text" if lines else mode))
        return found

    def stored_texts(self, rule: Rule) -> dict[str, str]:
        stored = rule_to_json(rule)
        shown = {
            name: number_text(stored[name])
            for name in ALL_PARAMETERS
            if isinstance(stored.get(name), int | float)
        }
        for name in WEIGHTS:
            if f"{name}_kg" in stored:
                shown |= self.weight_texts(name, stored[f"{name}_kg"])
        if "stages" in stored:
            shown["stages"] = "\n".join(f"{one['sets']} × {one['reps']}" for one in stored["stages"])
        if "weeks" in stored:
            shown["weeks"] = "\n".join(map(week_text, stored["weeks"]))
        return shown

    def usual_texts(self) -> dict[str, str]:
        entry, unit = self.entry, self.account.units
        usual = {
            name: number_text(value) for name, value in PARAMETERS[self.kind].items() if value is not None
        }
        usual |= self.weight_texts("increment", default_increment_kg(entry["equipment"], unit))
        reps = entry["reps"]
        if self.kind == "double":
            usual |= {"reps_from": str(reps), "reps_to": str(reps + max(2, reps // 4))}
        elif self.kind == "stages":
            usual["stages"] = PRESETS["GZCLP, main lift" if reps <= 5 else "GZCLP, second lift"][1]
        elif self.kind == "wave":
            usual["weeks"] = usual_weeks(self.plan, self.place)
            training_max_kg = training_maxes(self.account, [entry]).get(entry["exercise_id"], 0)
            usual |= self.weight_texts("training_max", training_max_kg) if training_max_kg else {}
        return usual

    def weight_texts(self, name: str, weight_kg: float) -> dict[str, str]:
        shown = number_text(units.to_unit(weight_kg, self.account.units))
        return {name: shown, f"{name}_kg": repr(float(weight_kg))}

    def weight_kg(self, name: str) -> Any:
        """A typed weight in kg; one that was not changed keeps its kg."""
        typed, stored = number(self.texts.get(name, "")), stored_number(self.texts.get(f"{name}_kg", ""))
        if isinstance(typed, str):
            return typed or None
        is_known = not isinstance(stored, str) and math.isfinite(stored)
        return units.edited_kg(typed, self.account.units, float(stored) if is_known else None)

    def body(self) -> dict[str, Any]:
        """The rule as a client of the API would send it."""
        parameters: dict[str, Any] = {"kind": self.kind, "increment_kg": self.weight_kg("increment")}
        for name in PARAMETERS[self.kind]:
            if name == "training_max_kg":
                parameters[name] = self.weight_kg("training_max") or 0
            elif name in LISTS:
                parameters[name] = self.lines(name)
            else:
                typed = number(self.texts.get(name, ""))
                parameters[name] = None if typed == "" else typed
        return parameters

    def lines(self, name: str) -> list[dict[str, Any]]:
        pattern, read = (STAGE, read_stage) if name == "stages" else (WEEK, read_week)
        found = []
        for line in filter(None, map(str.strip, self.texts.get(name, "").split("\n"))):
            match = pattern.fullmatch(line)
            if match is None:
                said = _("“%(line)s” cannot be read. %(help)s")
                self.errors.setdefault(name, said % {"line": line[:40], "help": LABELS[name][1]})
            else:
                found.append(read(match))
        return found

    def is_valid(self) -> bool:
        """Fills `values` with this rule among the others."""
        body = self.body()
        rules = {self.place: (self.exercise_id, body)}
        if isinstance(body.get("training_max_kg"), int | float):
            # Waves of the exercise in this day have one training max.
            shared = {name: body[name] for name in ("training_max_kg", "increment_kg")}
            for place, rule in self.former.items():
                is_same = self.plan.week.by_place[place]["exercise_id"] == self.exercise_id
                is_other = place != self.place and place.weekday == self.place.weekday
                if isinstance(rule, Wave) and is_same and is_other:
                    rules[place] = (self.exercise_id, {**rule_to_json(rule), **shared})
        return self.check(rules)

    def is_valid_for_all(self) -> bool:
        """The same for each entry that can have the kind, with the increment and training max of each."""
        body = self.body()
        possible = entries_for_rules(self.account, self.plan.week)
        entries = {p: e for p, e in possible.items() if self.suits(e, self.kind)}
        maxes = training_maxes(self.account, entries.values()) if self.kind == "wave" else {}
        own = {self.place: (self.exercise_id, body)}
        others = {
            place: (entry["exercise_id"], self.for_other(body, place, entry, maxes))
            for place, entry in entries.items()
            if place != self.place
        }
        return self.check(own | others)

    def for_other(
        self, body: Mapping[str, Any], place: Place, entry: PlannedExercise, maxes: Mapping[str, float]
    ) -> dict[str, Any]:
        other = dict(body)
        if entry["equipment"] != self.entry["equipment"]:
            other["increment_kg"] = None  # what is usual for it
        if self.kind == "wave" and entry["exercise_id"] != self.entry["exercise_id"]:
            former = self.former.get(place)
            usual = maxes.get(entry["exercise_id"], 0)
            other["training_max_kg"] = former.training_max_kg if isinstance(former, Wave) else usual
        if self.kind == "wave" and self.texts.get("weeks") == usual_weeks(self.plan, self.place):
            weeks = usual_weeks(self.plan, place).split("\n")
            other["weeks"] = [read_week(match) for line in weeks if (match := WEEK.fullmatch(line))]
        return other

    def check(self, rules: Mapping[Place, tuple[str, Mapping[str, Any]]]) -> bool:
        is_routine = self.plan.noun == "routine"
        most = MAX_RULES_OF_ROUTINE if is_routine else MAX_RULES
        if len(rules.keys() | self.former.keys()) > max(most, len(self.former)):
            said = _("There can be at most %(count)s rules: remove some, or set this one alone.")
            self.errors.setdefault("", said % {"count": most})
        bodies = [
            {**place.fields, "exercise_id": exercise_id, **rule}
            for place, (exercise_id, rule) in rules.items()
        ]
        stored = self.plan.progression_values
        context = {"account": self.account, "instance": self.plan}
        serializer: ProgressionSerializer
        if is_routine:
            serializer = RoutineProgressionSerializer(data={"rules": bodies}, context=context)
        else:  # how often a week is lighter stays as it is
            deloads = {"deload_every": stored["deload_every"], "deload_percent": stored["deload_percent"]}
            serializer = ProgressionSerializer(data={**deloads, "rules": bodies}, context=context)
        if not self.errors and serializer.is_valid():
            valid: ProgressionValues = serializer.validated_data
            self.values = {**valid, "rules": {**stored["rules"], **valid["rules"]}}
            return True
        if not self.errors:
            for path, message in problems(serializer.errors):
                self.add_error(path, message)
        return False

    def add_error(self, path: str, message: str) -> None:
        """At the field of a path such as `rules[0].stages[1].sets`."""
        parts = re.findall(r"[a-z_]+", path)
        name = next((one.removesuffix("_kg") for one in parts if one.removesuffix("_kg") in LABELS), "")
        if name not in self.names:
            changed = (
                _("The plan has changed meanwhile. Open its rules again.")
                if self.plan.noun == "plan"
                else _("The routine has changed meanwhile. Open its rules again.")
            )
            self.errors.setdefault("", changed)
            return
        self.errors.setdefault(name, self.message(name, message))

    def message(self, name: str, message: str) -> str:
        limit = units.group_thousands(int(units.to_unit(2000, self.account.units)))
        weights = {"limit": limit, "unit": self.account.units}
        return {
            "increment": _("Enter a weight from 0 to %(limit)s %(unit)s.") % weights,
            "training_max": _("Enter a weight from 0 to %(limit)s %(unit)s, or nothing.") % weights,
            "misses": _("Enter a whole number from 1 to 10."),
            "deload_percent": _("Enter a percentage from 30 to 100."),
            "reset_percent": _("Enter a percentage from 30 to 100."),
            "reps_from": _("Enter whole repetitions, not above the most."),
            "reps_to": _("Enter whole repetitions, from 1 to 10,000."),
            "rpe_up": _("Enter a number from 0 to 10, not above the other RPE."),
            "rpe_down": _("Enter a number from 0 to 10."),
            "stages": _("Enter 1 to 10 stages, each of 1 to 100 sets."),
            "weeks": _("Enter 1 to 6 weeks, each of 1 to 100 sets at 30 to 120 %."),
        }.get(name, message)


def read_stage(match: re.Match[str]) -> dict[str, Any]:
    return {"sets": short_int(match[1]), "reps": short_int(match[2])}


def read_week(match: re.Match[str]) -> dict[str, Any]:
    percent = float(match[4].replace(",", "."))
    return {**read_stage(match), "percent": percent, "open": bool(match[3])}


def short_int(digits: str) -> int:
    """The number; of many digits the first, which no limit allows."""
    return int(digits[:9])


def week_text(line: Mapping[str, Any]) -> str:
    return f"{line['sets']} × {line['reps']}{'+' * line['open']} @ {number_text(line['percent'])} %"


def usual_weeks(plan: Planning, place: Place) -> str:
    """5/3/1: the line of each week that an entry has among those of its exercise in the day."""
    week = plan.week
    exercise_id = week.by_place[place]["exercise_id"]
    places = [one for one, _ in week.by_exercise[exercise_id] if one.weekday == place.weekday]
    return OF_THREE[places.index(place)] if len(places) == len(OF_THREE) else TOP_SETS
