"""The models that have a table."""

from graphlib import TopologicalSorter
from typing import cast

from django.apps import apps
from django.apps.registry import Apps
from django.db.models import Model


def models_with_tables(apps: Apps = apps) -> list[type[Model]]:
    """Those of the code, or of a state of the migrations, with those of many-to-many relations.

    Each comes behind those that it refers to: a cluster checks each row when it comes.
    """
    models = [
        model
        for model in apps.get_models(include_auto_created=True)
        if model._meta.managed and not model._meta.proxy
    ]
    sorter: TopologicalSorter[type[Model]] = TopologicalSorter()
    for model in models:
        targets = dict.fromkeys(
            field.related_model for field in model._meta.local_fields if field.remote_field
        )
        sorter.add(model, *(cast(type[Model], target) for target in targets if target is not model))
    return list(sorter.static_order())
