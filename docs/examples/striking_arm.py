"""The Canadarm2 falls on an oblique plane: three peaks of force in one contact, by three models of friction.

    python docs/examples/striking_arm.py [folder]

writes striking_arm.svg, the normal forces beside each other, and striking_arm.html, the last fall to look at from all
sides in any browser, its bending magnified.
"""

import sys
from pathlib import Path

import fastdyn as fd
from fastdyn.arms import canadarm2
from fastdyn.arms.layout import L_NORMAL, L_TIME
from fastdyn.show.sheet import Curve, Plot, Sheet


def main(folder=".", frictions=("I", "II", "III")):
    curves = []
    for k, friction in enumerate(frictions):
        run = canadarm2("R2", friction).simulate(0.656, samples=329, fine=True).check()
        hit = run.contacts[0]
        peaks, (along, across) = ", ".join(f"{N/1e3:.3f}" for _, N, _ in hit.peaks), map(len, hit.reversals)
        print(f"friction {friction}: from {hit.start:.6f} to {hit.end:.6f} s, peaks {peaks} kN, sliding turns {along} "
              f"and {across} times")
        curves.append(Curve(hit.lines[:, L_TIME], hit.lines[:, L_NORMAL], f"friction {friction}", k))
    picture, player = Path(folder)/"striking_arm.svg", Path(folder)/"striking_arm.html"
    Sheet("The Canadarm2 strikes an oblique plane", [[Plot("normal force", "N", curves, legend=True)]],
          "end of the lower boom, set R2", height=300).page().save(picture)
    fd.view(run, player)
    print(f"{picture}, {player}")
    return picture, player


if __name__ == "__main__":
    main(*sys.argv[1:2])
