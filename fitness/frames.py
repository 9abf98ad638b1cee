"""Room for the frames of requests on the stack of their thread.

CPython keeps frames in chunks of 16 KB, and before 3.13.13 returns a chunk to the system when its first frame
ends. Where a call in a loop is that frame, each round takes and returns memory: the home page took up to 1.8
times its CPU, and a quarter more on average of all depths (python/cpython, issue 142183).
"""

import sys
from concurrent.futures import thread

# Of the stack of one frame: 136 KB, for which CPython takes a chunk of 256 KB. Later frames have the rest.
SLOTS = 17_000


def give_threads_room() -> None:
    """Makes the first frame of a pool's threads, which lasts as long as they do, take a large chunk."""
    if sys.version_info < (3, 13, 13):
        worker = thread._worker  # there is no public hook
        worker.__code__ = worker.__code__.replace(co_stacksize=SLOTS)
