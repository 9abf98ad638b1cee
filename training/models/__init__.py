from training.models.catalogue_change import CatalogueChange
from training.models.exercise import Exercise
from training.models.plan import Plan
from training.models.routine import Routine
from training.models.workout import Workout, WorkoutExercise

__all__ = ["CatalogueChange", "Exercise", "Plan", "Routine", "Workout", "WorkoutExercise"]
