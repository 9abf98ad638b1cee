// Merges two documents of one workout. The server does the same: the later change of an element wins, of
// equals the second document's, and an element or a field that one side alone has stays.

const later = (one, other) =>
  one.changed_at > other.changed_at ? { ...other, ...one } : { ...one, ...other };

function union(ones, others, both) {
  const rest = new Map(others.map((element) => [element.uid, element]));
  const merged = ones.map((one) => {
    const other = rest.get(one.uid);
    rest.delete(one.uid);
    return other ? both(one, other) : one;
  });
  return [...merged, ...rest.values()];
}

const mergeExercises = (one, other) => ({ ...later(one, other), sets: union(one.sets, other.sets, later) });

export function merge(document, stored) {
  return {
    ...later(document, stored),
    exercises: union(document.exercises, stored.exercises, mergeExercises),
  };
}
