"""A rank that dies while the others wait for it in a collective call ends the job."""
import os
import pathlib
import signal
import subprocess
import sys
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from processes import goes_on  # noqa: E402

COMMAND = sys.argv.pop()  # mpi_ranks


class Killed(unittest.TestCase):
    def start(self):
        process = subprocess.Popen(["mpirun", "-n", "3", COMMAND, "wait", "1"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        return process, int(process.stdout.readline().split()[-1])

    def test_a_rank_is_killed(self):
        process, pid = self.start()
        os.kill(pid, signal.SIGKILL)
        process.communicate(timeout=60)
        self.assertNotEqual(process.returncode, 0)

    def test_mpirun_is_told_to_stop(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process, pid = self.start()
            process.send_signal(number)
            process.communicate(timeout=60)
            self.assertNotEqual(process.returncode, 0)
            self.assertFalse(goes_on(pid), "a rank goes on")


if __name__ == "__main__":
    sys.exit(0 if unittest.main(exit=False).result.wasSuccessful() else 1)
