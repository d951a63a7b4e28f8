// A ring that its peer changes while it is read. The input: words that the peer's thread writes repeatedly,
// in order, into the header and over the start of the ring: an offset (16 bits) and a value (32 bits) each.
#include <array>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "core/transport/shm/shm_ring.h"
#include "tests/fuzz/script.h"

namespace verbcast::fuzz {
namespace {

constexpr int kReads = 200;

struct Word {
    std::uint32_t offset;  // from the header's start, in words
    std::uint32_t value;
};

/// A thread that writes between begin() and end(). It lives as long as the process.
class Rewriter {
  public:
    ~Rewriter() { enter(Phase::Over); }
    void begin(const shm::RingMemory& ring, std::vector<Word> words) {
        memory_ = reinterpret_cast<std::uint32_t*>(&ring.header());
        words_ = std::move(words);
        enter(Phase::Writing);
    }
    void end() {
        enter(Phase::Ending);
        phase_.wait(Phase::Ending);
    }

  private:
    enum class Phase { Idle, Writing, Ending, Over };

    void enter(Phase phase) {
        phase_ = phase;
        phase_.notify_all();
    }
    void run() {
        for (;;) {
            phase_.wait(Phase::Idle);
            while (phase_ == Phase::Writing) {
                for (const Word& word : words_) {
                    __atomic_store_n(memory_ + word.offset, word.value, __ATOMIC_RELAXED);
                }
            }
            if (phase_ == Phase::Over) {
                return;
            }
            enter(Phase::Idle);
        }
    }

    std::uint32_t* memory_ = nullptr;
    std::vector<Word> words_;
    std::atomic<Phase> phase_{Phase::Idle};
    std::jthread thread_{[this] { run(); }};
};

std::vector<Word> wordsOf(Bytes input) {
    Script script(input);
    std::vector<Word> words;
    while (!script.done()) {
        const auto offset = script.take<std::uint16_t>();
        words.push_back({offset, script.take<std::uint32_t>()});
    }
    return words;
}

}  // namespace

FUZZ_TARGET(shm_ring_race) {
    static Rewriter rewriter;
    shm::RingProducer producer;
    const shm::RingMemory peers = shm::RingMemory::map(UniqueFd(::dup(producer.descriptor())));
    shm::RingConsumer consumer;
    consumer.attach(shm::RingMemory::map(UniqueFd(::dup(producer.descriptor()))));
    const std::array<std::byte, 24> bytes{};
    const std::array<Bytes, 1> record{bytes};
    rewriter.begin(peers, wordsOf(input));
    for (int i = 0; i < kReads; ++i) {
        expectErrors([&] {
            if (producer.write(record)) {
                static_cast<void>(producer.wakeConsumer());
            }
        });
        expectErrors([&] {
            const auto buffer = std::make_unique<std::byte[]>(64);
            const auto got = consumer.read({buffer.get(), 64});
            require(got.size() <= 64, "a record larger than its buffer");
            static_cast<void>(consumer.takeProducerWaits());
        });
        static_cast<void>(producer.waitForRoom());
    }
    rewriter.end();
}

}  // namespace verbcast::fuzz
