"""Makes the compact files here from the full ones of another program: python compact.py FOLDER."""

import json
import sys
from pathlib import Path

HERE, KEPT = Path(__file__).parent, (
    "t_start", "t_end", "v0_normal", "peaks", "sign_changes", "max_penetration", "friction_work", "hysteresis_work",
    "q_start", "qd_start", "q_end", "qd_end")


def main(folder):
    def read(name):
        return json.loads((folder/f"{name}.json").read_text())

    def write(name, found):
        (HERE/f"{name}.json").write_text(json.dumps(found, separators=(",", ":")) + "\n")

    accel = read("accel")
    del accel["friction_ratio"]
    write("accel", accel)
    write("contacts", {path.stem[8:]: {key: value for key, value in json.loads(path.read_text())["result"].items()
                                       if key in KEPT} for path in sorted(folder.glob("contact_*.json"))})
    spins = read("spinup")["records"]
    write("spinup", [{key: spin[key] for key in (
        "beam", "Omega_s", "ny", "nx", "foreshortening", "max_lag", "t_half_length")} for spin in spins])
    for name in ("free1", "flight_R2", "flight_R5"):
        write(name, [{"options": r["options"], "model": r["model"], "q0": r["q0"], "qd0": r["qd0"], "E0": r["E0"],
                      "samples": [{key: s[key] for key in ("t", "point", "velocity", "q")} for s in r["samples"]]}
                     for r in read(name)["records"]])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
