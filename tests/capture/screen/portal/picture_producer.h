// A desktop's side of a screen cast: a PipeWire node that draws pictures into dma-bufs or shared memory.
#pragma once

#include <pipewire/pipewire.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/os/unique_fd.h"
#include "tests/support/patience.h"

namespace verbcast::testing {

struct ProducerOptions {
    std::uint32_t width = 64, height = 48;
    bool offersDmaBufs = true;
    std::int64_t modifier = 0;  ///< that it insists on
    /// Finds that it cannot make such buffers once they are agreed on, and offers none from then on.
    bool withdraws = false;
    bool ignoresUsers = false;  ///< draws into buffers that are in use
    int most = 16;              ///< buffers, of at least 2
    std::uint32_t padding = 0;  ///< bytes after each row
    std::uint32_t offset = 0;   ///< bytes before the picture
    /// Makes the memory that it calls a dma-buf.
    std::function<UniqueFd(std::uint64_t bytes)> makeBuffer;
    /// Called before it draws into one again.
    std::function<void(int buffer)> beforeDrawing = [](int) {};
};

/// Used by one thread at a time.
class PictureProducer {
  public:
    /// Throws std::runtime_error if PipeWire does not take it.
    PictureProducer(UniqueFd remote, const ProducerOptions& options);
    PictureProducer(const PictureProducer&) = delete;
    PictureProducer& operator=(const PictureProducer&) = delete;

    std::uint32_t node() const { return node_; }

    /// Waits until somebody takes pictures and a buffer is free, draws and sends one; false if none becomes
    /// free.
    bool draw(std::uint32_t seed);
    /// Moves on what PipeWire has left on its way. Any thread may call it.
    void nudge();
    /// From the next picture on. Waits until the consumer has agreed.
    void resize(std::uint32_t width, std::uint32_t height);

    bool inDmaBufs() const;
    std::size_t bufferCount() const;
    /// Inodes of the buffers.
    std::vector<std::uint64_t> inodes() const;

    /// What a picture shows there.
    static std::uint32_t pixel(std::uint32_t seed, std::uint32_t x, std::uint32_t y);

  private:
    struct Delete {
        void operator()(pw_thread_loop* loop) const { pw_thread_loop_destroy(loop); }
        void operator()(pw_context* context) const { pw_context_destroy(context); }
        void operator()(pw_core* core) const { pw_core_disconnect(core); }
        void operator()(pw_stream* stream) const { pw_stream_destroy(stream); }
    };
    struct Stop {
        void operator()(pw_thread_loop* loop) const { pw_thread_loop_stop(loop); }
    };
    template <typename T>
    using Handle = std::unique_ptr<T, Delete>;
    struct Buffer {
        pw_buffer* buffer = nullptr;
        UniqueFd descriptor;
        std::byte* memory = nullptr;
        std::uint64_t bytes = 0;
    };

    std::vector<const spa_pod*> formats(spa_pod_builder& builder) const;
    void offer();
    void askForBuffers();
    void negotiated(const spa_pod* format);
    void add(pw_buffer* buffer);
    void remove(const pw_buffer* buffer);
    void paint(pw_buffer* buffer, std::uint32_t seed);
    bool isStreaming() const { return state_ == PW_STREAM_STATE_STREAMING && !buffers_.empty(); }
    void runCycle(bool withPicture);
    void signal() { pw_thread_loop_signal(loop_.get(), false); }
    template <typename Done>
    bool await(Done&& done, std::chrono::nanoseconds patience = kPatience) const;
    std::uint32_t stride() const { return options_.width * 4 + options_.padding; }
    std::uint64_t bytes() const { return options_.offset + std::uint64_t{stride()} * options_.height; }

    static const pw_stream_events kEvents;

    ProducerOptions options_;
    std::uint32_t node_ = 0;
    // Guarded by the loop's lock:
    bool fixated_ = false, withdrawn_ = false, inDmaBufs_ = false;
    std::uint32_t agreedWidth_ = 0, agreedHeight_ = 0;
    pw_stream_state state_ = PW_STREAM_STATE_UNCONNECTED;
    std::uint64_t done_ = 0;     // what PipeWire tells of cycles
    std::uint64_t removed_ = 0;  // buffers
    bool triggers_ = false;
    std::vector<Buffer> buffers_;
    spa_hook listener_{};
    Handle<pw_thread_loop> loop_;
    Handle<pw_context> context_;
    Handle<pw_core> core_;
    Handle<pw_stream> stream_;
    std::unique_ptr<pw_thread_loop, Stop> running_;  // last: the thread must stop before anything above goes
};

}  // namespace verbcast::testing
