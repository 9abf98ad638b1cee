// Elements and texts of the pages.

function h(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (value !== false && value !== null) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== false && child !== undefined));
  return element;
}

const fill = (...children) =>
  document.getElementById("page").replaceChildren(...children.flat().filter(Boolean));

const POUND = 0.45359237; // kg

// What a result has for this page beside its data, see mcp_endpoint/ui/pages.py.
const extrasOf = (result) => result._meta?.["fitness/page"] ?? { units: "kg" };

const inUnit = (kg, units) => Math.round((units === "lb" ? kg / POUND : kg) * 10) / 10;
const weightText = (kg, units) => `${inUnit(kg, units).toLocaleString("en")} ${units}`;
const setText = ({ weight_kg: kg, reps }, units) => (kg ? `${inUnit(kg, units)} × ${reps}` : `${reps} reps`);

// Days of the service are days in UTC.
const dayText = (time) =>
  new Date(time).toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });

// The first text of a result says what went wrong, or everything where a page has nothing to draw.
const sentenceOf = (result) => result.content?.find((block) => block.type === "text")?.text ?? "";

// The page where there is nothing to draw: what the tool says.
const fillWithSentence = (result) => fill(h("h1", {}, document.title), h("p", { role: "status" }, sentenceOf(result)));

const notice = (result) =>
  (result.structuredContent?.notices ?? []).map((sentence) => h("p", { class: "notice" }, sentence));

// A button that calls a tool. `done(result)` draws what has come of it; a refusal stands beside the button.
function button(label, name, args, done) {
  const problem = h("span", { role: "alert", class: "problem" });
  const press = async ({ currentTarget }) => {
    currentTarget.disabled = true;
    problem.textContent = "";
    try {
      const result = await host.call(name, args);
      if (!result.isError) return done(result);
      problem.textContent = sentenceOf(result);
    } catch (error) {
      problem.textContent = `Not done: ${error.message}`;
    }
    currentTarget.disabled = false;
  };
  return [h("button", { type: "button", click: press }, label), problem];
}
