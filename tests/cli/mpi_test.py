"""The program under mpirun, as several processes of this machine."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

from commonplace import main
from mpi import ENVIRONMENT, MPI_PROGRAM, TIMEOUT, MpiTest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from processes import goes_on  # noqa: E402


def children_of(pid):
    """The ids and commands of a process's children."""
    found = subprocess.run(["ps", "--ppid", str(pid), "-o", "pid=,args="], capture_output=True,
                           text=True).stdout
    return [(int(line.split(None, 1)[0]), line.split(None, 1)[1]) for line in found.splitlines()]


def ranks_of(process):
    """The ids of mpirun's own children that are ranks."""
    return [pid for pid, command in children_of(process.pid) if "version" in command]


class Mpi(MpiTest):
    def test_version_tells_the_ranks(self):
        plain = self.output("version")
        for ranks in (1, 2, 3):
            text = self.mpirun(ranks, "version").stdout
            self.assertTrue(text.startswith(plain), text)
            self.assertRegex(text, rf": {ranks} ranks? on 1 host\n.*: {ranks} ranks? of \d+ thread")
            self.assertEqual(text.count("\n"), 3)
            found = json.loads(self.mpirun(ranks, "version", "--json").stdout)
            self.assertEqual((found["ranks"], len(found["hosts"])), (ranks, 1))
        self.assertEqual(plain.count("\n"), 1)
        self.assertNotIn("mpi", self.json("version"))

    def test_it_runs_without_mpirun(self):
        done = subprocess.run([MPI_PROGRAM, "init", self.library], capture_output=True, text=True,
                              env=ENVIRONMENT, timeout=TIMEOUT)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("collections", self.json("list", self.library))

    def test_ranks_share_the_processors(self):
        def threads(ranks, *options):
            text = self.mpirun(ranks, "version", "--json", options=options).stdout
            return json.loads(text)["hosts"][0]["threads"]

        processors = len(os.sched_getaffinity(0))
        for ranks in (1, 2, 3):
            self.assertEqual(threads(ranks, "--bind-to", "none"), max(1, processors // ranks))
            self.assertEqual(threads(ranks), max(1, processors // ranks))
        # Who asks for a binding gets it.
        self.assertEqual(threads(1, "--use-hwthread-cpus", "--bind-to", "hwthread"), 1)
        text = self.mpirun(2, "version", "--json", "--jobs", "5").stdout
        self.assertEqual(json.loads(text)["hosts"][0]["threads"], 5)

    def test_a_command_for_one_process_is_refused_once(self):
        done = self.mpirun(3, "search", self.library, "owl", code=2)
        message = "commonplace: 'search' runs in one process; start it without mpirun\n"
        self.assertEqual(done.stderr.count(message), 1, done.stderr)
        self.assertEqual(done.stderr.count("commonplace: "), 1, done.stderr)
        self.assertEqual(done.stdout, "")

    def test_wrong_arguments_are_told_once(self):
        done = self.mpirun(3, "version", "--no-such-flag", code=2)
        self.assertEqual(done.stderr.count("--no-such-flag"), 1, done.stderr)
        self.assertEqual(self.mpirun(2, "version", "--help").stdout,
                         self.output("version", "--help"))

    def test_different_commands_are_an_error_and_not_a_hang(self):
        done = subprocess.run(
            ["mpirun", "-n", "1", MPI_PROGRAM, "version", ":", "-n", "1", MPI_PROGRAM, "list", "x"],
            capture_output=True, text=True, env=ENVIRONMENT, timeout=TIMEOUT)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stderr.count("rank 1 of 2 was given other arguments"), 1)

    def test_profile(self):
        for ranks in (1, 3):
            file = self.folder / f"{ranks}.json"
            done = self.mpirun(ranks, "version", "--profile", file)
            events = json.loads(file.read_text())["traceEvents"]
            self.assertEqual({event["pid"] for event in events}, {*range(ranks)})
            calls = [event for event in events if event["name"] == "gather_texts"]
            self.assertEqual(len(calls), ranks if ranks > 1 else 0)
            rows = re.findall(r"^\d +\S+ +\d+\.\d\d +\d+\.\d\d +\d+\.\d$", done.stderr, re.M)
            self.assertEqual(len(rows), ranks if ranks > 1 else 0, done.stderr)

    def test_a_failing_rank_ends_the_others_and_says_why(self):
        # Only rank 0 writes the profile, so that it fails alone.
        done = self.mpirun(3, "version", "--profile", self.folder / "nowhere" / "x.json", code=1)
        self.assertRegex(done.stderr, r"commonplace: rank 0 of 3 \(\S+\): .*nowhere")
        self.assertEqual(done.stderr.count("commonplace: "), 1, done.stderr)

    def start_with_a_late_rank(self):
        """Rank 0 waits for rank 1, which does not come."""
        process = subprocess.Popen(
            ["mpirun", "-n", "1", MPI_PROGRAM, "version", ":",
             "-n", "1", "sh", "-c", f"sleep 100; exec {MPI_PROGRAM} version"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
        # mpirun misses the end of a child that it has only just begun to start, so wait until one
        # rank has the threads of MPI and the other sleeps.
        end = time.monotonic() + TIMEOUT
        while not (len(ranks := ranks_of(process)) == 2
                   and len(os.listdir(f"/proc/{ranks[0]}/task")) > 1
                   and any("sleep" in command for _, command in children_of(ranks[1]))):
            self.assertLess(time.monotonic(), end, "the ranks did not start")
            time.sleep(0.05)
        return process, ranks

    def assert_all_end(self, process, ranks):
        output, error = process.communicate(timeout=TIMEOUT)
        self.assertNotEqual(process.returncode, 0, error)
        self.assertEqual(output, "")
        for pid in ranks:
            self.assertFalse(goes_on(pid), "a rank goes on")

    def test_a_killed_rank_does_not_hang_the_rest(self):
        for victim in (0, 1):
            process, ranks = self.start_with_a_late_rank()
            os.kill(ranks[victim], signal.SIGKILL)
            self.assert_all_end(process, ranks)

    def test_signals_to_mpirun_end_all_ranks(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process, ranks = self.start_with_a_late_rank()
            process.send_signal(number)
            self.assert_all_end(process, ranks)


if __name__ == "__main__":
    main()
