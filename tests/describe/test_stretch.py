"""Links that stretch, in words: their modes, files, numbers from elsewhere, refusals."""

import numpy as np
import pytest
from describe.elastic_words import refusal

from beams.common import STEEL
from fastdyn import Chain, Elastic, Link, ModalNumbers, Stretch
from fastdyn.describe.files import parse

PARABOLAS = (Stretch(U=(0, 4, -4)), Stretch(U=(0, -1, 2)))
ROD = Elastic(beam=STEEL, ends="ss", modes=2, axial_shapes=PARABOLAS)


def test_modes_stand_in_order_and_files_keep_them():
    heavy = tuple(map(tuple, (15.0*ROD.integrals.C).tolist()))
    chain = Chain([Link(elastic=ROD), Link(elastic=Elastic(beam=STEEL, axial_ends="cf", axial_modes=3)),
                   Link(elastic=Elastic(beam=STEEL, ends="cf", axial_ends="cc", numbers=ModalNumbers(S=(1.0, 0.0)))),
                   Link(elastic=Elastic(beam=STEEL, ends="ss", modes=2, axial_shapes=PARABOLAS,
                                        numbers=ModalNumbers(C=heavy)))])
    assert [link.modes for link in chain.links] == [4, 3, 2, 4] and chain.nv == 17
    assert parse(chain.to_toml()) == chain
    assert np.array_equal(chain.links[3].elastic.integrals.C, heavy)
    assert chain.links[2].elastic.integrals.S.tolist() == [1.0, 0.0]
    assert ROD.frequencies[:2] == Elastic(beam=STEEL, ends="ss", modes=2).frequencies


def test_links_that_do_not_stretch_say_nothing_of_it():
    assert "axial" not in Chain([Link(elastic=Elastic(beam=STEEL, ends="ss"))]).to_toml()
    assert Elastic(beam=STEEL, ends="ss", axial_ends="cf", axial_modes=0).stretches is False


def rod(**words):
    return Elastic(**{"beam": STEEL, "ends": "ss", **words})


@pytest.mark.parametrize("make, said", [
    (lambda: rod(axial_ends="fc"), 'elastic.axial_ends is "fc", whose modes move at the joint'),
    (lambda: rod(axial_ends="ss"), "elastic.axial_ends is 'ss'; give two letters"),
    (lambda: rod(axial_modes=2), "elastic.axial_modes is given without elastic.axial_ends"),
    (lambda: rod(axial_ends="cf", axial_modes=-1), "elastic.axial_modes is -1; give a whole number"),
    (lambda: rod(axial_ends="cf", axial_shapes=PARABOLAS), "elastic.axial_ends and elastic.axial_shapes are both"),
    (lambda: rod(axial_modes=1, axial_shapes=PARABOLAS), "elastic.axial_modes and elastic.axial_shapes are both"),
    (lambda: rod(axial_shapes=3), "elastic.axial_shapes is 3; give a list of Stretch"),
    (lambda: rod(axial_shapes=[3]), "elastic.axial_shapes[0] is 3; give one of: Stretch"),
    (lambda: rod(axial_shapes=[Stretch(U=(1, 1))]).integrals, "elastic.axial_shapes[0]: U is 1 at the joint"),
    (lambda: rod(axial_shapes=[Stretch(U=(0, 0))]).integrals, "elastic.axial_shapes[0]: U has no coefficient"),
    (lambda: rod(axial_shapes=[PARABOLAS[0]]*2).integrals, "elastic.axial_shapes are not independent"),
    (lambda: rod(numbers=3), "elastic.numbers is 3; give one of: ModalNumbers"),
    (lambda: rod(numbers=ModalNumbers(a=(1, 2))).integrals, "elastic.numbers.a has 2 rows, but the link has 1 modes"),
    (lambda: rod(numbers=ModalNumbers(C=((-1,),))).integrals, "elastic.numbers.C is not positive definite"),
    (lambda: ModalNumbers(K=((1, 2), (3, 4))), "numbers.K is not symmetric"),
    (lambda: ModalNumbers(B=((0, 2), (2, 0))), "numbers.B is not antisymmetric"),
    (lambda: ModalNumbers(C=3), "numbers.C is 3; give a list of rows"),
    (lambda: ModalNumbers(C=((1, 2),)), "numbers.C[0]"),
    (lambda: Elastic(beam=STEEL, modes=2, axial_ends="cf"), "elastic.ends is missing"),
])
def test_refusals(make, said):
    assert refusal(make).startswith(said)
