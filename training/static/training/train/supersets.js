// Exercises that share a superset are done in turn: a set of each, then the rest.

import { arranged, doneSets, editExercise, exerciseOf, newUid, reorder, shown, undoneSets } from "./state.js";

// The exercises of its superset, or it alone.
export const membersOf = (document, uid) =>
  arranged(document).find((group) => group.some((exercise) => exercise.uid === uid));

const doneRounds = (exercise) => doneSets(exercise).filter((set) => set.type !== "warmup").length;

// The first of those with the fewest rounds done that has a set left; undefined where none has.
export function nextOf(exercises) {
  const left = exercises.filter((exercise) => undoneSets(exercise).length);
  const fewest = Math.min(...left.map(doneRounds));
  return left.find((exercise) => doneRounds(exercise) === fewest);
}

// What follows a set that is done now: the uid of the exercise whose turn it is, undefined where no set is
// left, and whether the rest comes first. Warm-ups are done without the others.
export function turnAfter(document, uid, setUid) {
  const group = membersOf(document, uid);
  const place = group.findIndex((exercise) => exercise.uid === uid);
  const exercise = group[place];
  const { type } = exercise.sets.find((set) => set.uid === setUid);
  if (type === "warmup" && undoneSets(exercise).length) return { next: uid, isRest: true };
  const next = nextOf([...group.slice(place + 1), ...group.slice(0, place + 1)]);
  const isRoundOver = !next || doneRounds(next) >= doneRounds(exercise);
  return { next: next?.uid, isRest: isRoundOver || exercise.rests_in_superset };
}

const isJoined = (document, uid) => membersOf(document, uid).length > 1;

// A superset of one is none.
function withoutLone(document, id, now) {
  const left = shown(document.exercises).filter((exercise) => exercise.superset_id === id);
  if (!id || left.length !== 1) return document;
  return editExercise(document, left[0].uid, { superset_id: null }, now);
}

function moveTo(document, uid, id, now) {
  const { superset_id: before } = exerciseOf(document, uid);
  return withoutLone(editExercise(document, uid, { superset_id: id }, now), before, now);
}

// The other exercise joins the superset of this one, or this one that of the other.
function join(document, uid, other, now) {
  const [host, guest] = !isJoined(document, uid) && isJoined(document, other) ? [other, uid] : [uid, other];
  const id = isJoined(document, host) ? exerciseOf(document, host).superset_id : newUid();
  const joined = moveTo(moveTo(document, host, id, now), guest, id, now);
  return reorder(joined, arranged(joined).flat(), now);
}

// Joins another exercise with this one, or takes it out of their superset.
export function toggleSuperset(document, uid, other, now) {
  const isOneOfThem = membersOf(document, uid).some((exercise) => exercise.uid === other);
  return isOneOfThem ? moveTo(document, other, null, now) : join(document, uid, other, now);
}
