from django.db import transaction

from accounts.models import Account

ROWS_AT_ONCE = 200


def change_in_batches(queryset, change):
    """Calls `change(account, batch)` for all rows of a queryset, and adds up what the calls answer.

    A batch is a queryset of one account, which is locked meanwhile, so that nothing is lost of what
    its owner writes at the same time. Memory and statements stay small however many rows there are.
    """
    total = 0
    owners = queryset.order_by("account_id").values_list("account_id", flat=True).distinct()
    for account in [Account(pk=owner) for owner in owners]:
        ids = list(queryset.filter(account=account).values_list("pk", flat=True))
        for start in range(0, len(ids), ROWS_AT_ONCE):
            with transaction.atomic():
                account.stamp()
                batch = queryset.model.objects.filter(pk__in=ids[start : start + ROWS_AT_ONCE])
                total += change(account, batch)
    return total
