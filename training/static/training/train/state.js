// What can be done to the document of a workout. Each function returns a new document and stamps the elements
// that it changed with `now`, the server's time as a text.

import { NOTED, isTimed } from "./fields.js";

const byOrder = (one, other) => one.order - other.order || (one.uid < other.uid ? -1 : 1);

// Exercises or sets that were not removed, in their order.
export const shown = (elements) => elements.filter((element) => !element.removed_at).sort(byOrder);

export const newUid = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

// A change of an element is later than the one before it, also where another device's clock was ahead.
function stamp(now, previous) {
  return now > previous ? now : new Date(Date.parse(previous) + 1).toISOString();
}

const changed = (element, values, now) => ({
  ...element,
  ...values,
  changed_at: stamp(now, element.changed_at),
});

const mapExercise = (document, uid, change) => ({
  ...document,
  exercises: document.exercises.map((exercise) => (exercise.uid === uid ? change(exercise) : exercise)),
});

const mapSets = (document, exerciseUid, change) =>
  mapExercise(document, exerciseUid, (exercise) => ({
    ...exercise,
    sets: exercise.sets.map(change),
  }));

// The exercises in their order as groups: those of a superset, where its first one is, or one alone.
export function arranged(document) {
  const groups = new Map();
  for (const exercise of shown(document.exercises)) {
    const { superset_id: id, uid } = exercise;
    const key = id ? `superset ${id}` : `exercise ${uid}`;
    groups.set(key, [...(groups.get(key) ?? []), exercise]);
  }
  return [...groups.values()];
}

export const exerciseOf = (document, uid) => document.exercises.find((exercise) => exercise.uid === uid);

export const editHead = (document, values, now) => changed(document, values, now);

export const editExercise = (document, uid, values, now) =>
  mapExercise(document, uid, (exercise) => changed(exercise, values, now));

export const editSet = (document, exerciseUid, setUid, values, now) =>
  mapSets(document, exerciseUid, (set) => (set.uid === setUid ? changed(set, values, now) : set));

// --- Sets -------------------------------------------------------------------------------------------

export const tick = (document, exerciseUid, setUid, isDone, now) =>
  editSet(document, exerciseUid, setUid, { done_at: isDone ? now : null }, now);

// The sets below of the same type that are not done get the values too, as far as the `target` asks for the same.
// Repetitions go on to sets of as many: those of a pyramid or of warm-ups stay apart, and so does an open set, of which
// they are to be found out.
export function carry(document, exerciseUid, setUid, values, now, target = null) {
  const exercise = exerciseOf(document, exerciseUid);
  const sets = shown(exercise.sets);
  const asked = askedOf(exercise, target);
  const start = sets.findIndex((set) => set.uid === setUid);
  const line = ({ uid }) => asked.get(uid)?.line;
  const isLike = (set) => set.type === sets[start].type && line(set) === line(sets[start]);
  const isOther = ({ uid, reps }) => "reps" in values && (asked.get(uid)?.open || reps !== sets[start].reps);
  const follows = (set) => !set.done_at && isLike(set) && !isOther(set);
  const uids = new Set([
    setUid,
    ...sets
      .slice(start + 1)
      .filter(follows)
      .map((set) => set.uid),
  ]);
  const differs = (set) => Object.entries(values).some(([name, value]) => set[name] !== value);
  const isChanged = (set) => uids.has(set.uid) && differs(set);
  return mapSets(document, exerciseUid, (set) => (isChanged(set) ? changed(set, values, now) : set));
}

// The values of a name that the sets of an exercise had in an earlier document.
export function restore(document, earlier, exerciseUid, name, now) {
  const values = new Map(exerciseOf(earlier, exerciseUid)?.sets.map((set) => [set.uid, set[name]]));
  const isOther = (set) => values.has(set.uid) && values.get(set.uid) !== set[name];
  return mapSets(document, exerciseUid, (set) =>
    isOther(set) ? changed(set, { [name]: values.get(set.uid) }, now) : set,
  );
}

const nothingNoted = Object.fromEntries(NOTED.map(({ name }) => [name, null]));

const newSet = (values, order, now) => ({
  uid: newUid(),
  type: "working",
  weight_kg: null,
  reps: null,
  seconds: null,
  distance_km: null,
  ...values,
  order,
  ...nothingNoted,
  done_at: null,
  changed_at: now,
  removed_at: null,
});

const copied = ({ type, weight_kg = null, reps = null, seconds = null, distance_km = null }, order, now) =>
  newSet({ type, weight_kg, reps, seconds, distance_km }, order, now);

// A set like the one above it, which most sets are.
export const addSet = (document, exerciseUid, now) =>
  mapExercise(document, exerciseUid, (exercise) => {
    const last = shown(exercise.sets).at(-1);
    const set = last ? copied(last, last.order + 1, now) : newSet({}, 0, now);
    return { ...exercise, sets: [...exercise.sets, set] };
  });

