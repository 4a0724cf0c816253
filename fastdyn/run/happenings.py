"""What happened in a run, as the rows of its tables: from what the steppers told of it and what was logged of steps.

The notes of a run may be taken at its end or in pieces while it goes on: the rows are the same.
"""

import numpy as np

from ..formulations.contacts import FUNCTIONS
from ..layout import LOG, LOG_CONTACT, LOG_RATE, LOG_TIME
from ..results.contacts import contact_row, touching_of
from ..results.tables import CONTACT, EVENT

FALLING, RISING = -1, 1
NO_LINES = np.empty((0, LOG))


class Happenings:
    """Takes notes and gives rows.

    Parameters
    ----------
    chain : Chain.
    named : how many events the user has; in Run.events the contacts come behind them.
    touching : contact -> speed it began with, of those that were open when the run began.
    lines : of the log, of that moment.
    """

    def __init__(self, chain, named, touching, lines):
        self.chain, self.named, self.began = chain, named, 0
        self.own = FUNCTIONS*len(chain.model.contact)       # functions of contacts come before those of the user
        self.start, self.lines = lines, NO_LINES
        self.open = {k: (self._number(), np.nan, speed) for k, speed in touching.items()}

    def _number(self):
        self.began += 1
        return self.began

    def take(self, times, what, lines):
        """Rows that are new: events, touching, contacts that ended, and the order in which those had begun.

        Parameters
        ----------
        times, what : of events, as the steppers tell them. lines : of the log. Both go on where the last ones stopped.
        """
        lines, self.start = np.concatenate([self.start, lines]), NO_LINES
        self.lines = np.concatenate([self.lines, lines])
        mine, told, order, rows, speeds = what[:, 0] < self.own, is_event(what, self.own), [], [], []
        for t, (function, direction) in zip(times[mine & told], what[mine & told].tolist()):
            k = function//FUNCTIONS
            speeds.append(self._speed(k, t, direction))
            if direction == FALLING:
                self.open[k] = self._number(), float(t), None
            elif direction == RISING and k in self.open:
                number, *begun = self.open.pop(k)
                order.append(number)
                rows.append(contact_row(self.chain, k, self._of(k), *begun, float(t)))
        self.lines = self.lines[np.isin(self.lines[:, LOG_CONTACT], list(self.open))]
        events = np.empty(np.count_nonzero(told), EVENT)
        events["time"], events["direction"] = times[told], what[told, 1]
        events["event"] = np.where(mine, self.named + what[:, 0]//FUNCTIONS, what[:, 0] - self.own)[told]
        events["point"], events["speed"] = -1, np.nan
        events["point"][mine[told]] = [self.chain.contact_pairs[k][0] for k in what[mine & told, 0]//FUNCTIONS]
        events["speed"][mine[told]] = speeds
        return {"events": events, "touching": touching_of(lines, self.chain), "contacts": _table(rows)}, order

    def all(self, times, what, lines):
        """The tables of a run that has ended, contacts in the order in which they began."""
        tables, order = self.take(times, what, lines)
        still = [(number, contact_row(self.chain, k, self._of(k), *begun, np.nan))
                 for k, (number, *begun) in self.open.items()]
        contacts = np.concatenate([tables["contacts"], _table([row for _, row in still])])
        return tables | {"contacts": contacts[np.argsort(order + [number for number, _ in still])]}

    def _speed(self, k, t, direction):
        """Into the ground at a touch, out of it at the end; one may begin where the one before ended."""
        rates = self.lines[(self.lines[:, LOG_CONTACT] == k) & (self.lines[:, LOG_TIME] == t), LOG_RATE]
        return np.nan if not len(rates) else rates[-1] if direction == FALLING else -rates[0]

    def _of(self, k):
        return self.lines[self.lines[:, LOG_CONTACT] == k]


def is_event(what, own):
    """Of functions and directions; the first `own` functions are of contacts, whose kinks of friction are no events."""
    return (what[:, 0] >= own) | (what[:, 0] % FUNCTIONS == 0)


def _table(rows):
    return np.array(rows, CONTACT) if rows else np.empty(0, CONTACT)
