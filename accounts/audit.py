"""Who signed in, who was locked out, which keys came and went: one log line each."""

import logging

log = logging.getLogger("fitness.audit")


def note(event, account_id, **facts):
    log.info(event, extra={"account": account_id and str(account_id), **facts})
