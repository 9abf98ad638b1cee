from training.web.forms.planned import PlanForm, RoutineForm
from training.web.forms.workout import WorkoutForm
