// The messages between our library in a program and `verbcast run`.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/os/unique_fd.h"

namespace verbcast {

enum class RunStatus : char {
    Loaded = 'l',      ///< our library was loaded into a program of the process tree
    Swapped = 's',     ///< the program has shown an OpenGL picture
    WantsStats = 'w',  ///< asks for the descriptor for statistics, see RunLine
    WantsSound = 'a',  ///< asks for a line of SoundLines
    Statistics = 'r',  ///< of the stream so far; the text is statsJson()
    Over = 'e',        ///< the stream ended before the program; the text is a RunEnd
};

/// How a stream ended before its program.
struct RunEnd {
    int exitCode = 0;    ///< of `verbcast run`
    std::string reason;  ///< exit_reason of the statistics

    std::string text() const;
    /// Returns nullopt for anything that text() did not write.
    static std::optional<RunEnd> fromText(std::string_view text);
};

/// The end of `verbcast run`: a named socket, so that nothing has to be inherited, since a launcher may close
/// all descriptors or reuse their numbers. Listens to its own user only. Thread-bound.
class RunLine {
  public:
    /// `stats` stays the caller's; -1: none to hand out. `openSound`: for the answer to WantsSound; null:
    /// there is none. Throws Error{Resource}.
    explicit RunLine(int stats, std::function<UniqueFd()> openSound = nullptr);

    /// For RunSettings.
    const std::string& name() const { return name_; }
    /// Readable when a message has come.
    int descriptor() const { return socket_.get(); }
    /// Takes all messages that have come.
    void hear();
    bool loaded() const { return loaded_; }
    bool swapped() const { return swapped_; }
    /// The last statistics received; empty before.
    const std::string& statistics() const { return statistics_; }
    const std::optional<RunEnd>& end() const { return end_; }

  private:
    UniqueFd socket_;
    std::string name_;
    int stats_;
    std::function<UniqueFd()> openSound_;
    bool loaded_ = false, swapped_ = false;
    std::string statistics_;
    std::optional<RunEnd> end_;
};

/// The library's end. `runner`: RunLine::name(). Does nothing if nobody listens any more; waits at most a
/// second for a busy runner, unless the message may be missed.
void tellRunner(const std::string& runner, RunStatus status, std::string_view text = {},
                bool mayMiss = false);
/// The descriptor for statistics, or the line for sound; empty if the runner has none or does not answer.
UniqueFd askRunner(const std::string& runner, RunStatus wanted);

}  // namespace verbcast
