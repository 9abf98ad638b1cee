"""The calendar of an account, for calendar programs (RFC 5545).

1. `views.feed` finds the account by the token of the address, of which only the hash is stored.
2. The ETag follows the account's change stamp, which workouts and plans take, and the day: 304 while both
   are the same, in two statements.
3. `events` reads the days of the active plan and the workouts, a fixed number of statements.
4. `rendering` writes them. It is imported for the first feed that is written: icalendar takes 0.15 s.
"""
