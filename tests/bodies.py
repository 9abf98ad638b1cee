"""Large bodies of which each part differs from the others."""

import random

PIECE = random.Random(4).randbytes(65_536)


def body(size):
    return (PIECE * (size // len(PIECE) + 1))[:size]
