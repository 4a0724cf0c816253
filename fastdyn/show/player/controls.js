// Play, pause, scrub, speed, keys: what time it is and what is shown of it.

const by = id => document.getElementById(id);
const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];
const FACTORS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
const FADE = 350;                                           // ms that a contact stays in sight after it has passed
let now = first, playing = false, clock = 0, flashes = [], waiting = false;

function show() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(stamp => { waiting = false; tick(stamp); });
}

function tick(stamp) {
  let since = null;
  if (playing) {
    const before = now;
    now = Math.min(before + Math.min(stamp - clock, 100)/1000*speed(), last);
    clock = stamp;
    flashes = flashes.filter(([until]) => until > stamp);
    if (now > before) flashes.push([stamp + FADE, before]);
    since = flashes.length ? flashes[0][1] : null;
    if (now >= last) pause();
  }
  by("time").textContent = `t = ${(now + run.t0).toFixed(decimals)} s`;
  by("scrub").value = now;
  by("scrub").setAttribute("aria-valuetext", by("time").textContent);
  const begun = contacts.filter(c => c.start <= now).length;
  by("state").textContent = contacts.length ? `${begun} of ${contacts.length} contacts` : "";
  draw(now, {magnify: +by("magnify").value, forces: by("forces").checked, follow: by("follow").checked, since});
  if (playing) show();
}

const decimals = Math.min(Math.max(4 - Math.floor(Math.log10(last - first || 1)), 2), 9);
const speed = () => +by("speed").value;

function play() {
  if (now >= last) now = first;
  playing = true;
  clock = performance.now();
  flashes = [];
  by("play").textContent = "❚❚";
  by("play").setAttribute("aria-label", "Pause");
  show();
}

function pause() {
  playing = false;
  flashes = [];
  by("play").textContent = "▶";
  by("play").setAttribute("aria-label", "Play");
}

function go(t) {
  now = Math.min(Math.max(t, first), last);
  flashes = [];
  show();
}

function step(count) {
  pause();
  const [low, high, share] = place(now);
  const at = share >= 1 ? high : share > 0 && count < 0 ? low + 1 : low;
  go(times[Math.min(Math.max(at + count, 0), times.length - 1)]);
}

// To the greatest force of the contact before or after now.
function toContact(direction) {
  pause();
  const peaks = contacts.map(c => c.peak).sort((a, b) => a - b), apart = 1e-6*(last - first);
  const found = direction > 0 ? peaks.find(t => t > now + apart) : peaks.reverse().find(t => t < now - apart);
  if (found !== undefined) go(found);
}

function choose(select, direction) {
  select.selectedIndex = Math.min(Math.max(select.selectedIndex + direction, 0), select.options.length - 1);
  show();
}

const KEYS = {
  " ": () => playing ? pause() : play(),
  "ArrowLeft": event => step(event.shiftKey ? -10 : -1), "ArrowRight": event => step(event.shiftKey ? 10 : 1),
  "ArrowUp": () => choose(by("speed"), 1), "ArrowDown": () => choose(by("speed"), -1),
  "Home": () => go(first), "End": () => { pause(); go(last); },
  "n": () => toContact(1), "p": () => toContact(-1),
  "+": () => choose(by("magnify"), 1), "-": () => choose(by("magnify"), -1),
  "f": () => by("forces").click(), "0": () => { fit(); show(); },
};

document.addEventListener("keydown", event => {
  const key = KEYS[event.key], target = event.target;
  if (!key || event.ctrlKey || event.altKey || event.metaKey) return;
  if (target.tagName === "SELECT" && event.key !== " ") return;
  if (target.tagName === "BUTTON" && event.key === " " && target.id !== "play") return;
  if (target.type === "checkbox" && event.key === " ") return;
  event.preventDefault();
  key(event);
});
document.addEventListener("keyup", event => {               // a button would take the space as a click as well
  if (event.key === " " && event.target.id === "play") event.preventDefault();
});

function fill(select, values, words, chosen) {
  for (const value of values) select.add(new Option(words(value), value, false, value === chosen));
}

function drawMarks() {
  const marks = by("marks"), brush = marks.getContext("2d"), [width, height] = fitCanvas(marks, brush);
  brush.clearRect(0, 0, width, height);
  brush.fillStyle = paint.force;
  for (const {start, end, most} of contacts) {
    const x = (start - first)/(last - first)*width, long = (Math.min(end, last) - start)/(last - first)*width;
    brush.globalAlpha = 0.35 + 0.65*most/hardest;
    brush.fillRect(x, 2, Math.max(long, 1.5), height - 4);
  }
}

const slow = contacts.length ? 0.1 : 1;                     // contacts are over in a wink
fill(by("speed"), SPEEDS, value => `${value}×`, slow);
fill(by("magnify"), [...new Set([...FACTORS, run.magnify])].sort((a, b) => a - b), value => `${value}×`, run.magnify);
Object.assign(by("scrub"), {min: first, max: last > first ? last : first + 1, value: first});
by("magnify-label").hidden = !run.modes;
for (const id of ["forces-label", "previous", "next"]) by(id).hidden = !contacts.length;
by("hint").textContent = planar ? "drag to move, wheel or pinch to zoom" : "drag to turn, shift-drag to move, wheel or pinch to zoom";

by("play").addEventListener("click", () => playing ? pause() : play());
by("back").addEventListener("click", () => step(-1));
by("forth").addEventListener("click", () => step(1));
by("previous").addEventListener("click", () => toContact(-1));
by("next").addEventListener("click", () => toContact(1));
by("reset").addEventListener("click", () => { fit(); show(); });
by("scrub").addEventListener("input", () => go(+by("scrub").value));
for (const id of ["speed", "magnify", "forces", "follow"]) by(id).addEventListener("change", show);

function restyle() { readColours(); drawMarks(); show(); }
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", restyle);
window.addEventListener("resize", restyle);
steer(canvas, show);
restyle();
