from training.models.exercise import Exercise
from training.models.plan import Plan
from training.models.routine import Routine
from training.models.workout import Workout, WorkoutExercise

__all__ = ["Exercise", "Plan", "Routine", "Workout", "WorkoutExercise"]
