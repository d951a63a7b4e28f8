// Starts other programs and waits for their end.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "core/base/os/unique_fd.h"

namespace verbcast {

/// Instead of a descriptor: this process's own, or /dev/null.
inline constexpr int kInherited = -1;
inline constexpr int kNothing = -2;

/// How a program starts. Descriptors are borrowed; all others of this process are closed on exec.
struct SpawnOptions {
    int input = kInherited;
    int output = kInherited;
    int errors = kInherited;
    /// Process group to join; 0: a new one, which it leads; nullopt: this process's.
    std::optional<pid_t> group = std::nullopt;
    /// Unblocks all signals, as a shell does.
    bool usualSignals = false;
    /// With usualSignals: keeps SIGINT blocked, so that Ctrl-C in the terminal reaches only this process.
    bool shielded = false;
    /// "NAME=value" each; null: this process's.
    const std::vector<std::string>* environment = nullptr;
};

/// Ignores the signal in this process, but not in programs that spawn() starts: a signal that this process
/// was started with ignored stays ignored there, too. Call before there are other threads.
void ignoreHere(int signal);
/// Undoes ignoreHere(): before this process becomes another program.
void ignoreNoMore();

/// Starts the program, found through $PATH, with `words` as its arguments including argv[0]; stores its
/// process id in `pid`. Returns 0 or an errno value.
[[nodiscard]] int spawn(pid_t& pid, const std::string& program, const std::vector<std::string>& words,
                        const SpawnOptions& options);

/// A descriptor that becomes readable when that child ends. Empty if the kernel does not support it (before
/// Linux 5.3).
UniqueFd processDescriptor(pid_t child);

struct Pipe {
    UniqueFd reading, writing;
};
/// Not inherited by other programs. `purpose` appears in the error. Throws Error{Resource}.
Pipe makePipe(const std::string& purpose);

/// Returns what the program prints on standard output; drops its standard error. Returns nullopt if it cannot
/// be started, does not end in time (it is then killed), prints a mebibyte or more, or exits with another
/// code than 0.
std::optional<std::string> childOutput(const std::vector<std::string>& command,
                                       std::chrono::milliseconds patience);

}  // namespace verbcast
