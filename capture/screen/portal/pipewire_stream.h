// Receives the newest pictures of a PipeWire node.
#pragma once

#include <pipewire/pipewire.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/base/event.h"
#include "core/base/unique_fd.h"
#include "core/video/picture_changes.h"
#include "core/video/video_format.h"

namespace verbcast {

/// The layout of a picture; its pixels have 4 bytes.
struct PictureLayout {
    std::uint32_t width = 0, height = 0;
    PixelFormat pixelFormat = PixelFormat::bgra;
    std::uint16_t rotation = 0;  ///< degrees to turn it clockwise for display
    bool mirrored = false;       ///< also mirrored, which nobody undoes
    friend bool operator==(const PictureLayout&, const PictureLayout&) = default;
};

/// Consumes one node. PipeWire's own threads keep the newest picture and return all older ones, so that the
/// producer never waits for us and our picture is never stale. The pictures are in the producer's memory
/// (memfd) and are copied from there once.
///
/// Used by one thread; its lock is held while a picture is copied.
class PipeWireStream {
  public:
    /// Connects through `remote` and waits until the format is agreed on: some desktops send the first
    /// picture only when something changes. Throws Error{Display}.
    PipeWireStream(UniqueFd remote, std::uint32_t node, Rational fastest, std::chrono::milliseconds patience,
                   const Event* cancel = nullptr);
    PipeWireStream(const PipeWireStream&) = delete;
    PipeWireStream& operator=(const PipeWireStream&) = delete;

    /// Readable when a picture has come or the stream has ended, until the next clearNews().
    int descriptor() const { return news_.descriptor(); }
    void clearNews() const { news_.clear(); }

    /// The layout of the pending picture; nullopt if there is none.
    std::optional<PictureLayout> waiting() const;
    /// The layout first agreed on.
    const PictureLayout& agreed() const { return agreed_; }
    /// When a taken picture was made, and what changed in it.
    struct Taken {
        TimestampNs at = 0;  ///< when the producer made it
        /// Since the last picture taken, including those returned unseen, as the producer tells. All if it
        /// tells nothing, skipped pictures or turned them.
        PictureChanges changed = PictureChanges::all();
    };
    /// Copies the pending picture, rows without padding, and returns it to PipeWire. Returns nullopt if none
    /// with that layout is pending.
    std::optional<Taken> take(const PictureLayout& layout, std::byte* target);

    /// Whether the node is gone: the desktop has stopped. Throws Error{Display} if PipeWire has failed.
    bool hasEnded() const;

  private:
    struct Picture {
        pw_buffer* buffer = nullptr;  // owned by the stream
        PictureLayout layout;
        const std::byte* firstRow = nullptr;
        std::ptrdiff_t stride = 0;
        spa_point origin{};  // within the buffer
        TimestampNs takenAt = 0;
    };
    struct Delete {
        void operator()(pw_thread_loop* loop) const { pw_thread_loop_destroy(loop); }
        void operator()(pw_context* context) const { pw_context_destroy(context); }
        void operator()(pw_core* core) const { pw_core_disconnect(core); }
        void operator()(pw_registry* registry) const {
            pw_proxy_destroy(reinterpret_cast<pw_proxy*>(registry));
        }
        void operator()(pw_stream* stream) const { pw_stream_destroy(stream); }
    };
    struct Stop {
        void operator()(pw_thread_loop* loop) const { pw_thread_loop_stop(loop); }
    };
    template <typename T>
    using Handle = std::unique_ptr<T, Delete>;

    void connect(UniqueFd remote, Rational fastest);
    PictureLayout awaitFormat(std::chrono::milliseconds patience, const Event* cancel) const;
    std::optional<PictureLayout> expected() const;
    // On the loop's thread, with its lock:
    void negotiated(const spa_pod* parameter);
    void process();
    std::optional<Picture> understood(pw_buffer* buffer) const;
    void noteChanges(const spa_buffer& buffer, const std::optional<Picture>& picture);
    void removed(const pw_buffer* buffer);
    void fail(const std::string& problem);
    void end();

    static const pw_core_events kCoreEvents;
    static const pw_registry_events kRegistryEvents;
    static const pw_stream_events kStreamEvents;

    const std::uint32_t node_;
    PictureLayout agreed_;
    Event news_;
    // Guarded by the loop's lock:
    std::optional<PictureLayout> format_;  // layout of whole buffers
    Picture newest_;
    PictureChanges changes_ = PictureChanges::all();  // since the last picture taken
    PictureLayout changesLayout_;                     // of the previous picture, and
    spa_point changesOrigin_{};                       // its place in the buffer
    std::uint64_t lastNumber_ = 0;                    // the producer's number of the last buffer
    bool ended_ = false;
    std::string problem_;

    spa_hook coreListener_{}, registryListener_{}, streamListener_{};
    Handle<pw_thread_loop> loop_;
    Handle<pw_context> context_;
    Handle<pw_core> core_;
    Handle<pw_registry> registry_;
    Handle<pw_stream> stream_;
    std::unique_ptr<pw_thread_loop, Stop> running_;  // last: the thread must stop before anything above goes
};

}  // namespace verbcast
