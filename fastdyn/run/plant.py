"""A chain as a stepper sees it: kernels, a handle, and a state that has contacts and works behind q and v."""

import numpy as np

from .._address import handle_of
from .._jit import ready
from ..formulations import contacts, hybrid, minimal, projection, rates, sticking
from ..formulations.watching import acting, watching
from ..layout import GAP, LOG, LOGGED, RTOL, WORKS, held_exactly, in_plane, work_of
from ..results.ledger import ledger_of
from ..results.resting import notes_on_contacts, notes_on_creeping
from ..results.run import not_conserved_by
from ..results.tables import WORK_COLUMNS
from ..status import ModelError
from ..steppers.driver import settle_once
from ..steppers.outside import right_hand_side
from .assembly import check_closed, check_kept, check_near
from .branches import check_way, of_action
from .happenings import NO_LINES, Happenings, is_event
from .mobility import LARGE, notes_on_closures
from .ringing import notes_on_ringing
from .upright import notes_on_turns

LINES = 4096                                            # of the log, at least


class Plant:
    """What is integrated.

    Parameters
    ----------
    chain : Chain.
    formulation : name, and how many numbers of Work.dense it needs.
    calls : Callbacks.
    second_order : whether the stepper takes q and v alone: then works are not counted, and nothing can meet a ground.
    takes_forces : whether it takes the forces of springs in closures as unknowns.
    closures : how those that are held exactly are.
    """

    def __init__(self, chain, formulation, dense, calls, second_order=False, takes_forces=False,
                 closures=rates.MULTIPLIERS):
        self.chain, model = chain, chain.model
        self.contacts, self.events = len(model.contact), len(calls.watch)
        conserved = not not_conserved_by(chain)
        self.ledger = not (conserved or second_order)
        self.works = WORKS if self.ledger else 0 if conserved else None     # numbers of a state; None: not counted
        self.formulation, self.held = formulation, held_exactly(model)
        self.own = contacts.FUNCTIONS*self.contacts     # switching functions before those of the user
        lines = max(LINES, 4*contacts.LINES*self.contacts) if self.contacts else 0
        dense += minimal.dense_size(model) if self.held and closures == rates.MINIMAL else 0
        self.sticky = sticking.grips(model)
        grip = sticking.grip_size(model, chain.nq) if self.sticky else 0
        self.rate = rates.rate(model, formulation, chain.drive is not None, self.ledger, closures)
        addresses = calls.drive, calls.functions.ctypes.data, calls.actions.ctypes.data

        def own_work():
            """(Work, the handle that a rate is asked with): an action asks while the run's own are busy."""
            work = work_of(model, dense=dense, log=lines, grip=grip)
            return work, handle_of(model, work, chain.nq, *addresses, self.rate if self.sticky else None)

        self._own_work, (self.work, self.handle) = own_work, own_work()
        calls.check_way = self.check_way_after
        self.forces = rates.sprung_gaps(model) if takes_forces else 0
        self.watch = ([GAP] + [0]*(contacts.FUNCTIONS - 1))*self.contacts + calls.watch
        self.lines, self.touching, self.said, self.idle = [], ({}, NO_LINES), (), ()

    @property
    def kernels(self):
        """Those besides the rate, by their names for a Course, and how many forces one of them takes."""
        return self._own_kernels | (self._of_forces if self.forces else {})

    @property
    def _of_forces(self):
        model = self.chain.model
        pulled = rates.rate_when_pulled(model, self.formulation, self.chain.drive is not None, self.ledger)
        return {"forces": self.forces, "pulled": pulled, "slopes": rates.pull_slopes(model)}

    @property
    def _own_kernels(self):
        if self.contacts:
            gaps, switch, settle = hybrid.kernels_for(self.chain.model, self.events, self.ledger)
            return {"settle": ready(settle), "gaps": gaps, "switch": switch}
        model = self.chain.model
        settle = ready(projection.settle(model)) if self.held else rates.settle(model)
        kernels = {"settle": settle}
        watched = {"gaps": watching(self.events, rates.turns_balls(model)), "switch": acting} if self.events else {}
        return kernels | watched

    def start(self, qv):
        """The whole state at the start, nothing touching; refused where a point is in the ground already."""
        y = np.zeros(rates.state_size(self.chain.model, self.chain.nq, self.ledger))
        y[:len(qv)] = qv
        if self.contacts:
            self._check_gaps(y)
        if self.held:
            given = np.split(qv, [self.chain.nq])
            check_closed(self.chain, *given, when=" at the start")
            self.close(y[None])
            check_kept(self.chain, y[:self.chain.nq].copy())
            check_near(self.chain, given, np.split(y[:len(qv)], [self.chain.nq]))
            self.idle = projection.idle_gaps(self.chain.model, self.work)
            self.said = notes_on_closures(self.chain, y[:self.chain.nq].copy(), self.idle)
        return y

    def check_way(self, t, y):
        """Refuse a start in a singular pose that does not say where it goes; whether it goes at all, as elsewhere."""
        if not self.idle or self.chain.nv > LARGE:
            return True
        return self._check_way(t, y, self.handle)

    def check_way_after(self, t, q, v):
        """The same of an action that leaves gaps idle; what touches a ground counts as it does in flight."""
        if self.chain.nv > LARGE:
            return
        y = np.zeros(rates.state_size(self.chain.model, self.chain.nq, self.ledger))
        y[:len(q) + len(v)] = *q, *v
        _, handle = self._own_work()
        self._check_way(t, y, handle, of_action)

    def _check_way(self, t, y, handle, *sentence):
        q, v = (part[0] for part in self.split(y[None])[:2])
        acc = self.split(right_hand_side(self.rate, handle)(t, y)[None])[1][0]
        return check_way(self.chain, q, v, acc, *sentence)

    @property
    def sides(self):
        """Of the functions of contacts at the start: points are above their ground; one that falls from it touches."""
        return ([1] + [0]*(contacts.FUNCTIONS - 1))*self.contacts

    def _check_gaps(self, y):
        gaps = np.empty(self.own + self.events)
        one = y[None]
        out = self._contact_samples(one)[0]
        for k, (point, ground) in enumerate(self.chain.contact_pairs):
            plane = self.chain.grounds[ground]
            gaps[k] = np.dot(plane.normal, out[k, :3]) - np.dot(plane.normal, plane.point)
            if gaps[k] < 0.0:
                name = self.chain.contact_points[point][1]
                raise ModelError(f'point "{name}" is {-gaps[k]:.6g} m inside ground[{ground}] at the start; a contact '
                                 "begins with an impact: lift the chain, or lower the ground")

    def close(self, rows):
        """Take states, also those between steps, onto the closures that are held exactly, in place."""
        if self.held:
            nq, nv = self.chain.nq, self.chain.nv
            q, v = rows[:, :nq].copy(), rows[:, nq:nq + nv].copy()
            project = ready(projection.project_states(self.chain.model))
            project(self.chain.model, self.work, q, v, np.empty((1, nq)))
            rows[:, :nq], rows[:, nq:nq + nv] = q, v

    def tolerance(self, atol):
        """atol of q and v; errors of contacts and works do not count."""
        full = np.full(rates.state_size(self.chain.model, self.chain.nq, self.ledger), np.inf)
        full[:self.chain.nq + self.chain.nv] = atol
        return full

    def drain(self):
        """Take the lines of the log; they are given back too."""
        lines = self.work.note[LOGGED]
        self.lines.append(self.work.log[:LOG*lines].reshape(lines, LOG).copy())
        self.work.note[LOGGED] = 0
        return self.lines[-1]

    @property
    def log(self):
        """All lines so far."""
        return np.concatenate([NO_LINES, *self.lines])

    def split(self, rows):
        """(q, v, touch, works) of states; works is None where nobody counts them."""
        nq, nv = self.chain.nq, self.chain.nv
        end = nq + nv + rates.contact_numbers(self.chain.model)
        q, v, touch, works = rows[:, :nq], rows[:, nq:nq + nv], rows[:, nq + nv:nq + nv + self.contacts], rows[:, end:]
        return q, v, touch, works if self.works else None

    def at_points(self, rows, times=None):
        """(points, velocities, forces), each (samples, points, 3), world axes, of stored states; times: 0 s if None."""
        points, velocities, forces = np.zeros((3, len(rows), len(self.chain.contact_points), 3))
        if self.contacts:
            found = self._contact_samples(rows, times)
            for k, (point, _) in enumerate(self.chain.contact_pairs):
                points[:, point], velocities[:, point] = found[:, k, :3], found[:, k, 3:6]
                forces[:, point] += found[:, k, 6:]
        return points, velocities, forces

    def results(self, at, rows, times, what, names):
        """What a Run is made with besides q and v: events, contacts, points, forces, ledger.

        Parameters
        ----------
        at, rows : stored states and their times; times, what : events as the steppers tell them.
        names : of the user's events.
        """
        q, v, _, works = self.split(rows)
        ledger = ledger_of(self.chain, q, v, known=self.works is not None)
        for name, column in zip(WORK_COLUMNS, [] if works is None else works.T):
            ledger[name] = column
        points, velocities, forces = self.at_points(rows, at)
        return {"ledger": ledger, "points": points, "point_velocities": velocities, "forces": forces,
                **self.names(names), **self.happenings().all(times, what, self.log)}

    def notes(self, q, results, stepping, steps):
        """Sentences on what a run with these coordinates and results, its stepper as it is, ought to be read with."""
        tables = results["point_names"], results["contacts"], results["touching"]
        crept = self.chain.nq + self.chain.nv + 2*self.contacts
        creeping = stepping.y[crept:crept + self.contacts] > 0.0 if self.sticky else ()
        return (*self.said, *notes_on_contacts(self.chain, *tables, steps, stepping.clock),
                *notes_on_creeping(self.chain, results["point_names"], creeping),
                *notes_on_turns(self.chain, q),
                *notes_on_ringing(self.chain, q, results["ledger"], stepping.setting[RTOL]))

    def names(self, events):
        """Names of a Run: of events, those of the user first, and of points."""
        points, several = [point.name for point in self.chain.contact_points], len(self.chain.grounds) > 1
        meeting = [points[point] + (f" on ground[{ground}]" if several else "")
                   for point, ground in self.chain.contact_pairs]
        return {"event_names": [*events, *meeting], "point_names": points}

    def told(self, what):
        """How many events there are in pieces off the tape."""
        return sum(np.count_nonzero(is_event(piece, self.own)) for piece in what)

    def happenings(self):
        """What turns the notes of this run into rows."""
        return Happenings(self.chain, self.events, *self.touching)

    def go_on(self, course):
        """Note what touches where a run goes on."""
        touch = self.split(course.y[None])[2][0]
        if np.any(touch > 0.0):
            ready(settle_once)(course.parts, course.handle, course.t, course.y, course.stepping.rate[:course.n].copy())
            self.drain()
            self.touching = {k: speed for k, speed in enumerate(touch.tolist()) if speed > 0.0}, self.lines.pop()

    def _contact_samples(self, rows, times=None):
        model, out = self.chain.model, np.empty((len(rows), contacts.SAMPLE*self.contacts))
        if self.sticky:
            at = np.zeros(len(rows)) if times is None else np.ascontiguousarray(times)
            ready(hybrid.samples_of_sticking)(self.handle, at, np.ascontiguousarray(rows), out)
        else:
            q, v, touch, _ = map(np.ascontiguousarray, self.split(rows))
            ready(contacts.contacts(in_plane(model)).contact_samples)(model, self.work, q, v, touch, out)
        return out.reshape(len(rows), self.contacts, contacts.SAMPLE)
