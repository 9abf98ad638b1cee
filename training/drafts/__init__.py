"""Workouts that are under way: what the page /train keeps, and how it becomes a workout.

1. `start` makes the document of a new one: from a routine, a day of a plan, an earlier workout, or empty.
   Weights and repetitions are what a rule of the plan asks for, else those of the last session with the
   exercise, else what is planned.
2. The page sends its whole document a second after each change. training/models/draft.py has its shape,
   and there `merged` brings it together with what other devices have sent.
3. training/web/train/finishing.py makes the workout: once, under the id of the draft, however often and from
   wherever the page asks for it.
4. `context` is what the page shows beside the document: names, targets, the last sessions.

Example of a failure: a phone without a connection finishes the workout that a tablet has finished meanwhile.
Step 3 stores nothing, and the response names the sets that only the phone has.
"""
