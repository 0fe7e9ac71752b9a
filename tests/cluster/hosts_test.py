"""commonplace-mpi on several hosts, which are network namespaces of this machine."""
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import unittest

import hosts

PLAIN = os.environ["COMMONPLACE"]
PROGRAM = pathlib.Path(PLAIN).with_name("commonplace-mpi")


def setUpModule():
    if not PROGRAM.exists():
        raise unittest.SkipTest("commonplace-mpi was not built: MPI was not found")
    reason = hosts.why_not()
    if reason:
        raise unittest.SkipTest(reason)


def namespaces():
    return [line.split()[0] for line in hosts.ip("netns", "list").splitlines()]


class Cluster(unittest.TestCase):
    def test_ranks_run_on_the_hosts_they_were_given(self):
        with hosts.Hosts(3) as cluster:
            done = cluster.mpirun([PROGRAM, "version", "--json"])
            self.assertEqual(done.returncode, 0, done.stderr)
            found = json.loads(done.stdout)
            self.assertEqual(found["ranks"], 3)
            self.assertEqual([(each["host"], each["ranks"]) for each in found["hosts"]],
                             [("host1", 1), ("host2", 1), ("host3", 1)])
            done = cluster.mpirun([PROGRAM, "version"])
            self.assertIn(": 3 ranks on 3 hosts\n", done.stdout)
            self.assertEqual(done.stdout.count("commonplace "), 1)

    def test_collective_calls_over_the_network(self):
        with hosts.Hosts(3) as cluster:
            done = cluster.mpirun([os.environ["MPI_RANKS"], "check-hosts", "3"])
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_hosts_of_several_ranks(self):
        with hosts.Hosts(2) as cluster:
            done = cluster.mpirun([PROGRAM, "version", "--json"], ranks_per_host=2)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual([each["ranks"] for each in json.loads(done.stdout)["hosts"]], [2, 2])

    def test_a_model_learned_by_three_hosts(self):
        """As by one process, through a folder that all hosts see."""
        draw = random.Random(5)
        words = [["owl", "night"], ["ship", "water"], ["wheel", "steel"]]
        lines, rows = [], []
        for i in range(300):
            tags = words[i % 3][: 1 + draw.randrange(2)]
            lines.append(json.dumps({"id": f"i{i}", "tags": tags}))
            rows.append(",".join(f"{(j == i % 3) + draw.gauss(0, 0.5):.4f}" for j in range(8)))
        with hosts.Hosts(3) as cluster, tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "photos.jsonl").write_text("\n".join(lines) + "\n")
            (folder / "look.csv").write_text("\n".join(rows) + "\n")
            library = folder / "library"

            def alone(*arguments):
                done = subprocess.run([PLAIN, *map(str, arguments), "--json"], capture_output=True,
                                      text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                return json.loads(done.stdout)

            subprocess.run([PLAIN, "init", library], check=True, capture_output=True)
            alone("add", library, "photos", folder / "photos.jsonl")
            alone("features", library, "photos", "--name", "look", "--from", folder / "look.csv")
            learn = ["learn", library, "detect", "--collection", "photos", "--min-uses", "5",
                     "--representation", "axis", "--count", "12"]
            expected = alone(*learn)
            ranked = [alone("detect", library, word, "-l", "80") for word in ("owl", "steel")]
            done = cluster.mpirun([PROGRAM, *learn, "--json", "--profile", folder / "profile.json"])
            self.assertEqual(done.returncode, 0, done.stderr)
            found = json.loads(done.stdout)
            self.assertAlmostEqual(found["miap"], expected["miap"], delta=1e-4)
            self.assertEqual(found["lambda"], expected["lambda"])
            self.assertRegex(done.stderr, r"(?s)host1.*host2.*host3")
            again = [alone("detect", library, word, "-l", "80") for word in ("owl", "steel")]
            for now, before in zip(again, ranked):
                scores = {each["id"]: each["score"] for each in before["results"]}
                for each in now["results"]:
                    self.assertAlmostEqual(each["score"], scores.get(each["id"], each["score"]),
                                           delta=1e-3)
                common = scores.keys() & {each["id"] for each in now["results"]}
                self.assertGreaterEqual(len(common), 78)

    def test_a_lost_host_ends_the_job(self):
        waiting = pathlib.Path(os.environ["MPI_RANKS"])
        with hosts.Hosts(3) as cluster:
            process = cluster.start([waiting, "wait", "1"], stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, text=True)
            self.assertRegex(process.stdout.readline(), "rank 1 is process")
            # Both the rank and the daemon that mpirun started there.
            daemons = cluster.processes(1, "orted")
            self.assertEqual(len(daemons), 1)
            for pid in cluster.processes(1, waiting.name) + daemons:
                os.kill(pid, signal.SIGKILL)
            _, error = process.communicate(timeout=60)
            self.assertNotEqual(process.returncode, 0, error)
            self.assertEqual(cluster.processes(0, waiting.name), [])

    def test_nothing_is_left_behind(self):
        with self.assertRaisesRegex(RuntimeError, "in the block"):
            with hosts.Hosts(2) as cluster:
                mine = {*cluster.namespaces, cluster.switch}
                self.assertLessEqual(mine, {*namespaces()})
                sleeper = subprocess.Popen(cluster.command(1, ["sleep", "100"]))
                raise RuntimeError("in the block")
        self.assertEqual(mine & {*namespaces()}, set())
        self.assertFalse(cluster.folder.exists())
        self.assertEqual(sleeper.wait(timeout=10), -9)


if __name__ == "__main__":
    sys.exit(0 if unittest.main(exit=False).result.wasSuccessful() else 1)
