// Receives a group by UDP: one recvmmsg() for 64 datagrams or more, straight to where the next chunks of the
// frame belong. Steps: 1. guess; 2. recvmmsg; 3. check heads, sizes, sources and tags; 4. accept what lies
// where it belongs; 5. set aside all that does not, then copy it to its place. A guess touches only missing
// chunks of a frame that no repair is being written into. No allocation, no lock. What it costs:
// scripts/multicast
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <array>

#include "core/base/os/unique_fd.h"
#include "core/multicast/group_intake.h"

namespace verbcast {

/// Payload copies: one, by the kernel, from its buffers into the slot where the next chunk is expected.
/// Chunks that arrive otherwise (behind a loss) are moved once more, and so are encrypted ones.
class UdpIntake final : public GroupIntake {
  public:
    /// Joins the group. Throws Error{Network, Resource} with a remedy.
    UdpIntake(const multicast::GroupAddress& group, const multicast::GroupInterface& interface,
              const GroupOffer& offer, DatagramKeys& keys, GroupTally& tally);

    std::string describe() const override { return "UDP, " + interface_.name; }
    void tellJoined(GroupChannel& channel) const override { channel.tell(GroupJoined{interface_.bitRate}); }
    std::string whySilent() const override;
    std::vector<int> descriptors() const override { return {socket_.get()}; }
    bool receive(FrameAssembly& frames) override;

  private:
    /// Places for datagrams, in the order in which they are expected. The head and the tag of each go here,
    /// and the payload where it is expected to belong: in its slot, or in `scratch`. The kernel gives
    /// datagrams one by one, or several as one message (UDP_GRO), cut where each ends; so a message is a run
    /// of places.
    struct Batch {
        static constexpr std::size_t kMessages = 64;
        static constexpr std::size_t kMessageBytes = 65'535;

        Batch(std::uint32_t bytesOfChunks, std::size_t bytesOfTag)
            : chunkBytes(bytesOfChunks),
              tagBytes(bytesOfTag),
              perMessage(kMessageBytes / datagramBytes() + 1),
              places(std::max<std::size_t>(kMessages, 4 * perMessage)),
              scratch(places * chunkBytes),
              heads(places),
              tags(places),
              pieces(3 * places + kMessages),
              found(places) {}

        std::size_t datagramBytes() const { return multicast::kHeadBytes + chunkBytes + tagBytes; }
        std::byte* scratchOf(std::size_t place) { return scratch.data() + place * chunkBytes; }
        std::byte* payloadOf(std::size_t place) const { return found[place].payload; }
        /// Lays out each message as a run of places: one, or as many as a message can hold.
        void layOut() {
            runs = merged ? perMessage : 1;
            count = merged ? places / perMessage : kMessages;
            std::size_t piece = 0;
            for (std::size_t i = 0; i < count; ++i) {
                msghdr& header = messages[i].msg_hdr;
                header.msg_iov = &pieces[piece];
                header.msg_name = &from[i];
                header.msg_namelen = sizeof from[i];
                const std::size_t begin = piece;
                for (std::size_t place = i * runs; place < (i + 1) * runs; ++place) {
                    pieces[piece++] = {heads[place].data(), heads[place].size()};
                    pieces[piece++] = {found[place].payload, chunkBytes};
                    if (tagBytes > 0) {
                        pieces[piece++] = {tags[place].data(), tagBytes};
                    }
                }
                header.msg_iovlen = piece - begin;
            }
        }

        const std::uint32_t chunkBytes;
        const std::size_t tagBytes;
        const std::size_t perMessage;
        const std::size_t places;
        std::size_t runs = 1, count = 0;
        bool merged = true;  // messages are expected to hold several
        std::vector<std::byte> scratch;
        std::vector<std::array<std::byte, multicast::kHeadBytes>> heads;
        std::vector<std::array<std::byte, multicast::kTagBytes>> tags;
        std::vector<iovec> pieces;
        std::array<sockaddr_in, kMessages> from{};
        std::array<mmsghdr, kMessages> messages{};
        struct Found {
            multicast::DatagramHead head;
            std::byte* payload = nullptr;  ///< where it was expected to belong
            std::uint32_t bytes = 0;
            bool misplaced = false;
        };
        std::vector<Found> found;
    };

    std::string_view otherStream() const override { return "another stream to the same group and port"; }
    void takeBatch(FrameAssembly& frames, std::size_t messages, TimestampNs now);
    bool takeOne(FrameAssembly& frames, std::size_t place, std::size_t bytes, const sockaddr_in& from,
                 TimestampNs now);
    void movePlaces(FrameAssembly& frames, std::size_t taken, TimestampNs now);

    const multicast::GroupInterface interface_;
    const UniqueFd socket_;
    Batch batch_;
};

}  // namespace verbcast
