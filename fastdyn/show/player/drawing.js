// One picture of the chain on the canvas.

const canvas = document.getElementById("scene"), pen = canvas.getContext("2d");
const LONGEST = 0.24;                                       // of the height: arrow of the hardest contact
const FEW = 80, NAMED = 6;                                  // joints with dots, arrows with words
let paint = {};

function readColours() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["paper", "ink", "soft", "link", "joint", "chord", "force", "earth", "edge", "grid"]) {
    paint[name] = style.getPropertyValue("--" + name).trim();
  }
}

// As many device pixels as the screen has.
function fitCanvas(element, brush) {
  const ratio = window.devicePixelRatio || 1, width = element.clientWidth, height = element.clientHeight;
  if (element.width !== Math.round(width*ratio) || element.height !== Math.round(height*ratio)) {
    element.width = Math.round(width*ratio);
    element.height = Math.round(height*ratio);
  }
  brush.setTransform(ratio, 0, 0, ratio, 0, 0);
  return [width, height];
}

function draw(t, {magnify, forces, follow, since}) {
  [camera.width, camera.height] = fitCanvas(canvas, pen);
  pen.fillStyle = paint.paper;
  pen.fillRect(0, 0, camera.width, camera.height);
  const shape = shapeAt(t, magnify);
  camera.target = follow && shape.middle.every(isFinite) ? shape.middle : run.middle;
  const project = projection();
  planar ? drawPlaneGround(project) : drawSpaceGround(project);
  if (planar) drawScale(); else drawAxes();
  const straight = run.modes && magnify !== 1 ? shapeAt(t, 0).lines : [];
  pen.setLineDash([5, 5]);
  straight.forEach(line => stroke(line.map(project), paint.chord, 1.2));
  pen.setLineDash([]);
  shape.edges.forEach(edge => stroke(edge.map(project), paint.soft, 1.6));
  planar ? shape.lines.forEach(line => stroke(line.map(project), paint.link, 3)) : drawSorted(shape.lines, project);
  if (shape.joints.length <= FEW) shape.joints.forEach(joint => dot2(project(joint), paint.joint, 3.4));
  run.base.forEach(seat => drawSeat(project(seat)));
  if (forces) {
    const acting = forcesAt(t, since);
    acting.forEach(({force, at, passed}) => arrow(project, at, force, passed ? 0.55 : 1, acting.length <= NAMED));
  }
}

function stroke(line, colour, width, ends = "round") {
  pen.beginPath();
  let down = false;
  for (const [x, y, near] of line) {
    if (!(near > 0) || !isFinite(x + y)) { down = false; continue; }
    down ? pen.lineTo(x, y) : pen.moveTo(x, y);
    down = true;
  }
  pen.strokeStyle = colour;
  pen.lineWidth = width;
  pen.lineJoin = "round";
  pen.lineCap = ends;
  pen.stroke();
}

// Pieces of lines in space, the far ones first, thinner and paler the farther they are.
function drawSorted(lines, project) {
  const pieces = [];
  for (const line of lines) {
    const seen = line.map(project);
    for (let i = 1; i < seen.length; i++) {
      if (seen[i - 1][2] > 0 && seen[i][2] > 0) pieces.push([seen[i - 1], seen[i], (seen[i - 1][2] + seen[i][2])/2]);
    }
  }
  pieces.sort((a, b) => a[2] - b[2]);
  for (const [a, b, near] of pieces) {
    stroke([a, b], paint.paper, Math.min(6.5*near, 12), "butt");   // a rim, so that crossing links are told apart
    pen.globalAlpha = Math.min(1, 0.25 + 0.75*near);
    stroke([a, b], paint.link, Math.min(4*near, 9));
    pen.globalAlpha = 1;
  }
}

function dot2([x, y, near], colour, radius) {
  if (!(near > 0) || !isFinite(x + y)) return;
  pen.beginPath();
  pen.arc(x, y, Math.min(radius*Math.sqrt(near), 7), 0, 7);
  pen.fillStyle = colour;
  pen.fill();
}

function drawSeat([x, y, near]) {
  if (!(near > 0)) return;
  pen.fillStyle = paint.edge;
  pen.fillRect(x - 6, y - 6, 12, 12);
}