// Adds sets with uids and orders of their own. One that was there and was removed comes back.
export const putSets = (document, exerciseUid, sets, now) =>
  mapExercise(document, exerciseUid, (exercise) => {
    const before = new Map(exercise.sets.map((set) => [set.uid, set]));
    const others = exercise.sets.filter(({ uid }) => sets.every((set) => set.uid !== uid));
    const put = ({ order, ...values }) => {
      const old = before.get(values.uid);
      const made = newSet(values, order, now);
      return old ? changed(old, made, now) : made;
    };
    return { ...exercise, sets: [...others, ...sets.map(put)] };
  });

export const removeSet = (document, exerciseUid, setUid, now) =>
  editSet(document, exerciseUid, setUid, { removed_at: now }, now);

// --- Exercises --------------------------------------------------------------------------------------

// What the server has answered about an exercise of the catalogue.
export const knownContext = ({ exercises }, id) => (Object.hasOwn(exercises, id) ? exercises[id] : undefined);

const WITHOUT_CONTEXT = {
  muscle_group: "",
  equipment: "",
  measures: ["reps"],
  target: null,
  sessions: [],
  best: null,
};

// What is known about an exercise; one of another device, added while this one is offline, has no more than
// its id.
export const contextOf = (record, exercise) =>
  knownContext(record, exercise.exercise_id) ?? {
    ...WITHOUT_CONTEXT,
    name: exercise.exercise_id.replaceAll("-", " "),
  };

// What is asked of this exercise alone, else what the routine or plan asks for of all its cards.
export const targetOf = (record, exercise) =>
  record.targets[exercise.uid] ?? contextOf(record, exercise).target;

// What a target asks of each working set, by its uid: {line, reps, open}. Sets that somebody has added belong to the
// last line. One that was removed keeps its place, so that the others keep theirs.
export function askedOf(exercise, target) {
  const lines = target?.lines ?? [target].filter(Boolean);
  const wanted = lines.flatMap(({ sets, reps, open }, line) =>
    Array.from({ length: sets }, (_, place) => ({ line, reps, open: open && place === sets - 1 })),
  );
  const added = { line: lines.length - 1 };
  const working = exercise.sets.filter(counts).sort(byOrder);
  return new Map(working.map(({ uid }, place) => [uid, wanted[place] ?? added]));
}

// As many sets as last time, else as the target asks for, with its numbers; times that are planned come before
// those of last time. A target of 0 kg is one without a weight.
function firstSets(context, now) {
  const { sessions, target, measures } = context;
  const [measure] = measures; // that of last time
  if (measure !== "reps") {
    const timed = target?.times ?? sessions[0]?.timed ?? [];
    const count = (!target?.times && timed.length) || target?.sets || (measure === "time" ? 3 : 1);
    const ofSet = (place) => timed[Math.min(place, timed.length - 1)] ?? {};
    return Array.from({ length: count }, (_, order) => newSet(ofSet(order), order, now));
  }
  const last = sessions[0]?.sets.filter((set) => set.completed) ?? [];
  if (last.length) return last.map((set, order) => copied(set, order, now));
  const { reps = null } = target ?? {};
  const weight_kg = target?.weight_kg || (context.is_without_load ? (target?.weight_kg ?? null) : null);
  return Array.from({ length: target?.sets || 3 }, (_, order) => newSet({ weight_kg, reps }, order, now));
}

// `context` is what the server answers for an exercise of the catalogue.
export function addExercise(document, exerciseId, context, now, after = shown(document.exercises).at(-1)) {
  const all = shown(document.exercises);
  const next = all[all.findIndex((exercise) => exercise.uid === after?.uid) + 1];
  const order = after ? (next ? (after.order + next.order) / 2 : after.order + 1) : 0;
  const exercise = {
    uid: newUid(),
    exercise_id: exerciseId,
    order,
    measure: context.measures[0],
    rest_seconds: context.rest_seconds,
    rests_in_superset: context.rests_in_superset,
    setup: context.setup,
    notes: "",
    superset_id: null,
    changed_at: now,
    removed_at: null,
    sets: firstSets(context, now),
  };
  return { ...document, exercises: [...document.exercises, exercise] };
}

// A note that stays with an exercise, in all entries of it.
export const editSetup = (document, exerciseId, setup, now) =>
  shown(document.exercises)
    .filter((exercise) => exercise.exercise_id === exerciseId)
    .reduce((edited, { uid }) => editExercise(edited, uid, { setup }, now), document);

export const removeExercise = (document, uid, now) => editExercise(document, uid, { removed_at: now }, now);

