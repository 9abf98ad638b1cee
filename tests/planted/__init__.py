"""Faults planted in the code, one at a time, to see whether a test notices: `make planted`.

Forty of five kinds, in as many files: an operator turned, a bound moved by one, a filter on the account left
out, a status exchanged, an escape left out. Each possible one has a number, a digest of its text, and the
lowest are taken: the same after a change of the suite; where the code of one is gone, the next one instead.

Each is tried with the tests that execute its line or render its template, which a run with probes in their
places finds. One that no test executes stands at import, and is tried with the tests of its room.
"""
