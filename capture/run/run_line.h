// What a program with our library in it tells `verbcast run`, and asks of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/unique_fd.h"

namespace verbcast {

enum class RunStatus : char {
    Loaded = 'l',        ///< into a program of the process tree
    Swapped = 's',       ///< the program has shown an OpenGL picture
    WantsFigures = 'f',  ///< it is sent the descriptor for them, see RunLine
    Statistics = 'r',    ///< of the stream so far, statsJson() in the text
    Over = 'e',          ///< the stream has ended before the program, RunEnd in the text
};

/// How a stream ended before its program.
struct RunEnd {
    int exitCode = 0;    ///< of `verbcast run`
    std::string reason;  ///< exit_reason of the statistics

    std::string text() const;
    /// Nothing for what text() has not written.
    static std::optional<RunEnd> fromText(std::string_view text);
};

/// The end of `verbcast run`: a socket with a name, so that nothing has to be inherited: a launcher may close
/// all descriptors, or have others of their numbers. Hears its own user alone. Thread-bound.
class RunLine {
  public:
    /// `figures` stays the caller's; -1: there is none to hand out. Throws Error{Resource}.
    explicit RunLine(int figures);

    /// For RunSettings.
    const std::string& name() const { return name_; }
    /// Readable when somebody has told something.
    int descriptor() const { return socket_.get(); }
    /// Takes all that has come.
    void hear();
    bool loaded() const { return loaded_; }
    bool swapped() const { return swapped_; }
    /// The last that was told; empty before.
    const std::string& statistics() const { return statistics_; }
    const std::optional<RunEnd>& end() const { return end_; }

  private:
    UniqueFd socket_;
    std::string name_;
    int figures_;
    bool loaded_ = false, swapped_ = false;
    std::string statistics_;
    std::optional<RunEnd> end_;
};

/// The library's end. `runner`: RunLine::name(). Nothing happens where nobody listens any more; a runner that
/// has no time is waited for, at most a second.
void tellRunner(const std::string& runner, RunStatus status, std::string_view text = {});
/// What may be missed: nobody waits for a runner that has no time.
void tellRunnerIfItListens(const std::string& runner, RunStatus status, std::string_view text = {});
/// The descriptor for figures. Empty: the runner has none, or does not answer.
UniqueFd askRunnerForFigures(const std::string& runner);

}  // namespace verbcast
