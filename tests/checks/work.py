"""Commands, what they take, and what goes on beside them."""

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time

PR_SET_CHILD_SUBREAPER = 36


class Failure(Exception):
    """A stage failed, and has said why."""


class Clock:
    """What each stage took: seconds of wall time and of the processors, with all that it started."""

    def __init__(self):
        # What outlives the program that started it becomes ours, and counts.
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        self.rows = []
        self._lock = threading.Lock()
        self._begun = time.monotonic()

    def add(self, name, wall, processor):
        with self._lock:
            for row in self.rows:
                if row[0] == name:
                    row[1] += wall
                    row[2] += processor
                    return
            self.rows.append([name, wall, processor])

    def processor_seconds(self):
        """Of everything that has ended: what no stage waited for, too."""
        while True:
            try:
                if os.waitpid(-1, os.WNOHANG)[0] == 0:
                    break
            except ChildProcessError:
                break
        used = os.times()
        return used.user + used.system + used.children_user + used.children_system

    def table(self):
        total = self.processor_seconds()
        wall = time.monotonic() - self._begun
        rows = [*self.rows, ["in all", wall, total]]
        return "\n".join([f"{'':40}{'wall':>8}{'processor':>12}"] + [
            f"{name:40}{minutes(seconds):>8}{processor:>10.0f} s" for name, seconds, processor in rows])


YARDSTICK = "#include <nlohmann/json.hpp>\nstd::string text(const nlohmann::json& json) { return json.dump(); }\n"
YARDSTICK_SECONDS = 2.5  # of the processors for which a budget is meant


def slowness():
    """How many times longer than on the processors of the budget work takes here, with all processors busy as in a run."""
    command = ("c++", "-std=c++20", "-O1", "-x", "c++", "-c", "-o", "/dev/null", "-")
    running = []
    for _ in range(os.cpu_count()):
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
        process.stdin.write(YARDSTICK.encode())
        process.stdin.close()
        running.append(process)
    results = [wait(process) for process in running]
    used = sum(seconds for status, seconds in results if status == 0) / len(results)
    return used / YARDSTICK_SECONDS if used else 1.0


def minutes(seconds):
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def say(text=""):
    print(text, flush=True)


def wait(process):
    """The exit status of a subprocess, and the processor seconds of it and of all that it waited for."""
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, used.ru_utime + used.ru_stime


# For compilers: their heap in huge pages, and grown by 64 MiB at a time. clang takes a quarter to a third less with it.
LARGE_HEAP = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1:glibc.malloc.top_pad=67108864:glibc.malloc.mmap_threshold=67108864:"
                                "glibc.malloc.trim_threshold=536870912"}


class Running:
    """A command in a process group of its own; not in a session of its own, for sessions share the processors evenly, and
    idle work would be idle only beside its like."""

    def __init__(self, clock, name, command, log=None, idle=False, environment=None):
        """LOG: the file that gets its output. ENVIRONMENT: variables beside those of this process."""
        self._clock, self._name, self._begun = clock, name, time.monotonic()
        if idle:
            command = ("chrt", "--idle", "0", *command)
        output = open(log, "ab") if log else None
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output,
                                        stderr=subprocess.STDOUT if output else None, process_group=0,
                                        env={**os.environ, **(environment or {})})
        if log:
            output.close()

    def wait(self):
        """The exit status."""
        status, used = wait(self.process)
        self._clock.add(self._name, time.monotonic() - self._begun, used)
        return status

    def signal(self, number):
        try:
            os.killpg(self.process.pid, number)
        except ProcessLookupError:
            pass

    def end(self):
        self.signal(signal.SIGTERM)
        self.signal(signal.SIGCONT)


def run(clock, name, command, log=None, environment=None):
    """Runs it to its end; throws Failure and shows the end of LOG if that was bad."""
    if log and os.path.exists(log):
        os.remove(log)
    running = Running(clock, name, command, log=log, environment=environment)
    try:
        status = running.wait()
    except BaseException:
        running.end()
        raise
    if status != 0:
        if log:
            sys.stdout.write("".join(open(log, errors="replace").readlines()[-60:]))
        words = " ".join(command)
        raise Failure(f"{words if len(words) < 200 else words[:200] + '...'} ended with {status}")


class Builder:
    """Builds what later stages need with the time that the tests leave: one build after the other."""

    def __init__(self):
        self._names = set()
        self._results = {}
        self._current = None
        self._stopped = False
        self._thread = None
        self._changed = threading.Condition()

    def begin(self, builds):
        """BUILDS: by name, functions that begin its commands (Running), one after the other."""
        self._names = set(builds)
        self._thread = threading.Thread(target=self._build, args=(list(builds.items()),), daemon=True)
        self._thread.start()

    def _build(self, builds):
        for name, commands in builds:
            result = None
            try:
                for make in commands:
                    with self._changed:
                        if self._stopped:
                            return
                        self._current = running = make()
                    if (status := running.wait()) != 0:
                        result = f"ended with {status}"
                        break
            except OSError as error:
                result = str(error)
            with self._changed:
                self._current = None
                self._results[name] = result
                self._changed.notify_all()

    def has(self, name):
        return name in self._names

    def finish(self, name):
        """Waits for that build; what went wrong, if anything."""
        with self._changed:
            while name not in self._results:
                self._changed.wait(1)
                if self._stopped:
                    raise Failure("interrupted")
            return self._results[name]

    def pause(self):
        if current := self._current:
            current.signal(signal.SIGSTOP)

    def go_on(self):
        if current := self._current:
            current.signal(signal.SIGCONT)

    def end(self):
        with self._changed:
            self._stopped = True
            if self._current:
                self._current.end()
