// Shared memory: a ring that its peer changes between two reads, and the whole channel with both ends of a
// stream on top, whose peer sends packets with descriptors, writes records, and rewrites both rings.
//
// A script of shm_sink and shm_source: a byte of options, then acts.
//   0 message      a length (16 bits) and the message, as a record
//   1 frame        ring, slot (a byte each), and a FrameInfo (Script::takeInfo), as a record
//   2 record       a length (16 bits) and bytes, including the kind
//   3 packet       a kind (0: Ring, 1: Memory, 2: Doorbell, else that byte), a ring, a length, a number of
//                  descriptors (a byte each), and the kind of each descriptor (PeerDescriptors)
//   4 ours         rewrites the ring that this side reads (see rewrite())
//   5 theirs       the same for the ring that it writes, once that was passed
//   6 peer-death socket     a length (16 bits) and bytes for the oldest peer-death socket that was passed
//   7 hang up
//   8 and above    the program: its action and an argument (a byte each); see link_ends.cpp
#include "core/transport/shm/shm_channel.h"
#include "tests/fuzz/link_ends.h"
#include "tests/fuzz/shm_peer.h"

namespace verbcast::fuzz {
namespace {

/// A word of the header (0 to 3) or bytes of the records (4).
void rewrite(Script& script, const shm::RingMemory& ring) {
    shm::RingHeader& header = ring.header();
    switch (script.byte() % 5) {
        case 0:
            header.written += static_cast<std::uint64_t>(script.take<std::int64_t>());
            return;
        case 1:
            header.read += static_cast<std::uint64_t>(script.take<std::int64_t>());
            return;
        case 2:
            header.consumerSleep = script.byte();
            return;
        case 3:
            header.producerWaits = script.byte();
            return;
        default: {
            const std::size_t at = script.take<std::uint32_t>() % shm::kRingBytes;
            const Bytes bytes = script.takeBytes(std::min<std::size_t>(script.byte(), shm::kRingBytes - at));
            std::copy(bytes.begin(), bytes.end(), ring.data() + at);
        }
    }
}

class ShmScript {
  public:
    ShmScript(Script& script, LinkEndUnderTest& end) : script_(script), end_(end) {}

    void run() {
        const auto channel = std::make_shared<shm::ShmChannel>(peer_.takeOtherEnd(), "fuzz");
        expectErrors([&] {
            end_.connect(peerOf(
                channel, std::shared_ptr<FramePath>(channel, &channel->path()), [this] { return act(); },
                end_.peer()));
            end_.serve();
            peer_.hangUp();
            end_.letGo();
        });
    }

  private:
    Progress act() {
        if (script_.done()) {
            peer_.hangUp();
            return Progress::Closed;
        }
        switch (script_.byte() % 12) {
            case 0:
                peer_.record(shm::RecordKind::Message, script_.takeText());
                break;
            case 1: {
                const std::uint32_t head[] = {script_.byte(), script_.byte(), 0};
                const FrameInfo info = script_.takeInfo();
                peer_.record(shm::RecordKind::Frame, std::as_bytes(std::span(head)), bytesOf(info));
                break;
            }
            case 2:
                peer_.rawRecord(script_.takeText());
                break;
            case 3:
                peer_.packet(script_);
                break;
            case 4:
                rewrite(script_, peer_.itsRing());
                break;
            case 5:
                peer_.hear();
                if (peer_.ourRing()) {
                    rewrite(script_, peer_.ourRing());
                }
                break;
            case 6:
                peer_.tellDeathSocket(script_.takeText());
                break;
            case 7:
                peer_.hangUp();
                break;
            default:
                end_.actAs(script_);
                return Progress::Idle;
        }
        return Progress::Worked;
    }

    Script& script_;
    LinkEndUnderTest& end_;
    ShmPeer peer_;
};

}  // namespace

FUZZ_TARGET(shm_sink) {
    Script script(input);
    ReceiverEnd end(true, script.flag());
    ShmScript(script, end).run();
}

FUZZ_TARGET(shm_source) {
    Script script(input);
    SenderEnd end(script.byte());
    ShmScript(script, end).run();
}

/// 0: a record, a length (16 bits) and bytes. 1: rewrite(). 2: read. 3: sleep. 4: request room.
FUZZ_TARGET(shm_ring) {
    Script script(input);
    shm::RingProducer producer;
    const shm::RingMemory peers = shm::RingMemory::map(UniqueFd(::dup(producer.descriptor())));
    shm::RingConsumer consumer;
    consumer.attach(shm::RingMemory::map(UniqueFd(::dup(producer.descriptor()))));
    while (!script.done()) {
        expectErrors([&] {
            switch (script.byte() % 5) {
                case 0: {
                    const Bytes record[] = {script.takeText()};
                    if (producer.write(record)) {
                        static_cast<void>(producer.wakeConsumer());
                    }
                    return;
                }
                case 1:
                    rewrite(script, peers);
                    return;
                case 2: {
                    const auto buffer = std::make_unique<std::byte[]>(64);
                    const auto record = consumer.read({buffer.get(), 64});
                    require(record.empty() || (record.data() == buffer.get() && record.size() <= 64),
                            "a record larger than its buffer");
                    static_cast<void>(consumer.takeProducerWaits());
                    return;
                }
                case 3:
                    if (consumer.sleep(shm::Sleep::OnSocket)) {
                        consumer.wakeUp();
                    }
                    return;
                default:
                    static_cast<void>(producer.waitForRoom());
            }
        });
    }
}

}  // namespace verbcast::fuzz