function arrow(project, at, force, alpha, named) {
  const size = Math.hypot(...force);
  if (!(size > 0.004*hardest)) return;
  const length = LONGEST*camera.height/scale()*size/hardest;     // m, at the target
  const tip = project(at.map((x, c) => x + length*force[c]/size)), foot = project(at);
  const [dx, dy] = [tip[0] - foot[0], tip[1] - foot[1]], long = Math.hypot(dx, dy);
  if (!(long > 1) || !(tip[2] > 0) || !(foot[2] > 0)) return;
  const head = Math.min(11, long), u = [dx/long, dy/long];
  pen.globalAlpha = alpha;
  stroke([foot, [tip[0] - 0.7*head*u[0], tip[1] - 0.7*head*u[1], 1]], paint.force, 2.6);
  pen.beginPath();
  pen.moveTo(tip[0], tip[1]);
  for (const side of [0.42, -0.42]) pen.lineTo(tip[0] - head*(u[0] - side*u[1]), tip[1] - head*(u[1] + side*u[0]));
  pen.fillStyle = paint.force;
  pen.fill();
  if (named) label(size >= 1000 ? `${(size/1000).toPrecision(3)} kN` : `${size.toPrecision(3)} N`, tip[0] + 9, tip[1] + 4);
  pen.globalAlpha = 1;
}

function drawPlaneGround(project) {
  const reach = 2*(camera.width + camera.height)/scale() + run.size;
  for (const {normal: [nx, ny], point: [px, py]} of run.grounds) {
    const along = (camera.target[0] - px)*ny - (camera.target[1] - py)*nx;  // below what is looked at
    const foot = [px + along*ny, py - along*nx];
    const ends = [-reach, reach].map(s => project([foot[0] + s*ny, foot[1] - s*nx, 0]));
    const deep = [reach, -reach].map(s => project([foot[0] + s*ny - reach*nx, foot[1] - s*nx - reach*ny, 0]));
    pen.beginPath();
    [...ends, ...deep].forEach(([x, y], i) => i ? pen.lineTo(x, y) : pen.moveTo(x, y));
    pen.fillStyle = paint.earth;
    pen.fill();
    stroke(ends, paint.edge, 2);
  }
}

// A grid on each ground; without ground one at the height of the lowest place, to see the depth.
function drawSpaceGround(project) {
  const up = run.up === "y" ? [0, 1, 0] : [0, 0, 1];
  const floors = run.grounds.length ? run.grounds : [{normal: up, point: run.lowest}];
  const [step] = roundLength(run.size/8);
  for (const {normal, point, near = run.middle} of floors) {
    const gap = dot(near.map((x, c) => x - point[c]), normal), foot = near.map((x, c) => x - gap*normal[c]);
    const helper = Math.abs(normal[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
    const a = unit(cross(normal, helper)), b = cross(normal, a), half = 5*step;
    for (let k = -5; k <= 5; k++) {
      for (const [u, w] of [[a, b], [b, a]]) {
        const line = [-1, -0.5, 0, 0.5, 1].map(s => project(foot.map((x, c) => x + k*step*u[c] + s*half*w[c])));
        stroke(line, run.grounds.length ? paint.edge : paint.grid, 1);
      }
    }
  }
}

const cross = (a, b) => [a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]];
const unit = a => a.map(x => x/(Math.hypot(...a) || 1));

// 1, 2 or 5 times a power of ten, not above a length, and its words.
function roundLength(most) {
  const power = 10**Math.floor(Math.log10(most));
  const length = [5, 2, 1].map(s => s*power).find(s => s <= most*(1 + 1e-9)) || power;
  const [unit, size] = length >= 1000 ? ["km", 1e3] : length >= 1 ? ["m", 1] : length >= 0.01 ? ["cm", 0.01] : ["mm", 0.001];
  return [length, `${+(length/size).toPrecision(3)} ${unit}`];
}

function drawScale() {
  const [length, words] = roundLength(0.25*camera.width/scale()), x = 16, y = camera.height - 16;
  stroke([[x, y - 5, 1], [x, y, 1], [x + length*scale(), y, 1], [x + length*scale(), y - 5, 1]], paint.soft, 1.5);
  label(words, x + 6, y - 7);
}

function drawAxes() {
  const [right, up] = axes(), x = 44, y = camera.height - 44;
  ["x", "y", "z"].forEach((name, c) => {
    const tip = [x + 28*right[c], y - 28*up[c], 1];
    stroke([[x, y, 1], tip], paint.soft, 1.5);
    label(name, x + 38*right[c] - 3, y - 38*up[c] + 4);
  });
}

function label(words, x, y) {
  pen.font = "12px system-ui, Arial, sans-serif";
  pen.fillStyle = paint.soft;
  pen.fillText(words, x, y);
}
