from training.forms.planned import PlanForm, RoutineForm
from training.forms.workout import WorkoutForm

__all__ = ["PlanForm", "RoutineForm", "WorkoutForm"]
