"""What staff edit and see of training: the catalogue, and the records of accounts."""

from training.admin.exercise import ExerciseAdmin
from training.admin.records import PlanAdmin, RoutineAdmin, WorkoutAdmin
