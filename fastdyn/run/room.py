"""How much a run may keep."""

import os

UNKNOWN = 2.0**36       # bytes, where the system does not tell


def memory():
    """Bytes of this machine's memory."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES"))*os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return UNKNOWN
