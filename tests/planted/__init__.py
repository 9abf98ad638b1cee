"""Faults planted in the code, one at a time, to see whether a test notices: `make planted`.

Forty of five kinds, drawn from all modules and templates by a fixed seed: an operator turned, a bound moved
by one, a filter on the account left out, a status exchanged, an escape left out. `faults.json` holds them by
their text, so that the same ones are planted after a change of the suite. Each is tried with the tests that
execute its line or render its template, which a run with probes in their places finds. One that no test
executes stands at import, and is tried with the tests of its room.

Where the code of one is gone, `python -m tests.planted replace` draws another of its kind for it, by the same
dice, which go on behind a whole draw. Those at 8, 16, 20 and 32 were replaced on 28 November 2026.
"""
