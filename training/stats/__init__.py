"""What is computed over an account's workouts, from the aggregates in the rows of WorkoutExercise.

`windows` has the totals of a window and the streak at its end (API), `weeks` what each week of one adds up to
(texts of tools), `calendar` the days, streaks and months of a time zone (screens), `records` the personal
records, `best_sets` what the best set of an exercise is on screens, `marks` which workouts have beaten all
before, `charts` the points of progress, and `history` the last sessions with exercises, and which exercises
the account has done.
"""

from training.stats.best_sets import (
    JUST_DONE,
    SessionRow,
    best_of_exercise,
    best_set,
    best_set_on_screens,
    best_sets_before,
)
from training.stats.calendar import local_streak_days, months_of_history, session_days, totals_of_months
from training.stats.charts import Point, progress
from training.stats.history import (
    ESTIMATED_1RM,
    last_sessions,
    recent_sessions,
    sets_since,
    summary,
    trained,
    untrained,
)
from training.stats.marks import Half, personal_record_workouts, workouts_with_records
from training.stats.records import (
    PersonalRecord,
    beat_others,
    best_sessions,
    best_sessions_with,
    best_sets_by_exercise,
    new_personal_records,
    newest_personal_records,
    personal_record,
    personal_records,
    personal_records_in,
    sessions_found,
)
from training.stats.weeks import Week, weeks
from training.stats.windows import Totals, streak_days, totals
