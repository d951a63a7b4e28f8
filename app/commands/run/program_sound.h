// The sound that goes with the pictures of a program that `verbcast run` runs.
#pragma once

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "app/commands/send/fresh_notes.h"
#include "app/preload/sound_line.h"

namespace verbcast {

/// Captured in our own process: PipeWire in the program's would share its library, real-time limits and
/// descriptors with the program, and often another process of the program plays than the one that draws.
class ProgramSound {
  public:
    /// `audio`: "auto", what all processes play that this one has started; else a device. Throws
    /// Error{Device}.
    explicit ProgramSound(const std::string& audio);
    ~ProgramSound();
    ProgramSound(const ProgramSound&) = delete;
    ProgramSound& operator=(const ProgramSound&) = delete;

    /// For a library that asks.
    UniqueFd openLine() { return lines_.open(); }
    /// Readable when there are notes to take.
    int descriptor() const { return news_.descriptor(); }
    /// The next ones for the user.
    std::vector<std::string> takeNotes() {
        news_.clear();
        return notes_.take();
    }

  private:
    void run();

    const std::unique_ptr<SoundSource> source_;
    SoundLines lines_;
    FreshNotes notes_;
    Event news_, stop_;
    std::jthread thread_;  // last: it uses everything above
};

}  // namespace verbcast
