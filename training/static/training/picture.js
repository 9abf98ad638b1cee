// The picture of a workout: drawn here, then saved, or shared by the phone's own sheet. Nothing is sent anywhere.

const EDGE = 72;
// Those of the light theme, also in the dark one: whoever gets the picture sees it on white.
const [PAGE, SURFACE, INK, MUTED, LINE, ACCENT, RECORD] =
  ["#f6f8f7", "#ffffff", "#14201b", "#586660", "#dfe6e2", "#0b6e54", "#855400"];

const dialog = document.getElementById("picture-dialog");
const canvas = dialog.querySelector("canvas");
const save = dialog.querySelector("[data-save]");
const share = dialog.querySelector("[data-share]");
const pen = canvas.getContext("2d");
const WIDTH = canvas.width - 2 * EDGE;
const fonts = getComputedStyle(document.body).fontFamily;

for (const button of document.querySelectorAll("[data-picture]")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    if (!save.href) make();
    dialog.showModal();
  });
}
dialog.querySelector("[data-close]").addEventListener("click", () => dialog.close());

function make() {
  draw(JSON.parse(document.getElementById("picture").textContent));
  canvas.toBlob((image) => {
    save.href = URL.createObjectURL(image);
    const files = [new File([image], save.download, { type: image.type })];
    share.hidden = !navigator.canShare?.({ files });
    share.onclick = () => navigator.share({ files }).catch(() => {}); // the sheet was closed
  });
}

function draw({ title, day, facts, lifts, more }) {
  box(0, 0, canvas.width, canvas.height, PAGE);
  box(0, 0, canvas.width, 24, ACCENT);
  let y = 128;
  for (const line of lines(title, 64)) {
    text(line, EDGE, y, 64, INK, 700);
    y += 76;
  }
  text(day, EDGE, y - 12, 34, MUTED);
  y += 32;
  let size = 56;
  const widths = () => facts.map(([label, value]) => Math.max(measure(label, 28), measure(value, size, 650)));
  const total = () => widths().reduce((sum, width) => sum + width, 0);
  while (total() > WIDTH - 40 * (facts.length - 1) && size > 24) size--;
  const gap = Math.min(96, (WIDTH - total()) / (facts.length - 1 || 1));
  let x = EDGE;
  widths().forEach((width, index) => {
    const [label, value] = facts[index];
    text(label, x, y + 30, 28, MUTED);
    text(value, x, y + 92, size, value.startsWith("★") ? RECORD : INK, 650);
    x += width + gap;
  });
  y += 128;
  const rows = lifts.length + (more ? 1 : 0);
  const row = Math.min(124, (canvas.height - EDGE - 32 - y) / rows);
  size = Math.min(44, row * 0.52);
  box(EDGE - 32, y, WIDTH + 64, rows * row + 16, SURFACE, 24);
  y += 8;
  lifts.forEach(([name, best, isRecord], index) => {
    const base = y + index * row + row / 2 + size * 0.36;
    if (index) box(EDGE - 32, y + index * row, WIDTH + 64, 2, LINE);
    const used = text(best, EDGE + WIDTH, base, size, INK, 600, WIDTH * 0.5, "right");
    const star = isRecord ? text("★", EDGE, base, size, RECORD) + 12 : 0;
    text(name, EDGE + star, base, size, INK, 500, WIDTH - star - used - 24);
  });
  text(more, EDGE, y + (rows - 0.5) * row + size * 0.36, size, MUTED);
  text("Fitness", EDGE + WIDTH, canvas.height - 36, 28, ACCENT, 650, WIDTH, "right");
}

function box(x, y, width, height, colour, radius = 0) {
  pen.fillStyle = colour;
  pen.beginPath();
  pen.roundRect(x, y, width, height, radius);
  pen.fill();
}

// Smaller, then shortened, where it is wider than `most`. Returns its width.
function text(words, x, y, size, colour, weight = 400, most = WIDTH, align = "left") {
  let fitted = size;
  while (measure(words, fitted, weight) > most && fitted > size * 0.66) fitted--;
  let shown = words;
  while (measure(shown, fitted, weight) > most && shown.length > 1) shown = `${shown.replace(/…$/, "").slice(0, -1)}…`;
  pen.fillStyle = colour;
  pen.textAlign = align;
  pen.fillText(shown, x, y);
  return measure(shown, fitted, weight);
}

function measure(words, size, weight = 400) {
  pen.font = `${weight} ${size}px ${fonts}`;
  return pen.measureText(words).width;
}

// The words of a title in at most two lines.
function lines(title, size) {
  const words = title.split(" ");
  let count = words.length;
  while (count > 1 && measure(words.slice(0, count).join(" "), size, 700) > WIDTH) count--;
  return [words.slice(0, count), words.slice(count)].map((some) => some.join(" ")).filter(Boolean);
}
