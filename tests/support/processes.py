"""What several tests ask of processes."""
import pathlib
import time


def goes_on(pid):
    """Whether a process is still there a moment after the end of its parent."""
    for _ in range(100):
        try:
            state = pathlib.Path("/proc", str(pid), "stat").read_text().rsplit(")", 1)[1].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return False
        if state == "Z":
            return False
        time.sleep(0.05)
    return True
