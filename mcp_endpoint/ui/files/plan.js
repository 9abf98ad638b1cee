// create_training_plan: the week as it was saved, with a button to follow it and the way back.

const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

function target({ name, sets, reps, weight_kg: kg }, units) {
  return h("li", {}, `${name} ${sets} × ${reps}${kg ? ` at ${weightText(kg, units)}` : ""}`);
}

function dayOf({ weekday, label, rest, exercises }, units) {
  return h(
    "section",
    { class: rest && "rest" },
    h("h2", {}, `${WEEKDAYS[weekday - 1]} `, h("small", {}, rest ? "Rest" : label)),
    !rest && h("ul", {}, exercises.map((entry) => target(entry, units))),
  );
}

host.show(function draw(result, given) {
  const plan = result.structuredContent;
  if (result.isError || !plan) return fillWithSentence(result);
  const { units, buttons = {} } = extrasOf(result);
  const said = (answer) => h("p", { role: "status" }, sentenceOf(answer));
  const undone = (answer) =>
    fill(
      h("h1", {}, document.title),
      said(answer),
      h("p", {}, button("Save it again", "create_training_plan", given, (saved) => draw(saved, given))),
    );
  const press = (label, name, done) =>
    buttons[name] && h("p", {}, button(label, "press_button", { button: buttons[name] }, done));
  const follow = press("Follow this plan", "follow", (answer) => follow.replaceWith(said(answer)));
  fill(
    h("h1", {}, plan.name, plan.active && h("small", {}, " active")),
    notice(result),
    plan.days.map((day) => dayOf(day, units)),
    follow,
    press("Undo", "undo", undone),
  );
});
