"""Cases that need another kernel, run in tests/support/guest in one boot."""

import json
import os
import shutil
import subprocess

import own_network
import program
from figures import Result

MODULES = "veth bridge sch_netem"
RESULT = "faults-result "
SECONDS_PER_TRIAL = 12  # on an emulated processor


def tell(result):
    """From inside: for the run() outside."""
    print(RESULT + json.dumps(result.json()), flush=True)


def run(cases, options):
    """Their results. In the guest itself (--here) there is no further one: they say what is missing."""
    needs = "" if shutil.which("qemu-system-x86_64") else "apt-get install qemu-system-x86 for a guest"
    if options.here or needs:
        return [_skipped(case, case.missing() + (f"; {needs}" if needs else "")) for case in cases]
    # The guest's own counts, where none is asked for: it has one day only.
    trials = [case.trials(options.quick) if options.trials is None else options.trials for case in cases]
    limit = 120 + sum(max(120, SECONDS_PER_TRIAL * count) for count in trials)
    before, kept = own_network.before()  # the first guest fetches its kernel
    command = [*before, os.path.join(program.ROOT, "tests/support/guest"), "-t", str(limit),
               "--cache", os.path.join(program.ROOT, "build/test/guest"), "--modules", MODULES, "--",
               "python3", os.path.join(program.ROOT, "scripts/faults"), "--here", "--seed", str(options.seed),
               *(["--quick"] if options.quick else []),
               *(["--trials", str(options.trials)] if options.trials else []), *(case.name for case in cases)]
    print(f"in a guest, for want of {', '.join(sorted({case.missing() for case in cases}))}:", flush=True)
    results = {}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, errors="replace", pass_fds=kept) as running:
        for line in running.stdout:
            if line.startswith(RESULT):
                result = Result.of_json(json.loads(line[len(RESULT):]))
                result.name += " (guest)"
                results[result.name] = result
            elif not line.startswith(("|", "seed")):
                print(f"  {line}", end="", flush=True)
    return [results.get(f"{case.name} (guest)") or _unfinished(case, limit) for case in cases]


def _skipped(case, reason):
    result = Result(case.name)
    result.skipped = reason
    return result


def _unfinished(case, limit):
    result = Result(case.name)
    result.fault(f"no result from the guest within {limit} s")
    return result
