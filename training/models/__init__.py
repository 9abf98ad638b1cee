"""What is stored of training: the catalogue of exercises, workouts, routines and plans.

Each file begins with what is stored and what is derived from it. The sum of a workout's sets, its volume,
is computed in `sets`.
"""

from training.models.catalogue_change import CatalogueChange
from training.models.draft import TrainingDraft
from training.models.exercise import Exercise
from training.models.exercise_habit import ExerciseHabit
from training.models.exercise_name import ExerciseName
from training.models.pin import ExercisePin
from training.models.plan import Plan
from training.models.progression_step import ProgressionStep
from training.models.routine import Routine
from training.models.workout import Workout
from training.models.workout_exercise import WorkoutExercise
