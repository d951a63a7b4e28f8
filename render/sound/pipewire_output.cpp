#include "render/sound/pipewire_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <utility>

#include "core/base/error.h"
#include "core/base/log/log.h"
#include "core/pipewire/sound_stream.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

constexpr auto kAnswerPatience = 2s;
// Cycles of the graph in a second that are asked for.
constexpr std::uint32_t kCycles = 100;

class PipeWireOutput final : public SoundOutput, private SoundStream::User {
  public:
    PipeWireOutput(const SoundOutputOptions& options, const std::string& name, const std::string& otherwise,
                   bool tries, SoundFiller& filler)
        : filler_(filler),
          tries_(tries),
          stream_({.target = name,
                   .title = options.name,
                   .rate = options.rate,
                   .channels = options.channels,
                   .layout = options.layout,
                   .quantum = std::bit_ceil(options.rate / kCycles),
                   .withoutDaemon = otherwise,
                   .told =
                       [this](const std::string& problem) {
                           if (!tries_) {
                               log(LogCategory::Render).warn("no sound is heard: {}", problem);
                           }
                       }},
                  *this) {}

    SoundOutputStatus status() const override {
        const SoundStream::State state = stream_.state();
        return {.device = state.device.empty() ? "" : fmt::format("{} (PipeWire)", state.device),
                .problem = state.problem,
                .rate = state.format.rate,
                .channels = state.format.channels,
                .delay = delay_,
                .underruns = underruns_};
    }
    const SoundStream& stream() const { return stream_; }
    /// From now on problems are logged: another output is not tried.
    void stay() { tries_ = false; }

  private:
    void process(pw_stream& stream) noexcept override {
        pw_buffer* const buffer = pw_stream_dequeue_buffer(&stream);
        const SoundStream::Format format = stream_.format();
        if (buffer == nullptr) {
            return;
        }
        spa_data& data = buffer->buffer->datas[0];
        const std::uint32_t stride = format.channels * sizeof(float);
        if (data.data != nullptr && format.rate != 0) {
            const std::uint64_t room = data.maxsize / stride;
            const std::uint64_t wanted = buffer->requested != 0 ? buffer->requested : room;
            const auto samples = static_cast<std::uint32_t>(std::min(room, wanted));
            const SoundStream::Moment moment = stream_.moment(stream, samples);
            delay_.store(elapsedNs(nowNs(), moment.at), std::memory_order_relaxed);
            if (moment.gap) {
                underruns_.fetch_add(1, std::memory_order_relaxed);
            }
            filler_.fill({static_cast<float*>(data.data), std::size_t{samples} * format.channels},
                         format.channels, format.rate, moment.at);
            data.chunk->offset = 0;
            data.chunk->stride = static_cast<std::int32_t>(stride);
            data.chunk->size = samples * stride;
            buffer->size = samples;
        }
        pw_stream_queue_buffer(&stream, buffer);
    }

    SoundFiller& filler_;
    std::atomic<bool> tries_;
    std::atomic<TimestampNs> delay_{0};
    std::atomic<std::uint64_t> underruns_{0};
    SoundStream stream_;  // last: its threads use everything above
};

}  // namespace

std::unique_ptr<SoundOutput> openPipeWireOutput(const SoundOutputOptions& options, const std::string& name,
                                                SoundChoice choice, const std::string& otherwise,
                                                SoundFiller& filler) {
    try {
        const bool tries = choice == SoundChoice::IfThere;
        auto output = std::make_unique<PipeWireOutput>(options, name, otherwise, tries, filler);
        const bool isThere =
            output->stream().awaitDaemon(Deadline::in(kAnswerPatience)) && output->stream().hasTarget();
        if (tries && !isThere) {
            return nullptr;
        }
        output->stay();
        return output;
    } catch (const Error& error) {  // PipeWire's own files are not installed
        log(LogCategory::Render).debug("{}", error.what());
        return nullptr;
    }
}

}  // namespace verbcast
