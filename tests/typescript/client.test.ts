// A client with types from the OpenAPI document, used with a running server. `api.ts` and `examples.ts`
// are generated: if their types are wrong, this file does not compile.

import assert from "node:assert/strict";
import { test } from "node:test";
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";
import * as examples from "./examples.js";

type Schemas = components["schemas"];

const client = createClient<paths>({
  baseUrl: `${process.env["SERVER"]}/api/v1`,
  headers: { Authorization: `Bearer ${process.env["KEY"]}` },
});

/** The data of a response. Fails with the error of the service, if there is one. */
function stored<Data>(response: { data?: Data; error?: Schemas["ApiError"] }): Data {
  assert.equal(response.error, undefined);
  assert(response.data !== undefined);
  return response.data;
}

test("the example of the document can be logged, read and replaced", async () => {
  const workout = stored(await client.POST("/workouts", { body: examples.log_workout }));
  assert.deepEqual([workout.title, workout.volume_kg], [examples.log_workout.title, 1000]);
  const path = { workout_id: workout.id };
  assert.deepEqual(stored(await client.GET("/workouts/{workout_id}", { params: { path } })), workout);
  const body = { ...workout, title: "Corrected" };
  const corrected = stored(await client.PUT("/workouts/{workout_id}", { params: { path }, body }));
  assert.deepEqual([corrected.title, corrected.exercises], ["Corrected", workout.exercises]);
});

test("an error has typed details", async () => {
  const sets = [{ weight_kg: 100, reps: 5 }, { weight_kg: 100, reps: -1 }];
  const body = { ...examples.log_workout, exercises: [{ exercise_id: "barbell-bench-press", sets }] };
  const { error, response } = await client.POST("/workouts", { body });
  assert.equal(response.status, 400);
  const apiError: Schemas["ApiError"] | undefined = error;
  assert.equal(apiError?.error.code, "invalid_request");
  assert.deepEqual(apiError?.error.details.map(({ path }) => path), ["body.exercises[0].sets[1].reps"]);
});

test("a list is read page by page", async () => {
  const logged: string[] = [];
  for (const weight_kg of [82.4, 82.1, 81.9]) {
    logged.unshift(stored(await client.POST("/body/weight", { body: { weight_kg } })).id);
  }
  const listed: string[] = [];
  let cursor: string | null = null;
  do {
    const query: { limit: number; cursor?: string } = { limit: 2, ...(cursor === null ? {} : { cursor }) };
    const page: Schemas["WeightPage"] = stored(await client.GET("/body/weight", { params: { query } }));
    listed.push(...page.weight.map(({ id }) => id));
    cursor = page.next_cursor;
  } while (cursor !== null);
  assert.deepEqual(listed, logged);
});

test("a PATCH of one field does not change the others", async () => {
  const log = stored(await client.POST("/body/weight", { body: examples.log_weight }));
  const body: Schemas["PatchedWeightLogRequest"] = { weight_kg: 81.5 };
  const params = { path: { weight_id: log.id } };
  const changed = stored(await client.PATCH("/body/weight/{weight_id}", { params, body }));
  assert.deepEqual(changed, { ...log, weight_kg: 81.5 });
  assert.equal(changed.notes, "Before breakfast.");
});

test("an enum has the same type in a query and in a response", async () => {
  const muscle_group: Schemas["MuscleGroup"] = "Core";
  const query = { muscle_group, limit: 3 };
  const page = stored(await client.GET("/exercises", { params: { query } }));
  assert.deepEqual(page.exercises.map((exercise) => exercise.muscle_group), ["Core", "Core", "Core"]);
});

test("requests that the service would reject do not compile", () => {
  // @ts-expect-error: a set needs repetitions
  const without_reps: Schemas["WorkoutSetRequest"] = { weight_kg: 100 };
  // @ts-expect-error: there is no such group
  const wrong_group: Schemas["MuscleGroup"] = "Calves";
  // @ts-expect-error: a POST of a workout needs a body
  const without_body = () => client.POST("/workouts", {});
  assert.ok(without_reps && wrong_group && without_body);
});
