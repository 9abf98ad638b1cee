"""Room on the stack of a thread for the frames of what it runs.

CPython keeps frames in chunks of 16 KB, and before 3.13.13 returns a chunk to the system when its first frame
ends. Where a call in a loop is that frame, each round takes and returns memory: the home page took up to 1.8
times its CPU, and a quarter more on average of all depths (python/cpython, issue 142183).
"""

import sys
from collections.abc import Callable

# Of the stack of one frame: 136 KB, for which CPython takes a chunk of 256 KB. Later frames have the rest.
SLOTS = 17_000


def give_room(function: Callable[..., object]) -> None:
    """Makes the frame of a function need a large chunk; what it calls then finds room there until it ends."""
    if sys.version_info < (3, 13, 13):
        function.__code__ = function.__code__.replace(co_stacksize=SLOTS)
