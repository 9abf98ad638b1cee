"""PreparedQuery: the rows of the QuerySet that its builder makes, and an error where it would run another."""

import datetime

import pytest
from django.db import connection, models
from django.db.models import Count, F, Value
from django.utils import timezone

from accounts.models import Account, ApiKey
from accounts.sessions import Session
from body.models import WeightLog
from fitness.db import prepared_queries
from fitness.db.prepared_queries import PreparedQuery, padded
from fitness.db.writes import insert, preparation, row_writer, update, update_all
from tests.conftest import a_set, statements
from training.models import Exercise

pytestmark = pytest.mark.django_db

NOON = datetime.datetime(2026, 3, 2, 12, tzinfo=datetime.UTC)
DAY = datetime.timedelta(days=1)


@pytest.fixture
def logs(account, stranger):
    stranger.weight_logs.create(weight_kg=99, logged_at=NOON)
    return [account.weight_logs.create(weight_kg=80 + days, logged_at=NOON + days * DAY) for days in range(4)]


def weights(account, since=None, until=None):
    logs = WeightLog.objects.filter(account=account)
    if since is not None:
        logs = logs.filter(logged_at__gte=since)
    if until is not None:
        logs = logs.filter(logged_at__lt=until)
    return logs.order_by("logged_at").values_list("weight_kg", "logged_at", "id", named=True)


# --- The shape of a call ---------------------------------------------------------------------------


def test_each_combination_of_arguments_has_sql_of_its_own(account, logs):
    """Without the names in the shape, the second call would run the first one's SQL and find nothing."""
    prepared = PreparedQuery(weights)
    middle = NOON + 2 * DAY
    assert [row.weight_kg for row in prepared(account=account.pk, since=middle, until=None)] == [82, 83]
    assert [row.weight_kg for row in prepared(account=account.pk, until=middle, since=None)] == [80, 81]
    assert [row.weight_kg for row in prepared(account=account.pk, since=None, until=middle)] == [80, 81]
    assert [row.weight_kg for row in prepared(account=account.pk, until=middle)] == [80, 81]


def test_values_of_one_shape_share_their_sql(account, stranger, logs):
    prepared = PreparedQuery(weights)
    with statements() as run:
        prepared(account=account.pk, since=NOON)
        prepared(account=stranger.pk, since=NOON + DAY)
    assert len(prepared.statements) == 1
    assert len(run) == 2


def test_a_limit_is_part_of_the_shape(account, logs):
    prepared = PreparedQuery(lambda account, limit: weights(account)[:limit])
    assert [len(prepared(account=account.pk, limit=limit)) for limit in (1, 3, 2)] == [1, 3, 2]


@pytest.mark.parametrize("count", [0, 1, 2, 3, 5])
def test_a_list_of_any_length_finds_its_rows(account, logs, count):
    prepared = PreparedQuery(lambda account, ids: WeightLog.objects.filter(account=account, pk__in=ids))
    wanted = [log.pk for log in logs[:count]]
    assert {log.pk for log in prepared(account=account.pk, ids=wanted)} == set(wanted)
    assert {log.pk for log in prepared(account=account.pk, ids=padded(wanted))} == set(wanted)


def test_shapes_are_not_kept_for_ever(monkeypatch):
    monkeypatch.setattr(prepared_queries, "MAX_SHAPES", 3)
    prepared = PreparedQuery(lambda limit: Exercise.objects.values_list("id", named=True)[:limit])
    for limit in range(1, 8):
        assert len(prepared(limit=limit)) == limit
    assert len(prepared.statements) <= 3


# --- What a builder must not read -------------------------------------------------------------------


@pytest.mark.parametrize(
    "build",
    [
        lambda since: WeightLog.objects.filter(logged_at__gte=since) if since else WeightLog.objects.all(),
        lambda since: WeightLog.objects.filter(notes=f"since {since}"),
        lambda since: WeightLog.objects.filter(notes=str(since)),
        lambda since: WeightLog.objects.all()[: 1 if since == NOON else 2],
        lambda since: WeightLog.objects.filter(pk__in=[since] * len(since)),
        lambda since: WeightLog.objects.filter(notes="early" if since < NOON else "late"),
        lambda since: WeightLog.objects.filter(notes__in=[*since]),
    ],
    ids=["truth", "format", "str", "equal", "len", "less", "iterate"],
)
def test_a_builder_that_looks_at_a_placeholder_fails(build):
    with pytest.raises(TypeError):
        PreparedQuery(build)(since=NOON)


