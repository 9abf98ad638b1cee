from concurrent.futures import ThreadPoolExecutor

from django.contrib.auth.hashers import Argon2PasswordHasher

# At most two hashes are made at once in a process; the others wait. They have two threads of their own,
# because the heap arena of a thread keeps the memory of its hashes: with a semaphore, 8 threads took 150 MB
# more instead of 40.
HASHING = ThreadPoolExecutor(2, thread_name_prefix="hashing")


class PasswordHasher(Argon2PasswordHasher):
    """Argon2id with the parameters of OWASP's Password Storage Cheat Sheet: 19 MiB, two passes, one lane.

    With Django's default parameters a hash takes 100 MiB. Django replaces a hash with other parameters at the
    next sign-in.
    """

    time_cost = 2
    memory_cost = 19 * 1024  # KiB
    parallelism = 1

    def encode(self, password: str, salt: str) -> str:
        return HASHING.submit(super().encode, password, salt).result()

    def verify(self, password: str, encoded: str) -> bool:
        return HASHING.submit(super().verify, password, encoded).result()
