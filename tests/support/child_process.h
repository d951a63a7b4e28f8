// Runs a program as a user does, and captures everything that it prints.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/base/os/unique_fd.h"
#include "tests/support/patience.h"

namespace verbcast::testing {

using TestClock = std::chrono::steady_clock;

struct ChildOptions {
    std::string folder;  ///< current folder and TMPDIR of the child; "" keeps this program's
    int input = -1;      ///< its standard input; -1: empty
    int output = -1;     ///< its standard output; -1: captured
};

/// The constructor starts it; the destructor kills it by its id and reaps it. It also dies with this program.
/// Used by one thread.
class ChildProcess {
  public:
    explicit ChildProcess(const std::vector<std::string>& arguments, const ChildOptions& options = {});
    ~ChildProcess();
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    pid_t pid() const { return pid_; }
    /// Sends SIGKILL and returns when it has ended.
    void kill();
    bool running() { return !waitForEnd(std::chrono::milliseconds(0)).has_value(); }
    void signal(int number) const;
    /// Waits until it handles the signal; false if it has ended or does not in time. A program that has just
    /// started would die of the signal.
    bool waitUntilItHandles(int number);

    /// The exit code, or 128 plus the number of the signal that ended it. Returns nullopt if it still runs.
    std::optional<int> waitForEnd(std::chrono::milliseconds timeout = kPatience);

    /// Its output so far; complete once waitForEnd() has returned a code.
    std::string output() const;
    std::string errors() const;
    /// Waits for the next line of its output and returns it without the newline. "" if it has ended or prints
    /// nothing in time.
    std::string line();

    /// Waits until its standard error contains the text at or after `from`, and returns when that came.
    /// Returns nullopt if it did not come in time, or the program ended without it.
    std::optional<TestClock::time_point> waitForError(const std::string& text, std::size_t from = 0,
                                                      std::chrono::milliseconds timeout = kPatience);
    /// The current end of its standard error, for waitForError().
    std::size_t errorMark() const;

  private:
    struct Stream {
        struct Piece {
            std::size_t end;
            TestClock::time_point at;
        };
        std::string text;
        std::vector<Piece> pieces;
        bool ended = false;
    };

    void read(int descriptor, Stream& stream);
    void reap(int status);

    pid_t pid_ = -1;
    UniqueFd process_;  // readable once it has ended
    std::optional<int> exitCode_;

    mutable std::mutex mutex_;  // guards the streams
    std::condition_variable changed_;
    Stream output_;
    std::size_t linesRead_ = 0;  // bytes of output_ that line() has returned
    Stream errors_;

    UniqueFd outputPipe_;
    UniqueFd errorPipe_;
    std::jthread outputReader_;  // last: they use everything above
    std::jthread errorReader_;
};

}  // namespace verbcast::testing
