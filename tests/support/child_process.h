// A program run as a user runs it, with everything that it says.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/base/unique_fd.h"
#include "tests/support/patience.h"

namespace verbcast::testing {

using TestClock = std::chrono::steady_clock;

struct ChildOptions {
    std::string folder;  ///< current folder and TMPDIR of the child; "" keeps this program's
    int input = -1;      ///< its standard input; nothing to read when -1
    int output = -1;     ///< its standard output; captured when -1
};

/// Started by the constructor. Killed by its id and reaped by the destructor; it also dies with this program.
/// Used by one thread.
class ChildProcess {
  public:
    explicit ChildProcess(const std::vector<std::string>& arguments, const ChildOptions& options = {});
    ~ChildProcess();
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    pid_t pid() const { return pid_; }
    /// SIGKILL; returns when it has ended.
    void kill();
    bool running() { return !waitForEnd(std::chrono::milliseconds(0)).has_value(); }
    void signal(int number) const;

    /// The exit code, or 128 and the number of the signal that ended it. Nothing: it runs on.
    std::optional<int> waitForEnd(std::chrono::milliseconds timeout = kPatience);

    /// What it wrote so far; all of it once waitForEnd() has given a code.
    std::string output() const;
    std::string errors() const;
    /// The next line of its output, waited for, without its end. "" when it has ended or says nothing in
    /// time.
    std::string line();

    /// Waits until its standard error holds the text at or after `from`; gives the moment at which it came.
    /// Nothing: it did not come in time, or the program ended without it.
    std::optional<TestClock::time_point> waitForError(const std::string& text, std::size_t from = 0,
                                                      std::chrono::milliseconds timeout = kPatience);
    /// Where its standard error ends now: for waitForError().
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
    UniqueFd process_;  // readable when it has ended
    std::optional<int> exitCode_;

    mutable std::mutex mutex_;  // guards the streams
    std::condition_variable changed_;
    Stream output_;
    std::size_t linesRead_ = 0;  // bytes of output_ that line() gave
    Stream errors_;

    UniqueFd outputPipe_;
    UniqueFd errorPipe_;
    std::jthread outputReader_;  // last: they use what is above
    std::jthread errorReader_;
};

}  // namespace verbcast::testing
