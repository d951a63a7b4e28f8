// A program under attack, and the good peer that it must still serve.
#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "core/session/messages/messages.h"
#include "tests/support/transport_under_test.h"
#include "tests/support/verbcast_program.h"

namespace verbcast::testing {

enum class VictimKind { Sender, Viewer, Relay, Pipe };

/// A victim with a stream that the test feeds: frame by frame, waiting for each at the far end, so that none
/// is lost however fast the machine is.
class Victim {
  public:
    Victim(VictimKind kind, const TransportUnderTest& transport, const TemporaryFolder& home,
           const Arguments& more = {});

    /// Where unknown peers connect.
    Url url() const { return parseUrl(address_); }
    const std::string& address() const { return address_; }
    Verbcast& program() { return *victim_; }

    /// Starts the good peer.
    void meet();
    /// Sends the next frame and waits until it has arrived.
    void feed();
    /// Ends the stream; returns what arrived: a line or a hash for each frame.
    std::vector<std::string> finish();
    /// The victim's peak resident memory, in bytes.
    std::uint64_t peakMemory() const;

  private:
    std::unique_ptr<Verbcast> start(const Arguments& arguments, int input = -1) const;
    Verbcast& lastProgram() { return good_ ? *good_ : *victim_; }
    void write(unsigned number) const;

    VictimKind kind_;
    const TemporaryFolder& home_;
    Arguments more_;
    UniqueFd reading_, writing_;  // the source of the stream
    std::unique_ptr<Verbcast> source_;
    std::unique_ptr<Verbcast> victim_;
    std::unique_ptr<Verbcast> good_;  // at the far end; none if the victim is the end
    std::string address_;
    std::vector<std::string> arrived_;
    unsigned fed_ = 0;
};

/// The role that unknown peers announce to be accepted by this victim.
Role roleOfStrangersAt(VictimKind kind);
std::string victimName(VictimKind kind);

}  // namespace verbcast::testing
