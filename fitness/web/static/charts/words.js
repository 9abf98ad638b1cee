// Values and days in the words of the server: fitness/web/charts.py and fitness/web/days.py write the same.

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const NUMBER = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });

// Times are those of the clock on the reader's wall, as if its zone was UTC.
const date = (time) => new Date(time * 1000);

export function dayOfMonth(time) {
  return `${date(time).getUTCDate()} ${MONTHS[date(time).getUTCMonth()]}`;
}

export function monthOrYear(time) {
  const month = date(time).getUTCMonth();
  return month ? MONTHS[month] : String(date(time).getUTCFullYear());
}

// The values at one time, as in "2 Mar 2026: Weighed 82.4 kg, Trend 82.1 kg".
export function reading({ times, series, unit }, index) {
  const time = times[index];
  const values = series.filter((one) => one.values[index] !== null).map((one) => {
    const name = series.length > 1 ? `${one.name} ` : "";
    const record = one.marked.includes(time) ? " (record)" : "";
    const value = one.values[index];
    const word = value === 1 && unit === "reps" ? "rep" : unit;
    return `${name}${NUMBER.format(value)} ${word}`.trim() + record;
  });
  return `${dayOfMonth(time)} ${date(time).getUTCFullYear()}: ${values.join(", ")}`;
}

