"""How large the terms are that a chain's dynamics add up: what their rounding is measured against.

Terms are taken as a link's own frame has them: far from its mass centre they are large and cancel.
"""

import numpy as np
from formulations import free_bodies

import fastdyn as fd
from fastdyn.describe.link import BASE

EPS = 2.0**-52


def of_accelerations(chain, q, v, acc, t=0.0):
    """What an acceleration may be off by if every term of every torque is off by EPS: the largest of |M^-1| |terms|."""
    inverse = np.abs(np.linalg.inv(fd.mass_matrix(chain, q)))
    return EPS*np.max(inverse @ _torques(chain, q, v, acc, t), initial=0.0)


def of_kinetic_energy(chain, q, v):
    """The same of the kinetic energy, whose terms m u.u/2, m u.(w x c) and m |w x c|^2/2 have the origin's speed u."""
    return EPS*sum(0.5*m*(norm(p.u) + norm(p.w)*norm(c))**2 + 0.5*p.w @ I @ p.w
                   for _, p, m, c, I in free_bodies.weights(chain, free_bodies.places(chain, q, v)))


def _torques(chain, q, v, acc, t):
    """Sizes of the terms of every torque: forces of the links it carries times their distances, moments, joint laws."""
    found, g = free_bodies.places(chain, q, v, acc), norm(chain.gravity)
    outer = free_bodies.outer_wrenches(chain, found, t)
    force, moment = norm(outer[:, 1]), norm(outer[:, 0])
    for i, p, m, c, I in free_bodies.weights(chain, found):
        spin = norm(p.al) + p.w @ p.w
        own = m*(norm(p.a) + g + spin*norm(c))
        force[i] += own
        moment[i] += np.linalg.eigvalsh(I)[-1]*spin + norm(c)*own
    size = np.abs(free_bodies.joint_laws(chain, t, q, v))
    for name, _ in chain.quaternions:                   # a small turn is known no better than 1, the number beside it
        size[chain.v_slice(name)] += chain.links[chain.index(name)].joint.per_velocity("stiffness")
    for j, link in enumerate(chain.links):
        carried = [i for i in range(len(chain.links)) if link.name in _trail(chain, i)]
        turned = sum(moment[i] + norm(found[i].x - found[j].x)*force[i] for i in carried)
        own = range(chain.nv)[chain.v_slice(link.name)]
        for k, (turn, slide) in zip(own, found[j].freedoms):
            size[k] += norm(turn)*turned + norm(slide)*sum(force[i] for i in carried)
    return size


def _trail(chain, i):
    """Names of the link and of those it hangs on."""
    names = [chain.links[i].name]
    while chain.links[chain.index(names[-1])].parent != BASE:
        names.append(chain.links[chain.index(names[-1])].parent)
    return names


def norm(x):
    return np.linalg.norm(x, axis=-1)
