// get_exercise_history: the estimated one-rep maximum of each session's best set.

host.show((result) => {
  const { units } = extrasOf(result);
  const { exercise, sessions = [] } = result.structuredContent ?? {};
  const points = sessions
    .filter(({ best_set: best }) => best?.estimated_1rm_kg)
    .map(({ started_at: start, best_set: best }) => ({
      time: Date.parse(start) / 1000,
      values: [inUnit(best.estimated_1rm_kg, units)],
      text: `${dayText(start)}: ${setText(best, units)}, estimated maximum ${weightText(best.estimated_1rm_kg, units)}`,
    }))
    .reverse();
  if (!points.length) return fillWithSentence(result);
  chart(`${exercise.name}: estimated maximum, ${units}`, points, [{ label: "Estimated maximum" }]);
});
