// Values and days in the words of the server: fitness/web/charts.py and fitness/web/days.py write the same.

const { lang } = document.documentElement;
const NUMBER = new Intl.NumberFormat(lang, { maximumFractionDigits: 2 });

// Times are those of the clock on the reader's wall, as if its zone was UTC. English dates begin with the day, and have
// three letters of each month.
function formatter(parts) {
  const isEnglish = lang === "en";
  const { format } = new Intl.DateTimeFormat(isEnglish ? "en-GB" : lang, { ...parts, timeZone: "UTC" });
  return (time) => (isEnglish ? format(time * 1000).replace("Sept", "Sep") : format(time * 1000));
}

const MONTH = { month: "short" };
const DAY = { day: "numeric", ...MONTH };

const month = formatter(MONTH);
const year = formatter({ year: "numeric" });
const day = formatter({ ...DAY, year: "numeric" });

export const dayOfMonth = formatter(DAY);

export const monthOrYear = (time) => (new Date(time * 1000).getUTCMonth() ? month(time) : year(time));

// The values at one time, as in "2 Mar 2026: Weighed 82.4 kg, Trend 82.1 kg".
export function reading({ times, series, unit }, index) {
  const time = times[index];
  const values = series.filter((one) => one.values[index] !== null).map((one) => {
    const name = series.length > 1 ? `${one.name} ` : "";
    const text = `${name}${quantity(one.values[index], unit)}`;
    return one.marked.includes(time) ? interpolate(gettext("%(value)s (record)"), { value: text }) : text;
  });
  return interpolate(gettext("%(day)s: %(values)s"), { day: day(time), values: values.join(", ") });
}

function quantity(value, unit) {
  const count = NUMBER.format(value);
  if (unit === "reps") return interpolate(ngettext("%(count)s rep", "%(count)s reps", value), { count });
  return `${count} ${unit}`.trim();
}

