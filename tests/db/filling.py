"""A row for each model that has none, whatever its fields are."""

from uuid import uuid4

from django.apps import apps
from django.db import models
from django.utils import timezone

from fitness.db.owned import Owned

VALUES = {
    models.BinaryField: b"x",
    models.BooleanField: True,
    models.DateField: timezone.now().date(),
    models.DateTimeField: timezone.now(),
    models.EmailField: "friend@example.org",
    models.CharField: "x",
    models.TextField: "{}",
    models.JSONField: {},
    models.FloatField: 1.5,
    models.IntegerField: 1,
    models.UUIDField: uuid4(),
}


def fill(app_labels, account):
    """Adds a row to each empty table of these apps; those first that others refer to."""
    left = [model for label in app_labels for model in apps.get_app_config(label).get_models()]
    while left:
        model = next(model for model in left if not targets(model) & set(left) - {model})
        if not model._base_manager.exists():
            values = {field.name: value(field, account) for field in model._meta.concrete_fields}
            row = model(**{name: given for name, given in values.items() if given is not None})
            row.save(force_insert=True)
        left.remove(model)


def targets(model):
    return {field.related_model for field in model._meta.concrete_fields if field.is_relation}


def value(field, account):
    """None for what gets its value by itself, and for a reference to a table that is still empty."""
    if field.is_relation:
        model = field.related_model
        if isinstance(account, model):
            return account
        own = (
            {"account": account} if issubclass(model, Owned) else {}
        )  # what refers to another's row is refused
        return model._base_manager.filter(**own).first()
    if field.has_default() or isinstance(field, models.AutoField):
        return None
    if field.choices:
        return field.choices[0][0]
    return next(VALUES[kind] for kind in type(field).__mro__ if kind in VALUES)
