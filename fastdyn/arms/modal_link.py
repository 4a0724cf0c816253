"""A flexible link by the data of a reduced body: stiffness, mass and modal integrals, from NPZ or HDF5 files.

What the integrals are: docs/theory/spatial_flexible.md.
"""

import io
import math
import os
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from ..describe.check import in_a_row, not_negative, path_of, positive, shown, whole, yes_or_no
from ..describe.words import spelt_class
from ..describe.writing import write_whole
from ..status import ModelError

ANYTHING = math.inf                                         # in files, in place of no bound
ROUNDING = 1e-13                                            # of a matrix with 1 on its diagonal
TINY = 1e-15                                                # of the largest number: what rounding leaves of zero
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

    `modal_data` makes one of a FlexibleLink: write it to see what a file has in it, or to compare a body with a beam.
    All arrays are asked whether they can be sums over the mass of one body.

    Examples
    --------
    >>> from fastdyn.arms import FlexibleLink, modal_data
    >>> beam = FlexibleLink(1.0, 2.0, EIz=30.0, EIy=30.0, modes=(0, 2, 2, 0))
    >>> body = modal_data(beam)                                 # body.write("beam.npz"); ModalLink.read("beam.npz")
    >>> body.second.shape, round(float(body.straight[3, 3]), 12)
    ((3, 3, 4, 4), 2.0)
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
            least = least_share(getattr(self, name))
            if not least > ROUNDING:
                raise ModelError(f"modal.{name} is not positive definite: its least eigenvalue, the diagonal scaled to "
                                 f"1, is {shown(least)}; leave out motions of the body as a whole, and modes that are "
                                 "sums of others")
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
        self._check_sums()

    def _check_sums(self):
        """All are integrals of products, of x, y, z, 1, the modes' shapes, s_ij: no sum of them squared is negative"""
        n, straight, first, second = sum(self.modes), self.straight, self.first, self.second
        if not straight[3, 3] > 0.0:
            raise ModelError(f"modal.straight has the mass {shown(straight[3, 3])} kg in its last corner; give one > 0")
        if np.abs(second - second.transpose(1, 0, 3, 2)).max() > SAME*np.abs(second).max():
            raise ModelError("modal.second is not symmetric; the sum of h_f,a h_l,b is that of h_l,b h_f,a, give it so")
        shapes = second.transpose(0, 2, 1, 3).reshape(3*n, 3*n)
        _check_products("straight, first and second", straight, first.transpose(0, 2, 1).reshape(3*n, 4), shapes)
        b, (ax, ny, _, _) = len(self.shortening) if self.foreshortening else 0, self.modes
        if b == 0:
            return
        bending = [(1, ax + k) if k < (self.apart or ny) else (2, ax + ny + k - self.apart) for k in range(b)]
        along, which = np.array([(0, f) for f in range(ax)] + bending).T        # modes that have the shapes tested
        places = first[along[:, None], (3, 0), which[:, None]]
        plain = np.block([[straight[np.ix_((3, 0), (3, 0))], places.T],
                          [places, second[along[:, None], along, which[:, None], which]]])
        one, other = np.triu_indices(b)
        drawn = self.shortening_twice[other[None, :], one[:, None], other[:, None], one[None, :]]
        _check_products("shortening and shortening_twice", plain, self.shortening[one, other], drawn)
        A = self.end_shortening
        bends = np.abs(np.diag(A)) > 0.0
        if (np.diag(A) < 0.0).any() or (bends.any() and least_share(A[np.ix_(bends, bends)]) < -SAME):
            raise ModelError("modal.end_shortening is of no shapes: slopes squared are not negative; give the "
                             "integrals of products of slopes")

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
        words["orthogonal"] = ANYTHING if self.orthogonal is None else self.orthogonal
        image = io.BytesIO()
        if suffix_of(path) == ".npz":
            np.savez(image, **words)
        else:
            import h5py

            with h5py.File(image, "w") as file:
                for name, value in words.items():
                    file[name] = value
        write_whole(path, image.getbuffer())

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
        if given.get("orthogonal") == ANYTHING:
            given["orthogonal"] = None
        try:
            return cls(**{**given, "modes": tuple(np.ravel(given["modes"]).tolist()), **words})
        except ModelError as error:
            raise ModelError(f"{path}: {error}") from None


def shapes_of_planes(shortening):
    """How many bending shapes the integrals are of"""
    return np.shape(shortening)[0] if shortening is not None and np.ndim(shortening) == 3 else 0


def least_share(A):
    """Least eigenvalue of a symmetric matrix whose diagonal is scaled to 1; where that is not > 0, its least number"""
    d = np.diag(A)
    return float(np.linalg.eigvalsh(A/np.sqrt(np.outer(d, d)))[0]) if (d > 0.0).all() else float(d.min())


def _check_products(names, A, B, C):
    """Whether [[A, B'], [B, C]] can be integrals of products"""
    G = np.block([[A, B.T], [B, C]])
    d = np.diag(G)
    scale = np.sqrt(np.outer(d, d)) if (d >= 0.0).all() else None
    beyond = scale is None or (np.abs(G) > (1.0 + SAME)*scale + TINY*np.abs(G).max()).any()
    some = d > TINY*max(d.max(), 0.0)
    if beyond or least_share(G[np.ix_(some, some)]) < -SAME*len(G):
        raise ModelError(f"modal.{names} are not of one body: they cannot be integrals of products over its mass; take "
                         "all from one set of modes and one origin, at the link's joint")


def array_of(value, shape, what):
    """Finite floats of this shape"""
    try:
        A = np.asarray(value)
        A = np.array(A, float) if A.dtype.kind in "fiu" else None
    except (TypeError, ValueError):
        A = None
    if A is None:
        raise ModelError(f"{what} is {shown(value)}; give numbers of shape {shape}")
    if A.shape != shape:
        raise ModelError(f"{what} has shape {A.shape}; give {shape}")
    if not np.isfinite(A).all():
        raise ModelError(f"{what} has a number that is not finite; give finite ones")
    A.setflags(write=False)
    return A


def suffix_of(path):
    suffix = Path(os.fsdecode(path_of(path))).suffix.lower()
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
