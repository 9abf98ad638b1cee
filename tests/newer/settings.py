from fitness.settings import *  # noqa: F403

MIGRATION_MODULES = {"body": "tests.newer.body"}
