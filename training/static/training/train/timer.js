// The pause between two sets, the sound at its end, and a screen that stays on.

export const STEP_SECONDS = 15;
const LONGEST = 3600;

// `rest` is {ends_at, set}: milliseconds of this device's clock, and the uid of the set that it follows.
export const startRest = (seconds, set, now) => ({ ends_at: now + seconds * 1000, set });

export const moveRest = (rest, seconds) => ({ ...rest, ends_at: rest.ends_at + seconds * 1000 });

export const restSeconds = (rest, now) => Math.max(0, Math.ceil((rest.ends_at - now) / 1000));

export const boundedPause = (seconds) => Math.min(LONGEST, Math.max(STEP_SECONDS, seconds));

let sound;

// Browsers allow sound from a touch on: called at each tick.
export function allowSound() {
  if (!window.AudioContext) return;
  sound ??= new AudioContext();
  sound.resume();
}

export function ring() {
  if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.([200, 100, 200]);
  if (sound?.state !== "running") return;
  for (const start of [0, 0.25, 0.5]) beep(sound.currentTime + start);
}

function beep(at) {
  const tone = sound.createOscillator();
  const volume = sound.createGain();
  tone.frequency.value = 880;
  volume.gain.setValueAtTime(0.3, at);
  volume.gain.exponentialRampToValueAtTime(0.001, at + 0.2);
  tone.connect(volume).connect(sound.destination);
  tone.start(at);
  tone.stop(at + 0.2);
}

let wakeLock = null;

// The browser takes the lock back whenever the page is hidden, and refuses it on a low battery.
export async function keepScreenOn() {
  if (!navigator.wakeLock || document.visibilityState !== "visible" || (wakeLock && !wakeLock.released)) return;
  wakeLock = await navigator.wakeLock.request("screen").catch(() => null);
}
