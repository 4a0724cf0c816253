// What the page carries: poses of all links at the samples, modal coordinates, contact points and forces.

const run = JSON.parse(document.getElementById("run").textContent);

function floats(text) {
  const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
  return new Float32Array(bytes.buffer);
}

const times = floats(run.t), poses = floats(run.pose), modal = floats(run.modal);
const points = floats(run.points), touch = floats(run.touch);
const planar = run.planar, wide = planar ? 3 : 7;         // numbers a pose: x y angle, or x y z and a quaternion w x y z
const linkCount = run.links.length, pointCount = run.pointNames.length;
const first = times[0], last = times[times.length - 1];

// The sample before a time and how far the time is on the way to the next one.
function place(t) {
  let low = 0, high = times.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) low = middle; else high = middle;
  }
  if (times.length < 2) return [0, 0, 0];
  const step = times[high] - times[low];
  return [low, high, step > 0 ? Math.min(Math.max((t - times[low])/step, 0), 1) : 0];
}

const mix = (a, b, s) => a + s*(b - a);

// Rows of a link's axes in the world (right, up, out) and its origin at a time, all links in a list.
function framesAt([i, j, s]) {
  const found = [];
  for (let k = 0; k < linkCount; k++) {
    const a = (i*linkCount + k)*wide, b = (j*linkCount + k)*wide;
    if (planar) {
      const angle = mix(poses[a + 2], poses[b + 2], s), c = Math.cos(angle), n = Math.sin(angle);
      found.push({x: [c, n, 0], y: [-n, c, 0], z: [0, 0, 1], o: [mix(poses[a], poses[b], s), mix(poses[a + 1], poses[b + 1], s), 0]});
    } else {
      found.push(turned(a, b, s));
    }
  }
  return found;
}

function turned(a, b, s) {
  const q = [3, 4, 5, 6].map(c => poses[a + c]), p = [3, 4, 5, 6].map(c => poses[b + c]);
  const sign = q[0]*p[0] + q[1]*p[1] + q[2]*p[2] + q[3]*p[3] < 0 ? -1 : 1;
  let [w, x, y, z] = q.map((value, c) => mix(value, sign*p[c], s));
  const size = Math.hypot(w, x, y, z) || 1;
  w /= size; x /= size; y /= size; z /= size;
  return {
    x: [1 - 2*(y*y + z*z), 2*(x*y + w*z), 2*(x*z - w*y)],
    y: [2*(x*y - w*z), 1 - 2*(x*x + z*z), 2*(y*z + w*x)],
    z: [2*(x*z + w*y), 2*(y*z - w*x), 1 - 2*(x*x + y*y)],
    o: [0, 1, 2].map(c => mix(poses[a + c], poses[b + c], s)),
  };
}

const inWorld = (f, [x, y, z]) => [0, 1, 2].map(c => f.o[c] + x*f.x[c] + y*f.y[c] + z*f.z[c]);

// The line of a link in the world; what it bends beside the chord between its ends is magnified.
function lineOf(k, frame, [i, j, s], magnify) {
  const link = run.links[k];
  if (!link.modes) return link.end.some(x => x !== 0) ? [frame.o, inWorld(frame, link.end)] : [];
  const {places, W} = run.shapes[link.shape], at = link.modalAt, end = places.length - 1;
  const w = places.map((_, c) => {
    let sum = 0;
    for (let m = 0; m < link.modes; m++) {
      sum += W[m][c]*mix(modal[i*run.modes + at + m], modal[j*run.modes + at + m], s);
    }
    return sum;
  });
  return places.map((eta, c) => {
    const chord = eta/places[end]*w[end];
    return inWorld(frame, [eta, chord + magnify*(w[c] - chord), 0]);
  });
}

// The same of an arm that carries the lines of its links as world points (a link has run.lineCounts of them).
const outline = run.lines ? floats(run.lines) : null, inAll = run.lines ? run.lineCounts.reduce((a, b) => a + b, 0) : 0;

