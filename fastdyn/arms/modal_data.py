"""A flexible link by the data of a reduced body: stiffness, mass and modal integrals, from NPZ or HDF5 files.

What the integrals are: docs/theory/spatial_flexible.md.
"""

from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from ..describe.check import in_a_row, not_negative, path_of, positive, shown, whole, yes_or_no
from ..describe.words import spelt_class
from ..status import ModelError

SAME = 1e-6                                                 # how far mass may be from the integrals that make it
ARRAYS = ("stiffness", "mass", "straight", "first", "second", "end", "end_shortening", "shortening",
          "shortening_twice")
SHORTENED = ARRAYS[6:]


@spelt_class("modal")
@dataclass(frozen=True, eq=False)
class ModalLink:
    """A body of n modes whose end is at (length, 0, 0) of its frame; h: (place, 1) of a mass point, h_f by mode f.

    Parameters
    ----------
    length : m. modes : how many of them are axial, y, z, torsion; bending modes come after axial ones.
    stiffness, mass : (n, n).
    straight : (4, 4), sum of h h' over the mass of the undeformed body. first : (3, 4, n), of h_f h'.
    second : (3, 3, n, n), of h_f h_l'. end : (6, n), displacement and rotation of the end by each mode.
    foreshortening : bending draws the body in, which takes the last three (`FlexibleLink` has them all).
    end_shortening : (n, n). shortening : (b, b, 2 + axial + b). shortening_twice : (b, b, b, b).
    damping : beta of C = beta K, s.
    orthogonal : how much of the diagonal's mean mass and stiffness may stand beside it; None: anything.
    """

    length: float
    modes: tuple
    stiffness: np.ndarray
    mass: np.ndarray
    straight: np.ndarray
    first: np.ndarray
    second: np.ndarray
    end: np.ndarray
    end_shortening: np.ndarray | None = None
    shortening: np.ndarray | None = None
    shortening_twice: np.ndarray | None = None
    foreshortening: bool = False
    damping: float = 0.0
    orthogonal: float | None = 1e-6

    rotation = "linear"

    def __post_init__(self):
        if not in_a_row(self.modes) or len(self.modes) != 4:
            raise ModelError(f"modal.modes is {shown(self.modes)}; give four whole numbers: axial, y, z, torsion")
        modes = tuple(whole(m, f"modal.modes[{i}]", "modes", 0) for i, m in enumerate(self.modes))
        n, b = sum(modes), shapes_of_planes(self.shortening)
        if n == 0:
            raise ModelError("modal.modes has no mode; give one or more, or a rigid link: its tip and a Body")
        yes_or_no(self.foreshortening, "modal.foreshortening")
        missing = [name for name in SHORTENED if getattr(self, name) is None]
        if self.foreshortening and missing:
            raise ModelError(f"modal.foreshortening is asked for, but the data have no {', '.join(missing)}; give "
                             "them, or foreshortening=False")
        shapes = {"stiffness": (n, n), "mass": (n, n), "straight": (4, 4), "first": (3, 4, n),
                  "second": (3, 3, n, n), "end": (6, n), "end_shortening": (n, n),
                  "shortening": (b, b, 2 + modes[0] + b), "shortening_twice": (b, b, b, b)}
        found = {name: array_of(getattr(self, name), shape, f"modal.{name}") for name, shape in shapes.items()
                 if name not in SHORTENED or getattr(self, name) is not None}
        for name, value in {"length": positive(self.length, "modal.length", "m"), "modes": modes,
                            "damping": not_negative(self.damping, "modal.damping", "s"), **found}.items():
            object.__setattr__(self, name, value)
        if self.foreshortening and b not in (max(modes[1:3]), sum(modes[1:3])):
            raise ModelError(f"modal.shortening is of {b} shapes; give those of the larger plane, {max(modes[1:3])}, "
                             f"if the planes share them, else of both, {sum(modes[1:3])}")
        self._check()

    @property
    def apart(self):
        """Where the shapes of z modes start: behind those of y, or 0 if the planes share them."""
        return self.modes[1] if shapes_of_planes(self.shortening) > max(self.modes[1:3]) else 0

    def _check(self):
        for name in ("stiffness", "mass", "straight"):
            A = getattr(self, name)
            if np.abs(A - A.T).max() > SAME*np.abs(A).max():
                raise ModelError(f"modal.{name} is not symmetric; give (A + A')/2 if that is what is meant")
        for name in ("stiffness", "mass"):
            least = float(np.linalg.eigvalsh(getattr(self, name))[0])
            if not least > 0.0:
                raise ModelError(f"modal.{name} is not positive definite: its least eigenvalue is {shown(least)}; "
                                 "leave out motions of the body as a whole, and modes that are sums of others")
        for name in SHORTENED if self.foreshortening else ():
            self._check_shortening(name, getattr(self, name))
        made = np.einsum("aafl->fl", self.second)
        if np.abs(made - self.mass).max() > SAME*np.abs(self.mass).max():
            raise ModelError("modal.mass is not the one that modal.second makes, sum of second[a, a]; take both from "
                             "one set of modes, scaled alike")
        if self.orthogonal is not None:
            share = positive(self.orthogonal, "modal.orthogonal", "")
            for name in ("mass", "stiffness"):
                A = getattr(self, name)
                d = np.sqrt(np.diag(A))
                beside = np.abs(A/np.outer(d, d) - np.eye(len(d)))
                if beside.max() > share:
                    i, j = (int(x) for x in np.unravel_index(beside.argmax(), beside.shape))
                    raise ModelError(f"modal: modes {i} and {j} are not orthogonal, {name} has {shown(beside[i, j])} "
                                     "of its diagonal beside it; give normal modes, or orthogonal=None to take them so")

    def _check_shortening(self, name, A):
        """s_ij = s_ji, of products in either order; at the end only between modes of one plane"""
        turned = [A.transpose(1, 0, *range(2, A.ndim))] if name != "shortening_twice" else [
            A.transpose(0, 2, 1, 3), A.transpose(3, 1, 2, 0), A.transpose(1, 0, 3, 2)]
        if any(np.abs(A - B).max(initial=0.0) > SAME*np.abs(A).max(initial=0.0) for B in turned):
            raise ModelError(f"modal.{name} is not symmetric in its shapes; s_ij is s_ji, give it so")
        if name == "end_shortening":
            planes = np.repeat((0, 1, 2, 0), self.modes)
            alien = (planes[:, None] != planes) | (planes == 0)
            if np.abs(A[alien]).max(initial=0.0) > SAME*np.abs(A).max(initial=0.0):
                raise ModelError("modal.end_shortening has numbers between modes of different planes, or that do not "
                                 "bend; a mode draws the end in with modes of its own plane, give 0 there")

    def write(self, path):
        """All there is to a file, .npz, .h5 or .hdf5; overwritten."""
        words = {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) is not None}
        if suffix_of(path) == ".npz":
            np.savez(path, **words)
            return
        import h5py

        with h5py.File(path, "w") as file:
            for name, value in words.items():
                file[name] = value

    @classmethod
    def read(cls, path, **words):
        """From a file as `write` makes it: a dataset for each word; `words` are taken instead of the file's."""
        known = {f.name for f in fields(cls)}
        try:
            found = stored(path)
        except OSError as error:
            raise ModelError(f"{path}: cannot be read ({error}); give a whole .npz or .h5 file") from None
        except Exception as error:                          # zip, zlib and h5py have many words for a broken file
            raise ModelError(f"{path}: is damaged ({type(error).__name__}: {error}); write it again") from None
        strange = sorted(found.keys() - known)
        if strange:
            raise ModelError(f"{path}: {', '.join(strange)}: unknown; known are {', '.join(sorted(known))}")
        missing = [f.name for f in fields(cls) if f.name in ("length", "modes", *ARRAYS[:6]) and f.name not in found]
        if missing:
            raise ModelError(f"{path}: {', '.join(missing)} missing; see ModalLink for what a body needs")
        given = {name: value if value.ndim else value.item() for name, value in found.items()}
        try:
            return cls(**{**given, "modes": tuple(np.ravel(given["modes"]).tolist()), **words})
        except ModelError as error:
            raise ModelError(f"{path}: {error}") from None


def shapes_of_planes(shortening):
    """How many bending shapes the integrals are of"""
    return np.shape(shortening)[0] if shortening is not None and np.ndim(shortening) == 3 else 0


def array_of(value, shape, what):
    """Finite floats of this shape"""
    try:
        A = np.array(value, float)
    except (TypeError, ValueError):
        raise ModelError(f"{what} is {shown(value)}; give numbers of shape {shape}") from None
    if A.shape != shape:
        raise ModelError(f"{what} has shape {A.shape}; give {shape}")
    if not np.isfinite(A).all():
        raise ModelError(f"{what} has a number that is not finite; give finite ones")
    A.setflags(write=False)
    return A


def suffix_of(path):
    suffix = Path(path_of(path)).suffix.lower()
    if suffix not in (".npz", ".h5", ".hdf5"):
        raise ModelError(f"path is {path!r}; give the name of a file that ends with .npz, .h5 or .hdf5")
    return suffix


def stored(path):
    """{word: array} of a file"""
    if suffix_of(path) == ".npz":
        with np.load(path, allow_pickle=False) as file:
            return {name: np.asarray(file[name]) for name in file.files}
    import h5py

    with h5py.File(path, "r") as file:
        return {name: np.asarray(file[name][()]) for name in file}
