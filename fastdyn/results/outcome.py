"""How a run ended, whatever it was of."""

from ..status import AT_REST, OK, SENTENCE, STOPPED, SimulationError


class Outcome:
    """What runs of chains and of systems of the user's own have in common; needs t, status, where and failure."""

    file = None                                             # where it was written to last

    @property
    def ok(self):
        return self.status in (OK, STOPPED, AT_REST)

    @property
    def message(self):
        """What the status means, and where the run stopped."""
        if self.status == OK:
            return SENTENCE[OK]
        sentence = ": ".join(filter(None, (self._place, SENTENCE[self.status])))
        return sentence + (f" ({self.failure!r})" if self.failure else "")

    @property
    def _place(self):
        return ", ".join(filter(None, (self.where, f"t = {self.t[-1]:.9g} s" if len(self.t) else "")))

    def check(self):
        """This run, or what stopped it as an exception."""
        if not self.ok:
            raise SimulationError(self.status, self._place) from self.failure
        return self
