"""`live_view`: a chain as it moves now, or a run that is played, in three dimensions in a browser (extra `view`).

What is drawn comes from stage.py; viser serves it to any browser and keeps what was last drawn for those that come
later. A chain is drawn by the one who asks for it, a run by a thread of its own.
"""

import socket
import threading
import time
from contextlib import suppress

import numpy as np

from ..control import needed
from ..describe.chain import Chain
from ..describe.check import positive, shown, whole
from ..kinds import KINDS, kind_of
from ..results.run import Run
from ..run.asking import numbers, states
from ..status import ModelError
from .ground import EARTH
from .page import GRID, INK
from .panel import COLOURS
from .player import quaternions
from .skeleton import VIEW
from .stage import Shape, Stage, of_run, shape_of

FIRST_PORT = 8080
HERE = "127.0.0.1"
PICTURES = 60.0                                             # a second, while a run is played
SPEEDS = ("0.01", "0.03", "0.1", "0.3", "1", "3", "10")
LONGEST = 0.28                                              # of the size: the arrow of the greatest force
THIN, DOT, FAR = 0.008, 0.015, 1.1                          # of the size: lines, joints, how far away one stands


def live_view(system, *, port: int | None = None, host: str = HERE, magnify: float | None = None):
    """Show a chain, or play a run, in a browser at `url` until it is closed (with the extra `view`).

    Parameters
    ----------
    system : Chain, which `show(q)` then draws wherever it is; or a run of any system that `fastdyn view` plays.
    port : where the page is; the first free one from 8080 if not given, 0 any free one.
    host : who may look: this machine alone, or "0.0.0.0", everybody who reaches it.
    magnify : factor of the deflections; of a run None takes one that shows them.

    Returns
    -------
    LiveChain or LiveRun. As a context manager it closes at the end.

    Examples
    --------
    ::

        tick = fd.ticker(arm, dt=1/60)
        with fd.live_view(arm) as view:
            print(view.url)                                 # open it in a browser
            while not tick.stopped:
                q, v = tick(controller(tick.q, tick.v))
                view.show(q)
    """
    magnify = None if magnify is None else positive(magnify, "magnify", "")
    if isinstance(system, Chain):
        q, v = system.start_state()
        stage = of_run(Run(system, np.zeros(1), q[None], v[None]), magnify or 1.0)
        return LiveChain(stage, port, host, system, magnify or 1.0)
    if getattr(system, "kind", None) not in KINDS:
        raise ModelError(f"system is {shown(system)}; give a Chain, or a run")
    return LiveRun(kind_of(system).stage(system, magnify), port, host)


class Live:
    """A page in the browser with a scene in it.

    url : where it is. server : viser's, to add what you like. nodes : its nodes by name: links, joints, points, forces.
    """

    def __init__(self, stage: Stage, port, host):
        viser = needed("viser", "viser", "view")
        port = _free(port, host)
        self.stage, self.nodes = stage, {}
        self.server = viser.ViserServer(host=host, port=port, label=f"{stage.name} · fastdyn", verbose=False)
        self.url = f"http://{host}:{self.server.get_port()}"
        self._set_up()
        self._draw(stage.shape(0))

    def close(self):
        """Stop the server; pages that show it stay as they are."""
        self.server.stop()

    def wait(self):
        """Stay until the process is interrupted (Ctrl-C)."""
        with suppress(KeyboardInterrupt):
            threading.Event().wait()

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.close()

    def _set_up(self):
        """What stands still: grounds, the base, where one looks from."""
        stage, scene, size = self.stage, self.server.scene, self.stage.size
        middle = (stage.low + stage.high)/2
        lowest = np.where(np.array(list("xyz")) == stage.up, stage.low, middle)
        up = np.array([float(axis == stage.up) for axis in "xyz"])
        floors = stage.grounds or (() if stage.planar else ((up, lowest),))
        for k, (normal, point) in enumerate(floors):
            normal = np.array(normal, float)
            foot = middle - normal*((middle - np.array(point, float)) @ normal)
            colour = rgb(EARTH if stage.grounds else GRID)
            scene.add_grid(f"/ground{k + 1}", width=4*size, height=4*size, cell_size=size/8, section_size=size/2,
                           cell_color=colour, section_color=colour, position=foot, wxyz=quaternions(across(normal)))
        scene.set_up_direction(f"+{stage.up}")
        away = np.cross(*VIEW) if stage.up == "z" else np.roll(np.cross(*VIEW), -1)
        away = np.array([0.15, 0.2, 1.0]) if stage.planar else away
        camera = self.server.initial_camera
        camera.position, camera.look_at, camera.up = middle + FAR*size*away/np.linalg.norm(away), middle, up
        self._put("base", stage.seats, lambda name, points: scene.add_point_cloud(
            name, points, rgb(INK), point_size=1.5*DOT*size, precision="float32"))

    def _draw(self, shape: Shape):
        scene, size = self.server.scene, self.stage.size
        with self.server.atomic():
            self._put("links", pieces(shape.lines), lambda name, points: scene.add_line_segments(
                name, points, rgb(COLOURS[0]), thickness=THIN*size))
            for what, places, colour in (("joints", shape.joints, INK), ("points", shape.points, COLOURS[1])):
                self._put(what, finite(places), lambda name, points, colour=colour: scene.add_point_cloud(
                    name, points, rgb(colour), point_size=DOT*size, point_shape="circle", precision="float32"))
            arrows = np.stack([shape.points, shape.points + LONGEST*size/(self.stage.hardest or 1.0)*shape.forces], 1)
            self._put("forces", finite(arrows[np.any(shape.forces != 0.0, axis=1)]), lambda name, points:
                      scene.add_arrows(name, points, rgb(COLOURS[1]), shaft_radius=0.6*THIN*size,
                                       head_radius=1.5*THIN*size, head_length=4*THIN*size))

    def _put(self, what, points, add):
        """Points of a node, made when there is something of it for the first time."""
        node = self.nodes.get(what)
        if len(points) and node is None:
            self.nodes[what] = add(f"/{what}", np.asarray(points, np.float32))
        elif len(points):
            node.points, node.visible = points, True
        elif node is not None:
            node.visible = False


