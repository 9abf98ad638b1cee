from django import template

from accounts.models import Account
from nutrition.web.expenditure_card import Card, card_of

register = template.Library()


@register.simple_tag
def expenditure_of(account: Account) -> Card | None:
    """What the account's body uses a day, for `nutrition/expenditure.html`."""
    return card_of(account)
