"""Parts, servos and motions: words that are misspelt or missing are refused in a sentence, as chains refuse them."""

import pickle

import pytest

from fastdyn import ModelError
from fastdyn.transfer import Hinge, Motion, Rigid, Servo, Span, Support


@pytest.mark.parametrize("make, said", [
    (lambda: Span(length=1.0), "Span.EI is missing; give it a value"),
    (lambda: Rigid(lenght=1.0), 'Rigid.lenght: unknown field; did you mean "length"'),
    (lambda: Servo(3.0, stifness=1.0), 'servo.stifness: unknown field; did you mean "stiffness"'),
    (lambda: Servo(), "servo.stiffness is missing"),
    (lambda: Motion(1.0), "motion.rate is missing; give a number, a signal or a function of time"),
    (lambda: Motion(1.0, 0.0, aceleration=0.0), 'motion.aceleration: unknown field; did you mean "acceleration"'),
    (lambda: Hinge(stiffness=1e300), r"Hinge.stiffness is 1e\+300; give a number from 0 to 1e\+100"),
    (lambda: Support(damping=1e300), r"Support.damping is 1e\+300"),
    (lambda: Servo(1e300), r"servo.stiffness is 1e\+300"),
])
def test_a_sentence_says_what_is_meant(make, said):
    with pytest.raises(ModelError, match=said):
        make()


def test_a_motion_is_three_parts_by_name_and_in_order():
    motion = Motion(angle=1.0, rate=0.0, acceleration=0.0)
    assert motion == Motion(1.0, 0.0, 0.0) and pickle.loads(pickle.dumps(motion)) == motion
    assert motion._replace(rate=2.0) == (1.0, 2.0, 0.0) and repr(motion).startswith("Motion(angle=1.0")
