"""What is computed over an account's workouts, from the aggregates in the rows of WorkoutExercise.

`records` has the best sets of exercises and which of them were records, `history` what was done with an
exercise, and `periods` what windows, weeks, months and days add up to.
"""

from training.stats.history import (
    COMPARED,
    WINDOW_DAYS,
    WINDOWS,
    Best,
    LiftOfYear,
    Point,
    TrainedRow,
    best_times,
    last_sessions,
    lifts_of_year,
    longest_sessions,
    longest_sets,
    progress,
    recent_best_sets,
    recent_sessions,
    summary,
    trained,
    trained_rows,
    untrained,
    window_days,
)
from training.stats.periods import (
    GroupOfWeek,
    LocalWeek,
    Totals,
    UtcWeek,
    local_streak_days,
    local_streak_weeks,
    local_weeks,
    months_of_history,
    session_days,
    sets_of_week,
    totals,
    totals_of_months,
    utc_weeks,
)
from training.stats.records import (
    BestOfSession,
    Half,
    LiftRecord,
    PersonalRecord,
    SessionRow,
    best_sessions,
    best_sessions_with,
    best_set,
    best_sets_before,
    best_sets_by_exercise,
    lift_records,
    new_personal_records,
    newest_personal_records,
    personal_record,
    personal_record_workouts,
    personal_records,
    personal_records_in,
    workouts_with_records,
)
