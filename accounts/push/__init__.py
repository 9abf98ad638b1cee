"""Web Push: notifications on a locked phone, by the push service of its browser (RFC 8030, 8291 and 8292).

1. A browser subscribes on the settings page "Alerts": its `PushSubscription` has the address of its push
   service, and the keys with which messages are enciphered.
2. An `Alarm` has the moment at which it rings: the end of a rest, or the hour of the reminder.
3. The worker rings it (fitness/site/work/alarms.py) and sends a message to each subscription of the account
   (`sending`), signed with the service's key (`vapid`). Push services read neither texts nor titles.

Examples of failures: somebody takes the permission back in the browser. The push service answers 410 to the
next message, and the subscription is deleted. It answers 401 or 403 where it does not accept who sends: the
page says so, and the subscription is kept.
"""
