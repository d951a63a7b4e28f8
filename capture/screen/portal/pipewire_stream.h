// Pictures of a PipeWire node, the newest first.
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

/// What a picture is like; its pixels have 4 bytes.
struct PictureLayout {
    std::uint32_t width = 0, height = 0;
    PixelFormat pixelFormat = PixelFormat::bgra;
    std::uint16_t rotation = 0;  ///< degrees clockwise to turn it for showing
    bool mirrored = false;       ///< besides, and not undone by anybody
    friend bool operator==(const PictureLayout&, const PictureLayout&) = default;
};

/// A consumer of one node. PipeWire's own threads keep the newest picture and hand all older ones back, so
/// that the producer never waits for us and what we get is never stale. The pictures lie in memory of the
/// producer's (memfd), and are copied once from there.
///
/// Used by one thread; its lock is held while a picture is copied.
class PipeWireStream {
  public:
    /// Connects by `remote`, and waits until the pictures' form is agreed on. Some desktops give the first
    /// one only when something changes. Throws Error{Display}.
    PipeWireStream(UniqueFd remote, std::uint32_t node, Rational fastest, std::chrono::milliseconds patience,
                   const Event* cancel = nullptr);
    PipeWireStream(const PipeWireStream&) = delete;
    PipeWireStream& operator=(const PipeWireStream&) = delete;

    /// Readable when a picture has come or the stream has ended, until the next clearNews().
    int descriptor() const { return news_.descriptor(); }
    void clearNews() const { news_.clear(); }

    /// Of the picture that waits, or nothing.
    std::optional<PictureLayout> waiting() const;
    /// What was agreed on at first.
    const PictureLayout& agreed() const { return agreed_; }
    /// When and how a picture that was taken came to be.
    struct Taken {
        TimestampNs at = 0;  ///< the producer made it
        /// Since the picture taken before, as the producer tells it, of those that were given back unseen,
        /// too. All where it tells nothing, has left pictures out or has turned them.
        PictureChanges changed = PictureChanges::all();
    };
    /// Copies the picture that waits, rows without padding, and gives it back. Nothing: there is none of that
    /// layout.
    std::optional<Taken> take(const PictureLayout& layout, std::byte* target);

    /// The node is gone: the desktop has stopped. Throws Error{Display} when PipeWire has failed.
    bool hasEnded() const;

  private:
    struct Picture {
        pw_buffer* buffer = nullptr;  // the stream's
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
    std::optional<PictureLayout> format_;  // of whole buffers
    Picture newest_;
    PictureChanges changes_ = PictureChanges::all();  // since the picture taken last
    PictureLayout changesLayout_;                     // of the picture before, and
    spa_point changesOrigin_{};                       // where in its buffer that lay
    std::uint64_t lastNumber_ = 0;                    // the producer's, of the last buffer
    bool ended_ = false;
    std::string problem_;

    spa_hook coreListener_{}, registryListener_{}, streamListener_{};
    Handle<pw_thread_loop> loop_;
    Handle<pw_context> context_;
    Handle<pw_core> core_;
    Handle<pw_registry> registry_;
    Handle<pw_stream> stream_;
    std::unique_ptr<pw_thread_loop, Stop> running_;  // last: nothing above goes while the thread runs
};

}  // namespace verbcast
