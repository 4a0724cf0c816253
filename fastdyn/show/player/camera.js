// From world points to pixels: the plane as it is, space in perspective, turned by dragging.

const camera = {zoom: 1, shift: [0, 0], yaw: run.view[0], pitch: run.view[1], target: run.middle.slice(), width: 1, height: 1};
const NEAR = 0.05, AWAY = 2.6;                              // of the size of the motion: nearest sight, distance of the eye

function fit() {
  Object.assign(camera, {zoom: 1, shift: [0, 0], yaw: run.view[0], pitch: run.view[1], target: run.middle.slice()});
}

// Pixels a metre (in space: at the target) when all of the motion is in sight.
function scale() {
  const [w, h] = planar ? run.extent : [0.7*run.size, 0.7*run.size];
  return camera.zoom*0.86*Math.min(camera.width/w, camera.height/h);
}

// The directions right, up and towards the eye.
function axes() {
  const [up, a, b] = run.up === "y" ? [[0, 1, 0], [1, 0, 0], [0, 0, -1]] : [[0, 0, 1], [1, 0, 0], [0, 1, 0]];
  const cy = Math.cos(camera.yaw), sy = Math.sin(camera.yaw), cp = Math.cos(camera.pitch), sp = Math.sin(camera.pitch);
  const right = [0, 1, 2].map(c => cy*a[c] + sy*b[c]), ahead = [0, 1, 2].map(c => cy*b[c] - sy*a[c]);
  return [right, [0, 1, 2].map(c => cp*up[c] + sp*ahead[c]), [0, 1, 2].map(c => sp*up[c] - cp*ahead[c])];
}

const dot = (a, b) => a[0]*b[0] + a[1]*b[1] + a[2]*b[2];

// A function from a world point to [x, y, nearness], nearness 1 at the target, 0 or less behind the eye.
function projection() {
  const s = scale(), cx = camera.width/2 + camera.shift[0], cy = camera.height/2 + camera.shift[1], [tx, ty, tz] = camera.target;
  if (planar) return p => [cx + s*(p[0] - tx), cy - s*(p[1] - ty), 1];
  const [right, up, out] = axes(), eye = AWAY*run.size;
  return p => {
    const d = [p[0] - tx, p[1] - ty, p[2] - tz], depth = (eye - dot(d, out))/eye;
    const near = 1/Math.max(depth, NEAR);
    return [cx + s*near*dot(d, right), cy - s*near*dot(d, up), depth > NEAR ? near : 0];
  };
}

// Dragging pans the plane and turns space (with a second finger, shift or the right button it pans); wheel and pinch zoom.
function steer(canvas, redraw) {
  const fingers = new Map();
  canvas.addEventListener("contextmenu", event => event.preventDefault());
  canvas.addEventListener("pointerdown", event => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, [event.offsetX, event.offsetY]);
  });
  for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, event => fingers.delete(event.pointerId));
  canvas.addEventListener("pointermove", event => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const now = [event.offsetX, event.offsetY], [dx, dy] = [now[0] - before[0], now[1] - before[1]];
    if (fingers.size === 2) {
      const other = [...fingers].find(([id]) => id !== event.pointerId)[1];
      const apart = p => Math.hypot(p[0] - other[0], p[1] - other[1]) || 1;
      zoomAt([(now[0] + other[0])/2, (now[1] + other[1])/2], apart(now)/apart(before));
      camera.shift = [camera.shift[0] + dx/2, camera.shift[1] + dy/2];
    } else if (planar || event.shiftKey || event.buttons === 2) {
      camera.shift = [camera.shift[0] + dx, camera.shift[1] + dy];
    } else {
      camera.yaw -= 0.008*dx;
      camera.pitch = Math.min(Math.max(camera.pitch + 0.008*dy, -1.5), 1.5);
    }
    fingers.set(event.pointerId, now);
    redraw();
  });
  canvas.addEventListener("wheel", event => {
    event.preventDefault();
    zoomAt([event.offsetX, event.offsetY], Math.exp(-0.0012*event.deltaY*(event.deltaMode ? 30 : 1)));
    redraw();
  }, {passive: false});
  canvas.addEventListener("dblclick", () => { fit(); redraw(); });
}

function zoomAt([x, y], factor) {
  const before = camera.zoom;
  camera.zoom = Math.min(Math.max(before*factor, 0.05), 500);
  const grown = camera.zoom/before, from = [camera.width/2, camera.height/2];
  camera.shift = camera.shift.map((shift, c) => (1 - grown)*([x, y][c] - from[c]) + grown*shift);
}
