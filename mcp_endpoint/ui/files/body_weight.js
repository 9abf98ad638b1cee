// get_body_metrics: the last weight of each day, and the trend in them.

host.show((result) => {
  const { units, trend = [] } = extrasOf(result);
  const points = trend.map(({ day, weight_kg: kg, trend_kg: trendKg }) => ({
    time: Date.parse(day) / 1000,
    values: [inUnit(kg, units), inUnit(trendKg, units)],
    text: `${dayText(day)}: ${weightText(kg, units)}, trend ${weightText(trendKg, units)}`,
  }));
  if (!points.length) return fillWithSentence(result);
  chart(`Body weight, ${units}`, points, [{ label: "Weight", dots: true }, { label: "Trend" }]);
});
