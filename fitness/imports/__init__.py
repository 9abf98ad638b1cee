"""Records out of the files of other apps: what every format shares.

A file becomes records in two steps, because some answers come after the file:

1. A `Format` (one module each, in the room of the app whose records it has) reads the rows of a Table into
   Candidates: records as the file writes them. What no answer can mend is refused here.
2. A `Kind` of record (`accounts.imports.kinds`; workout, weight, ...) makes Records of them with the Answers,
   compares these with what the account has, stores them, and takes them back.

`tables` reads bytes into rows, `values` reads numbers, moments and lengths of time, `findings` says what
became of each row. This package knows no app: fitness/site/data brings files, formats and accounts together.
"""