@pytest.mark.parametrize("module", [None, "django.core.management.commands.shell"])
def test_a_builder_that_is_typed_into_a_shell_fails_as_well(module):
    """There the code has no module, or that of the command which runs it."""
    names = {"WeightLog": WeightLog, "__name__": module} if module else {"WeightLog": WeightLog}
    build = eval("lambda since: WeightLog.objects.all() if since else None", names)
    with pytest.raises(TypeError, match="placeholder 'since'"):
        PreparedQuery(build)(since=NOON)


def test_a_builder_that_reads_the_clock_fails():
    prepared = PreparedQuery(lambda: WeightLog.objects.filter(logged_at__lte=timezone.now()))
    with pytest.raises(ValueError, match="reads more than its arguments"):
        prepared()


def test_what_a_builder_reads_besides_is_frozen(account, logs):
    """The reason for the rule: a changed setting has no effect after the first call."""
    setting = {"least_kg": 82}
    prepared = PreparedQuery(lambda account: weights(account).filter(weight_kg__gte=setting["least_kg"]))
    assert len(prepared(account=account.pk)) == 2
    setting["least_kg"] = 0
    assert len(prepared(account=account.pk)) == 2


# --- What Django does not document ------------------------------------------------------------------


def test_named_rows_are_those_of_the_queryset(account, logs):
    """compiler.as_sql, compiler.select and compiler.get_converters."""
    found = PreparedQuery(weights)(account=account.pk)
    assert [(row.weight_kg, row.logged_at, row.id) for row in found] == [
        tuple(row) for row in weights(account)
    ]
    assert (found[0].logged_at, found[0].id) == (NOON, logs[0].pk)


def test_a_row_is_read_by_its_attributes_alone(account, logs):
    """By an index the value would come unconverted on SQLite."""
    (row, *_) = PreparedQuery(weights)(account=account.pk)
    with pytest.raises(TypeError):
        row[0]
    with pytest.raises(TypeError):
        _, *_ = row


def test_rows_of_values_and_aggregates_are_read_too(account, logs):
    prepared = PreparedQuery(
        lambda account: (
            WeightLog.objects.filter(account=account)
            .values(everything=Value(1))
            .annotate(count=Count("id"), next_kg=F("weight_kg") + 1)
            .values("count", "next_kg", "account")
            .order_by("next_kg")
        )
    )
    rows = prepared(account=account.pk)
    assert [(row.count, row.next_kg, row.account) for row in rows] == [
        (1, 81 + days, account.pk) for days in range(4)
    ]


def test_instances_are_those_of_the_queryset(account, logs):
    """QuerySet._iterable_class and compiler.klass_info."""
    prepared = PreparedQuery(lambda account: WeightLog.objects.filter(account=account).order_by("pk"))
    found, expected = (
        prepared(account=account.pk),
        list(WeightLog.objects.filter(account=account).order_by("pk")),
    )
    assert [vars(one) | {"_state": None} for one in found] == [
        vars(one) | {"_state": None} for one in expected
    ]
    assert not found[0]._state.adding


def test_deferred_fields_are_read_when_they_are_asked_for(account, logs, django_assert_num_queries):
    prepared = PreparedQuery(lambda account: WeightLog.objects.filter(account=account).defer("notes"))
    first = prepared(account=account.pk)[0]
    assert first.get_deferred_fields() == {"notes"}
    with django_assert_num_queries(1):
        assert first.notes == ""


def test_a_joined_instance_comes_with_it(account, django_assert_num_queries):
    """compiler.klass_info["related_klass_infos"]."""
    account.issue_key("test", "read", "never")
    prepared = PreparedQuery(lambda account: ApiKey.objects.select_related("account").filter(account=account))
    with django_assert_num_queries(1):
        (key,) = prepared(account=account.pk)
        assert (key.name, key.account) == ("test", account)
        assert isinstance(key.account, Account)


