"""What the tests of the program under mpirun share: several processes of this machine as ranks."""
import json
import os
import pathlib
import shutil
import subprocess
import unittest

from commonplace import PROGRAM, CommandLineTest

MPI_PROGRAM = pathlib.Path(PROGRAM).with_name("commonplace-mpi")
# As tests/mpi/CMakeLists.txt has it: as root, more ranks than processors, without a network.
ENVIRONMENT = os.environ | {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "OMPI_MCA_btl": "self,vader",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
}
TIMEOUT = 60


def need_mpi():
    if shutil.which("mpirun") is None:
        raise unittest.SkipTest("mpirun is not installed")
    if not MPI_PROGRAM.exists():
        raise unittest.SkipTest("commonplace-mpi was not built: MPI was not found")


class MpiTest(CommandLineTest):
    @classmethod
    def setUpClass(cls):
        need_mpi()

    def mpirun(self, ranks, *arguments, code=0, options=()):
        done = subprocess.run(
            ["mpirun", "-n", str(ranks), *options, str(MPI_PROGRAM), *map(str, arguments)],
            capture_output=True, text=True, env=ENVIRONMENT, timeout=TIMEOUT)
        self.assertEqual(done.returncode, code, f"{arguments}: {done.stdout}{done.stderr}")
        return done

    @staticmethod
    def parsed(done):
        return json.loads(done.stdout)
