"""Copies what the tests look at from the big files of reference numbers: `python compact.py FOLDER`.

Numbers with an error bound stand as [value, bound], lists of them as [values, bounds].
"""

import json
import sys
from pathlib import Path

ALL_UP_TO = 3                                           # links of chains of which all states are kept
CONTACT = ("t0", "t1", "vn", "vn1", "vt", "dmax", "Fmax", "FTmax")
HERE = Path(__file__).parent


def pair(number):
    return [number["v"], number["err"]]


def contact(row):
    peaks = {"peaks": row["F_local_maxima"], "least": row["F_min"]}
    return {"joint": row["joint"]} | {name: pair(row[name]) for name in CONTACT if name in row} | peaks


def run(case, times):
    """Where a run starts, where it is at some times (None: at the last), its contacts."""
    states = [s for s in case["states"] if times is None or any(abs(s["t"] - t) < 1e-9 for t in times)]
    states = [{"t": s["t"], "Z": pair(s["Z"]), "Zd": pair(s["Zd"]), "energies": pair(s["T_Vg_Ve_WD_WFN_WFT"])}
              for s in (states if times else states[-1:])]
    kept = {"bcs": case["bcs"], "m": case["m"][0], "slope": case["slope"], "rotary": case["rotary"],
            "t_end": case["tend"], "Z": case["y0"]["Z"], "Zd": case["y0"]["Zd"], "states": states}
    if "contacts" in case:
        kept["contacts"] = [contact(row) for row in case["contacts"]]
    momenta = case.get("momenta_p1_p2_H_xc1_xc2")
    return kept | ({"momenta": [momenta["t0"], momenta["t_end"]]} if momenta else {})


def state_cases(content):
    """Of M the rows from the diagonal on; of long chains those with two modes."""
    for case in content["cases"]:
        if case["n"] <= ALL_UP_TO or case["m"] == 2:
            kept = {name: value for name, value in case.items() if name not in ("cond_M", "pattern")}
            if "M" in case:
                kept["M"] = [row[i:] for i, row in enumerate(case["M"])]
            yield kept


def write(folder, name, what, content):
    heads = json.loads((folder/"acc.json").read_text())
    (HERE/f"{name}.json").write_text(json.dumps(
        {"what": what, "params": heads["params"], "ground": heads["ground"]} | content, separators=(",", ":")) + "\n")


def main(folder):
    def read(name):
        return json.loads((folder/f"{name}.json").read_text())

    write(folder, "acc", "single states; state order q1 d1.. q2 d2.. X1 X2",
          {"cases": list(state_cases(read("acc")))})
    published = {modes: read(f"published_{modes}")["readings"] for modes in ("ss-ss-ss", "cc-cc-cc")}
    write(folder, "published", "the falling chain of three links, 1.5 s, mirror-symmetric runs", {"runs": {
        modes: {name: run(readings[f"{name}_symmetric"], (0.5, 0.7, 1.0, 1.5)) for name in ("frame", "section")
                if f"{name}_symmetric" in readings} for modes, readings in published.items()}})
    write(folder, "laws", "the same with ss-ss-ss and every normal law, 0.9 s",
          {"runs": {law: run(case, None) for law, case in read("laws_ss-ss-ss")["laws"].items()}})
    write(folder, "flights", "free flight from a bent moving state, 1 s", {"runs": {
        f"n{n}_m{m}_{name}": run(case, (0.2, 1.0)) for n in (1, 2, 3, 4) for m in (1, 2)
        for name, case in read(f"flight_n{n}_m{m}")["cases"].items()}})
    write(folder, "contacts", "a tilted arch dropped on the ground, 0.6 s", {"runs": {
        f"n{n}_m{m}_{name}": run(case, None) for n in (1, 2, 3) for m in (1, 2)
        for name, case in read(f"contact_n{n}_m{m}")["cases"].items()}})
    write(folder, "clamped", "the same with a ground that never pulls",
          {"runs": {name: run(case, None) for name, case in read("contact_clamped")["cases"].items()}})


if __name__ == "__main__":
    main(Path(sys.argv[1]))