def test_a_join_without_a_row_is_none(account, django_assert_num_queries):
    Session.objects.create(session_key="visitor", session_data="", expire_date=timezone.now())
    prepared = PreparedQuery(lambda key: Session.objects.select_related("account").filter(session_key=key))
    with django_assert_num_queries(1):
        (session,) = prepared(key="visitor")
        assert session.account is None


def test_a_caller_that_stops_early_reads_no_more(account, logs):
    rows = PreparedQuery(weights).iterator(account=account.pk)
    assert next(rows).weight_kg == 80


# --- Prepared writes --------------------------------------------------------------------------------


def test_insert_stores_what_save_would(account):
    logs = [WeightLog(account=account, weight_kg=80.5, logged_at=NOON + days * DAY) for days in range(3)]
    with statements() as run:
        insert(logs)
    assert len(run) == 1
    assert list(
        account.weight_logs.order_by("logged_at").values_list("pk", "weight_kg", "logged_at", "notes")
    ) == [(log.pk, 80.5, log.logged_at, "") for log in logs]
    insert([])


def test_update_stores_the_named_fields_where_nothing_else_changed(logs):
    log = logs[0]
    log.weight_kg, log.notes = 75.0, "not stored"
    assert update(log, ["weight_kg"], body_fat_percent=None) is False  # NULL equals nothing
    assert update(log, ["weight_kg"], notes="")
    log.refresh_from_db()
    assert (log.weight_kg, log.notes) == (75.0, "")
    assert update(log, ["weight_kg"], notes="other") is False
    log.delete()
    log.pk = logs[1].pk.__class__(int=0)
    assert update(log, ["weight_kg"]) is False


def test_update_all_stores_the_named_fields_of_each(account, logs):
    for log in logs:
        log.weight_kg, log.notes = log.weight_kg + 0.5, "not stored"
    update_all(logs, ["weight_kg"])
    stored = account.weight_logs.order_by("logged_at").values_list("weight_kg", "notes")
    assert list(stored) == [(80.5 + days, "") for days in range(4)]
    update_all([], ["weight_kg"])


def test_update_all_stores_nulls_texts_with_signs_and_more_rows_than_one_statement_has(
    account, logs, monkeypatch
):
    monkeypatch.setattr("fitness.db.writes.ROWS_AT_ONCE", 3)
    texts = ["100 %", "<rows>", "it's", "new.column1"]
    for log, text in zip(logs, texts, strict=True):
        log.notes, log.body_fat_percent = text, 20.0 if text == "it's" else None
    update_all(logs, ["body_fat_percent", "notes"])
    stored = account.weight_logs.order_by("logged_at").values_list("notes", "body_fat_percent")
    assert list(stored) == [(text, 20.0 if text == "it's" else None) for text in texts]


def test_update_all_leaves_rows_of_another_account_alone(account, logs, stranger):
    logs[0].notes, logs[0].account = "taken", stranger
    update_all(logs[:1], ["notes"])
    assert account.weight_logs.get(pk=logs[0].pk).notes == ""


def test_parameters_are_those_that_django_prepares(account, log_workout):
    """Field.get_db_prep_save, for each class of PLAIN_FIELDS and ADAPTED_FIELDS that a hot table has."""
    log_workout(a_set(), notes="Felt strong.")
    account.supplements.create(name="Creatine", dosage="5 g", time="08:00")
    account.goals.create(created_at=NOON, deadline=NOON.date())
    for rows in (account.workouts, account.workout_exercises, account.supplements, account.goals):
        instance = rows.get()
        fields = instance._meta.concrete_fields
        prepared = [field.get_db_prep_save(getattr(instance, field.attname), connection) for field in fields]
        assert row_writer(fields)(vars(instance)) == prepared


def test_a_field_with_a_preparation_of_its_own_is_prepared_by_it():
    class Shouted(models.TextField):
        def get_prep_value(self, value):
            return value.upper()

    assert preparation(Shouted())("quiet") == "QUIET"
    assert preparation(models.TextField()) is None


def test_a_deferred_field_is_not_written(account, logs):
    log = WeightLog.objects.defer("notes").get(pk=logs[0].pk)
    with pytest.raises(KeyError):
        update(log, ["notes"])