function outlineAt(t, magnify) {
  const [i, j, s] = place(t), lines = [], joints = [];
  let from = 0;
  for (const count of run.lineCounts) {
    const line = Array.from({length: count}, (_, p) => {
      const a = 3*(i*inAll + from + p), b = 3*(j*inAll + from + p);
      return [0, 1, 2].map(c => mix(outline[a + c], outline[b + c], s));
    });
    const start = line[0], end = line[count - 1];
    lines.push(line.map((point, p) => point.map((x, c) => {
      const chord = mix(start[c], end[c], p/(count - 1));
      return chord + magnify*(x - chord);
    })));
    joints.push(start);
    from += count;
  }
  joints.push(lines[lines.length - 1][run.lineCounts[run.lineCounts.length - 1] - 1]);
  const ends = lines.slice(0, -1).map((line, k) => [line[line.length - 1], joints[k + 1]]);      // offsets of joints
  lines.push(...ends);
  return {lines, edges: [], joints, middle: [0, 1, 2].map(c => joints.reduce((sum, o) => sum + o[c], 0)/joints.length)};
}

// Lines (lists of world points), edges of bodies and joints of the whole chain at a time.
function shapeAt(t, magnify) {
  if (outline) return outlineAt(t, magnify);
  const at = place(t), frames = framesAt(at), lines = [], edges = [], ends = [], joints = frames.map(f => f.o);
  run.links.forEach((link, k) => {
    const line = lineOf(k, frames[k], at, magnify);
    ends.push(line.length ? line[line.length - 1] : frames[k].o);
    if (line.length) lines.push(line);
    link.box.forEach(edge => edges.push(edge.map(corner => inWorld(frames[k], corner))));
    let seat = link.seat;                                   // where the joint sits on the parent, or on the base
    if (link.parent >= 0) {
      seat = link.atTip ? ends[link.parent] : inWorld(frames[link.parent], link.seat);
      if (link.offLine) lines.push([frames[link.parent].o, seat]);
    }
    if (seat && Math.hypot(...seat.map((x, c) => x - frames[k].o[c])) > 1e-6*run.size) lines.push([seat, frames[k].o]);
  });
  const middle = [0, 1, 2].map(c => joints.reduce((sum, o) => sum + o[c], 0)/joints.length);
  return {lines, edges, joints: [...joints, ...ends.filter((_, k) => run.links[k].freeTip)], middle};
}

function pointAt(p, t) {
  const [i, j, s] = place(t), a = (i*pointCount + p)*3, b = (j*pointCount + p)*3;
  return [0, 1, 2].map(c => mix(points[a + c], points[b + c], s));
}

// touch: (time since the start of the contact, normal force, friction) a row, or time and the force as a world vector;
// a contact has its rows from..to.
const row = run.vectors ? 4 : 3, nothing = [0, 0, 0, 0];
const contacts = run.contacts.map(contact => ({...contact, end: contact.end === null ? Infinity : contact.end}));
const hardest = contacts.reduce((most, c) => Math.max(most, c.most), 0);

function forceAt(contact, t) {
  const since = t - contact.start, {from, to} = contact;    // zero at the start, and at the end of a closed contact
  let low = from - 1, high = to;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (touch[row*middle] <= since) low = middle; else high = middle;
  }
  const before = low < from ? nothing : touch.subarray(row*low, row*low + row);
  const open = contact.end === Infinity;
  const after = high < to ? touch.subarray(row*high, row*high + row) : open ? before : [contact.end - contact.start, 0, 0, 0];
  const s = after[0] > before[0] ? Math.min(Math.max((since - before[0])/(after[0] - before[0]), 0), 1) : 0;
  if (run.vectors) return [1, 2, 3].map(c => mix(before[c], after[c], s));
  return inWorldOf(contact.ground, mix(before[1], after[1], s), mix(before[2], after[2], s));
}

function inWorldOf(ground, normal, friction) {
  const n = run.grounds[ground].normal;                     // in the plane friction is along the normal turned clockwise
  return planar ? [normal*n[0] + friction*n[1], normal*n[1] - friction*n[0], 0] : n.map(x => normal*x);
}

// Arrows to show at a time: the forces that act, and for a moment those of contacts passed since `since`.
function forcesAt(t, since) {
  const found = [];
  for (const contact of contacts) {
    if (contact.start <= t && t < contact.end) {
      found.push({contact, force: forceAt(contact, t), at: pointAt(contact.point, t)});
    } else if (since !== null && contact.start <= t && contact.end > since) {
      found.push({contact, force: forceAt(contact, contact.peak), at: pointAt(contact.point, contact.peak), passed: true});
    }
  }
  return found;
}
