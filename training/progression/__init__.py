"""Plans that adapt: how a target follows what was lifted. Pure functions, without models and databases."""

from training.progression.loading import Loading, default_increment_kg, loading_of
from training.progression.targets import State, Target

__all__ = ["Loading", "State", "Target", "default_increment_kg", "loading_of"]