// Another exercise takes the place of this one. Sets that are done stay with the exercise they were done
// with.
export function swapExercise(document, uid, exerciseId, context, now) {
  const old = exerciseOf(document, uid);
  const added = addExercise(document, exerciseId, context, now, old);
  added.exercises.at(-1).superset_id = old.superset_id;
  const sets = shown(old.sets);
  if (!sets.some((set) => set.done_at)) return removeExercise(added, uid, now);
  const isLeft = (set) => !set.done_at && !set.removed_at;
  return mapSets(added, uid, (set) => (isLeft(set) ? changed(set, { removed_at: now }, now) : set));
}

// Gives the exercises the order in which they are listed.
export function reorder(document, exercises, now) {
  const orders = exercises.map(({ order }) => order).sort((one, other) => one - other);
  const areDistinct = new Set(orders).size === orders.length;
  const wanted = exercises.map(({ uid }, place) => [uid, areDistinct ? orders[place] : place]);
  return wanted
    .filter(([uid, order]) => exerciseOf(document, uid).order !== order)
    .reduce((edited, [uid, order]) => editExercise(edited, uid, { order }, now), document);
}

function swapPlaces(list, from, to) {
  if (!list[to]) return false;
  [list[from], list[to]] = [list[to], list[from]];
  return true;
}

// Changes places with the neighbour above (-1) or below (1): in its superset, else with its superset.
export function moveExercise(document, uid, step, now) {
  const groups = arranged(document);
  const at = groups.findIndex((group) => group.some((exercise) => exercise.uid === uid));
  const place = groups[at].findIndex((exercise) => exercise.uid === uid);
  if (!swapPlaces(groups[at], place, place + step)) swapPlaces(groups, at, at + step);
  return reorder(document, groups.flat(), now);
}

// --- Questions --------------------------------------------------------------------------------------

export const isDone = (exercise) => shown(exercise.sets).every((set) => set.done_at);

export const doneSets = (exercise) => shown(exercise.sets).filter((set) => set.done_at);

export const undoneSets = (exercise) => shown(exercise.sets).filter((set) => !set.done_at);

export const counts = (set) => set.type !== "warmup";

// {sets, warmups}: warm-ups are no sets. Of a time or a distance there are none.
export function counted(exercise, sets) {
  const warmups = isTimed(exercise) ? 0 : sets.filter((set) => !counts(set)).length;
  return { sets: sets.length - warmups, warmups };
}

// Sets and warm-ups that are done, and their volume, to which neither warm-ups nor times count.
export function totals(document) {
  const exercises = shown(document.exercises);
  const lifts = exercises.filter((exercise) => !isTimed(exercise)).flatMap(doneSets);
  const done = exercises.map((exercise) => counted(exercise, doneSets(exercise)));
  const sum = (name) => done.reduce((total, one) => total + one[name], 0);
  const volume = lifts.filter(counts).reduce((sum, set) => sum + (set.weight_kg ?? 0) * (set.reps ?? 0), 0);
  return { sets: sum("sets"), warmups: sum("warmups"), volume_kg: volume };
}

const LONG_PAUSE = 3600_000;

// From the start until now, or until the last tick where that is long ago.
export function durationSeconds(document, now) {
  const ticks = shown(document.exercises)
    .flatMap(doneSets)
    .map((set) => Date.parse(set.done_at));
  const last = Math.max(...ticks);
  const isLongAgo = ticks.length && Date.parse(now) - last > LONG_PAUSE;
  const end = isLongAgo ? last : Date.parse(now);
  return Math.max(0, Math.round((end - Date.parse(document.started_at)) / 1000));
}

// Of the sets that count, without attempts of 0 repetitions, the one with the greatest values of these names, the
// first name first, but with the least of the `least` one; null without one.
export function bestSet(sets, names, least) {
  const beats = (set, best) => {
    const more = names.map((name) => ((set[name] ?? 0) - (best[name] ?? 0)) * (name === least ? -1 : 1));
    return more.find(Boolean) > 0;
  };
  const lifted = sets.filter((set) => counts(set) && set.reps !== 0);
  return lifted.reduce((best, set) => (!best || beats(set, best) ? set : best), null);
}

// "A" for the first superset of the workout, whatever its id; null for an exercise of none.
export function supersetName(document, { superset_id: id }) {
  if (!id) return null;
  const ids = [...new Set(shown(document.exercises).map((one) => one.superset_id))].filter(Boolean);
  return letters(ids.indexOf(id));
}

// "A" to "Z", then "AA", as training/web/names.py.
function letters(place) {
  const last = String.fromCharCode("A".charCodeAt(0) + (place % 26));
  return place < 26 ? last : letters(Math.floor(place / 26) - 1) + last;
}

// The numbers of the sets, in their order: warm-ups do not count among the others.
export function setNumbers(sets) {
  const counted = { warmup: 0, working: 0 };
  return sets.map(({ type }) => ++counted[type]);
}

export function setNames(sets) {
  const numbers = setNumbers(sets);
  return sets.map(({ type }, place) => {
    const name = type === "warmup" ? gettext("warm-up %(number)s") : gettext("set %(number)s");
    return interpolate(name, { number: numbers[place] });
  });
}
