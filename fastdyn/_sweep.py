"""Old folders of compiled kernels: which ones go when a new one is made, and how those in use are left alone.

Every edit of a source makes another folder. The few used last are kept. A process holds a shared lock on its folder as
long as it lives, and only who gets the exclusive one removes it; where there are no such locks a folder stays for a
month after its last use.
"""

import contextlib
import os
import re
import stat
import time
import weakref

try:
    import fcntl
except ImportError:                                     # Windows
    fcntl = None

KEPT = 4
DAYS_KEPT = 30
PATIENCE = 0.05                                         # seconds for somebody else to finish his sweep


def ours(status):
    """Whether a file or folder belongs to us and nobody else may write to it (POSIX; elsewhere taken as true)."""
    return not hasattr(os, "geteuid") or (status.st_uid == os.geteuid() and not status.st_mode & 0o022)


def hold(owner, path):
    """Keep others from sweeping the folder away while `owner` lives; False if that is just happening."""
    if fcntl is None:
        return True
    try:
        lock = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return False
    except OSError:                                     # not ours to look into; who uses it will say so
        return True
    weakref.finalize(owner, os.close, lock)
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return os.path.samestat(os.fstat(lock), os.stat(path))
    except (BlockingIOError, FileNotFoundError):
        time.sleep(PATIENCE)
        return False
    except OSError:                                     # a file system without locks
        return True


def sweep(root, own):
    """Remove folders nobody uses: those not among the KEPT used last, `own` one of them, and those of a month ago."""
    oldest, others = time.time() - DAYS_KEPT*86400, []
    for entry in os.scandir(root):
        with contextlib.suppress(OSError):
            status = entry.stat(follow_symlinks=False)
            if stat.S_ISDIR(status.st_mode) and ours(status) and re.fullmatch("[0-9a-f]{32}", entry.name):
                others.append((status.st_mtime, entry.path))
    newest_first = sorted(((used, path) for used, path in others if path != own), reverse=True)
    for rank, (used, path) in enumerate(newest_first, start=2):
        if rank > KEPT or used < oldest:
            with contextlib.suppress(OSError):
                _remove(path, without_lock=used < oldest)


def _remove(path, without_lock):
    """Empty a folder of what we put there and remove it, unless a process holds it."""
    lock = os.open(path, os.O_RDONLY) if fcntl else None
    try:
        if _exclusive(lock, path, without_lock):
            for file in os.scandir(path):
                if file.name.endswith((".kernel", ".tmp")):
                    os.unlink(file.path)
            os.rmdir(path)
    finally:
        if fcntl:
            os.close(lock)


def _exclusive(lock, path, without_lock):
    """Whether nobody else holds the folder; `without_lock` is the answer where there are no locks.

    Between opening and locking another sweep may have removed that folder and somebody made it anew: then the lock is
    one on a folder that is gone, and says nothing about the one that now has its name.
    """
    if fcntl is None:
        return without_lock
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.path.samestat(os.fstat(lock), os.stat(path))
    except (BlockingIOError, FileNotFoundError):
        return False
    except OSError:
        return without_lock
