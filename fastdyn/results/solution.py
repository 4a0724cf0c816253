"""What `integrate` leaves: times, states, events, how it ended and what it took."""

from .outcome import Outcome


class Solution(Outcome):
    """A finished or stopped run of a system of the user's own; arrays have one row per stored sample.

    Attributes
    ----------
    t, y : times, (samples, n) states.
    events : structured array (time, event, direction), direction -1 falling, 1 rising, 2 brought to rest.
    event_names : names of the events by their number.
    status : a number of fastdyn.status; `ok` when the run came to its end, to a terminal event or to rest.
    message : what the status means, and where the run stopped.
    failure : the exception a function of the user raised, or None; `check` raises from it.
    stats : steps, rejected steps, evaluations and what else the stepper counts.
    seconds : on the clock, kernels ready.
    stepper, settings : its name, and its settings by name.
    checkpoint : the state of everything at the end; `integrate(rate, t_end=..., start=checkpoint)` goes on from there.
    """

    def __init__(self, t, y, events, event_names, *, status, failure, where, stats, seconds, stepper, settings,
                 checkpoint):
        self.t, self.y, self.events, self.event_names = t, y, events, tuple(event_names)
        self.status, self.failure, self.where, self.stats, self.seconds = status, failure, where, stats, seconds
        self.stepper, self.settings, self.checkpoint = stepper, settings, checkpoint

    def __repr__(self):
        return f"<Solution of {self.y.shape[1]} components: {len(self.t)} samples, {self.message}>"
