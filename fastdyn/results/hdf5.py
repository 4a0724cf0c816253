"""HDF5 as run files use it: a unit, a meaning and a checksum on every array in, nothing taken on trust on the way out.

h5py is imported when a file is written or read. Texts are of fixed length: those of variable length would stand where
HDF5 keeps no checksum.
"""

from math import ceil, prod

import numpy as np

CHUNK = 1 << 18     # bytes that share one checksum
VERSION = "v110"    # of the format: the first one with checksums on all that is not data; HDF5 1.10 and later read it


class Damaged(ValueError):
    """What is wrong in a file, as the end of a sentence that begins with its name."""


def put_array(group, name, array, unit, meaning, **more):
    """A dataset with checksums, its unit and meaning as attributes: one text, or one a column."""
    chunks = {}
    if array.size:
        rows = min(len(array), max(1, CHUNK*len(array)//array.nbytes))
        chunks = {"chunks": (rows, *array.shape[1:]), "fletcher32": True}
    dataset = group.create_dataset(name, data=np.ascontiguousarray(array), **chunks)
    put_words(dataset, {"unit": unit, "meaning": meaning} | more)


def put_text(group, name, text, meaning):
    """A dataset of one text."""
    put_array(group, name, np.array([encoded(text)], text_type(text)), "", meaning)


def put_words(place, words):
    """Attributes: numbers, arrays, texts, lists of texts, None."""
    for name, value in words.items():
        place.attrs[name] = _attribute(value)


def text_type(*texts):
    import h5py

    return h5py.string_dtype("utf-8", max([1, *(len(encoded(text)) for text in texts)]))


def encoded(text):
    return text.encode("utf-8", "backslashreplace")


def _attribute(value):
    import h5py

    if value is None:
        return h5py.Empty("f8")
    if isinstance(value, str):
        return np.array(encoded(value), text_type(value))
    if isinstance(value, (tuple, list)) and all(isinstance(word, str) for word in value):
        return np.array([encoded(word) for word in value], text_type(*value))
    return value


def words_of(place):
    """The attributes of a file, group or dataset as plain values: what `put_words` wrote."""
    return {name: _plain(value) for name, value in place.attrs.items()}


def _plain(value):
    import h5py

    if isinstance(value, h5py.Empty):
        return None
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, np.ndarray):
        return tuple(word.decode() for word in value.ravel().tolist()) if value.dtype.kind == "S" else value
    return value.item() if isinstance(value, np.generic) else value


def group_of(group, name):
    """A group inside, not a link to another file."""
    import h5py

    if not isinstance(group.get(name, getlink=True), h5py.HardLink) or group.get(name, getclass=True) != h5py.Group:
        raise Damaged(f"{_path(group, name)} is missing")
    return group[name]


def dataset_of(group, name):
    """A dataset inside whose numbers stand in this file, every one of them."""
    import h5py

    if not isinstance(group.get(name, getlink=True), h5py.HardLink) or group.get(name, getclass=True) != h5py.Dataset:
        raise Damaged(f"{_path(group, name)} is missing")
    dataset = group[name]
    if dataset.is_virtual or dataset.external:
        raise Damaged(f"{_path(group, name)} stands in another file")
    if dataset.shape is None:
        raise Damaged(f"{_path(group, name)} has no numbers")
    if dataset.chunks is None:
        whole = dataset.id.get_storage_size() >= dataset.nbytes
    else:
        whole = dataset.id.get_num_chunks() >= prod(ceil(n/c) for n, c in zip(dataset.shape, dataset.chunks))
    if not whole:
        raise Damaged(f"a part of {_path(group, name)} was never written")
    return dataset


def take_array(group, name, dtype, *shape):
    """A dataset as an array of that type; sizes that are None may be anything."""
    dataset = dataset_of(group, name)
    if dataset.dtype.newbyteorder("=") != np.dtype(dtype):
        raise Damaged(f"{_path(group, name)} has other columns or another type than this version of fastdyn writes")
    if len(dataset.shape) != len(shape) or any(n not in (None, m) for n, m in zip(shape, dataset.shape)):
        wanted = " x ".join("any" if n is None else str(n) for n in shape)
        raise Damaged(f"{_path(group, name)} has shape {dataset.shape} instead of {wanted}")
    array = np.empty(dataset.shape, dtype)
    if array.size:
        dataset.read_direct(array)
    return array


def take_text(group, name):
    dataset = dataset_of(group, name)
    if dataset.shape != (1,) or dataset.dtype.kind != "S":
        raise Damaged(f"{_path(group, name)} is not a text")
    return dataset[0].decode()


def _path(group, name):
    return f"{group.name.rstrip('/')}/{name}"
