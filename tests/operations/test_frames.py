"""Loops deep in the stack of a thread take no memory from the system in each of their rounds."""

import resource
from concurrent.futures import ThreadPoolExecutor, thread

from fitness.frames import give_room

ROUNDS = 1_000
DEPTHS = 400  # of frames of 100 bytes and more: over two of the chunks that CPython takes without room


def test_a_thread_of_a_pool_has_room_for_its_frames(monkeypatch):
    worker = thread._worker
    monkeypatch.setattr(worker, "__code__", worker.__code__)  # puts it back
    give_room(worker)
    with ThreadPoolExecutor(max_workers=1) as pool:
        assert pool.submit(faults_at_all_depths).result() < ROUNDS


def faults_at_all_depths():
    return sum(at_depth(depth, faults_of_a_loop) for depth in range(DEPTHS))


def at_depth(depth, call):
    return at_depth(depth - 1, call) if depth else call()


def faults_of_a_loop():
    """The pages of memory that the system gave while a loop called a function."""
    before = page_faults()
    for _ in range(ROUNDS):
        nothing()
    return page_faults() - before


def page_faults():
    return resource.getrusage(resource.RUSAGE_THREAD).ru_minflt


def nothing():
    pass