class LiveChain(Live):
    """A chain where it was last shown; `live_view` makes it."""

    def __init__(self, stage, port, host, chain, magnify):
        self._chain, self._magnify = chain, magnify
        super().__init__(stage, port, host)

    def show(self, q):
        """Draw the chain at q. Some hundred microseconds for a few links; browsers get 60 pictures a second at most."""
        q, _ = states(self._chain, q)
        self._draw(shape_of(self._chain, q, self._magnify))


class LiveRun(Live):
    """A run that is played, over and over; `live_view` makes it. t : s, of the sample that is shown."""

    def __init__(self, stage, port, host):
        super().__init__(stage, port, host)
        self.t, self._shown, self._over = float(stage.t[0]), 0, threading.Event()
        first, last = float(stage.t[0]), float(stage.t[-1])
        gui = self.server.gui
        self.playing = gui.add_checkbox("play", initial_value=True)
        self.speed = gui.add_dropdown("speed", SPEEDS, initial_value="1")
        self.slider = gui.add_slider("t, s", min=first, max=max(last, first + 1e-9),
                                     step=max((last - first)/1000, 1e-12), initial_value=first)
        self.slider.on_update(self._moved)
        self._thread = threading.Thread(target=self._play, daemon=True)
        self._thread.start()

    def at(self, t):
        """Show the last sample that is not later than t, s."""
        t = float(numbers(t, (), "t"))
        row = max(0, int(np.searchsorted(self.stage.t, t, side="right")) - 1)
        self.t = float(self.stage.t[row])
        if row != self._shown:
            self._shown = row
            self._draw(self.stage.shape(row))

    def close(self):
        self._over.set()
        self._thread.join()
        super().close()

    def _moved(self, event):
        if event.client_id is not None:                     # by somebody, not by the thread that plays
            self.at(self.slider.value)

    def _play(self):
        first, last = float(self.stage.t[0]), float(self.stage.t[-1])
        at, before = first, time.perf_counter()
        while not self._over.wait(1.0/PICTURES):
            now = time.perf_counter()
            passed, before = now - before, now
            if not self.playing.value:
                at = self.slider.value
                continue
            at = self.slider.value if abs(self.slider.value - at) > self.slider.step else at
            at = at + passed*float(self.speed.value)
            at = first if at > last else at
            self.at(at)
            self.slider.value = at


def _free(port, host):
    """A port of this machine on which nobody listens."""
    wanted = 0 if port is None else whole(port, "port", least=0, most=65535)
    try:
        with socket.socket() as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind((host, wanted))
    except OSError as wrong:
        if not wanted:
            raise ModelError(f"host is {shown(host)}, which is no address of this machine; leave it out") from None
        raise ModelError(f"port {wanted} cannot be had ({wrong.strerror}); leave it out, and a free one is "
                         "taken") from None
    return FIRST_PORT if port is None else wanted


def pieces(line):
    """(n, 2, 3): the straight pieces of a line that is broken by rows of NaN."""
    return finite(np.stack([line[:-1], line[1:]], axis=1))


def finite(places):
    """Those all of whose numbers are."""
    return places[np.isfinite(places).all(axis=tuple(range(1, places.ndim)))]


def across(normal):
    """(3, 3): axes whose third is the normal."""
    least = np.eye(3)[np.argmin(np.abs(normal))]
    first = np.cross(least, normal)
    first = first/np.linalg.norm(first)
    return np.column_stack([first, np.cross(normal, first), normal])


def rgb(colour):
    """Three numbers of 0 to 255 of "#rrggbb"."""
    return tuple(bytes.fromhex(colour.removeprefix("#")))
