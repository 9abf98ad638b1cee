// log_workout: what was saved, and the way back. After that the same can be saved again.

function row({ name, sets }, units) {
  const texts = sets.map((set) => `${setText(set, units)}${set.type === "warmup" ? " w" : ""}`);
  return h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, texts.join(", ")));
}

host.show(function draw(result, given) {
  const workout = result.structuredContent;
  if (result.isError || !workout) return fillWithSentence(result);
  const { units, buttons = {} } = extrasOf(result);
  const undone = (answer) =>
    fill(
      h("h1", {}, document.title),
      h("p", { role: "status" }, sentenceOf(answer)),
      h("p", {}, button("Save it again", "log_workout", given, (saved) => draw(saved, given))),
    );
  fill(
    h("h1", {}, workout.title || "Workout"),
    h("p", {}, `${dayText(workout.started_at)} · ${weightText(workout.volume_kg, units)}`),
    notice(result),
    h("table", {}, h("tbody", {}, workout.exercises.map((exercise) => row(exercise, units)))),
    buttons.undo && h("p", {}, button("Undo", "press_button", { button: buttons.undo }, undone)),
  );
});
