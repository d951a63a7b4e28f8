/* Part of verbcast.h: a sender, for any number of receivers. */
#ifndef VERBCAST_SENDER_H
#define VERBCAST_SENDER_H

#include <verbcast/common.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum vc_policy VC_INT {
    VC_LATEST = 0,  /* live: a frame for which a receiver has no free slot is dropped */
    VC_LOSSLESS = 1 /* nothing is dropped: submitting waits for the slowest receiver */
} vc_policy;

typedef struct vc_sender_options {
    size_t size;
    /* "verbs://host:port", "tcp://host:port", "shm://name", or "host:port": the best that works. NULL: all
     * addresses, default port. */
    const char* url;
    int connect; /* 0: receivers connect to url; 1: connect to the receiver that listens there */
    vc_policy policy;
    uint32_t slots;   /* most frames of a track held, 2 to 64; 0: 8 */
    int poll;         /* spin instead of sleeping: lower latency, but uses a whole processor */
    int allow_input;  /* accept receivers' input */
    const char* name; /* shown to receivers; NULL: the host's name */
    /* Who may watch. Without a key: this user's programs on this machine, and others only with `open`. */
    const char* key_file; /* receivers must have the same; see `verbcast key new`. NULL: no key */
    int encrypt;          /* encrypt frames, too; needs a key */
    int open;             /* admit receivers on any host without a key, and paired hosts with theirs */
    int sound;            /* there will be sound, for which receivers prepare: see vc_sender_send_sound() */
} vc_sender_options;

typedef struct vc_sender vc_sender;

/* NULL if the address cannot be used. Does not wait for a receiver. The options may be freed afterwards. */
VC_API vc_sender* vc_sender_open(const vc_sender_options* options);
/* Ends all connections at once (see vc_sender_finish()) and all waits in other threads, which return
 * VC_INTERRUPTED. Slots that are still acquired may be written until they are discarded. NULL is allowed. */
VC_API void vc_sender_close(vc_sender* sender);

/* Ends all waits for this sender, in all threads, with VC_INTERRUPTED, and lets none begin; 0: lets them
 * begin again. */
VC_API vc_status vc_sender_interrupt(vc_sender* sender, int on);

/* Addresses to pass to a receiver, separated by commas; "" when connecting. */
VC_API const char* vc_sender_addresses(vc_sender* sender);
/* Waits until there is a receiver. timeout_ms < 0: forever. VC_CLOSED: after vc_sender_finish(). One thread
 * at a time is in this function, vc_sender_finish() and, with VC_LOSSLESS, those that submit frames and send
 * sound. */
VC_API vc_status vc_sender_wait(vc_sender* sender, int timeout_ms);

/* ---- Frames ---- */

/* Sets what the next frames of a track are. May be called again in mid-stream. A slot of the format before
 * can only be discarded. */
VC_API vc_status vc_sender_set_format(vc_sender* sender, uint32_t track, const vc_video_format* format);

/* A place in a track's ring, or in the caller's memory, which the caller fills: all of it, whatever `changed`
 * says. */
typedef struct vc_slot {
    size_t size;
    uint64_t id; /* 0: not acquired */
    uint32_t track;
    uint32_t plane_count;
    uint8_t* planes[VC_MAX_PLANES];
    uint32_t strides[VC_MAX_PLANES];   /* bytes from row to row */
    uint32_t row_bytes[VC_MAX_PLANES]; /* of them, those of the picture */
    uint32_t rows[VC_MAX_PLANES];
    uint64_t bytes; /* from planes[0] to the end of the last row */
    /* For the caller to set: */
    int64_t pts;           /* in units of the format's time_base; default: one frame after the previous one */
    int64_t captured_at;   /* when its picture was taken: see vc_now(); default: when it was acquired */
    uint64_t input_serial; /* the last input whose effect the frame shows; 0 for none */
    int damaged;           /* parts of the picture are missing: receivers are told, and show it */
    /* Where the picture differs from the track's frame submitted before, so that only that is sent; the slot
     * holds an older picture than that one. NULL: not known, and the whole frame is sent. With changed_count
     * 0, nothing has changed. Any number, and they may overlap; if there are many, the library sends more
     * than they cover. Read only by vc_sender_submit(). */
    const vc_rect* changed;
    size_t changed_count;
} vc_slot;

/* Waits until a slot is free; timeout_ms < 0: forever, 0: not at all. Fails if `slot` is acquired already.
 * Slots of one track are acquired by one thread at a time; they are filled and discarded by any. The first
 * one of a format that is larger than those before allocates the track's ring. */
VC_API vc_status vc_sender_acquire(vc_sender* sender, uint32_t track, vc_slot* slot, int timeout_ms);
/* Sends the frame to all receivers, without copying it, and sets slot->id to 0. VC_LATEST never waits. After
 * VC_BUSY (VC_LOSSLESS only: there is no receiver), VC_CLOSED (after vc_sender_finish()), VC_INTERRUPTED and
 * VC_ERROR the slot stays with the caller, who may submit it again. One thread at a time submits a track's
 * frames; those of VC_LOSSLESS all come from one. */
VC_API vc_status vc_sender_submit(vc_sender* sender, vc_slot* slot);
/* Returns the slot unsent, also after its sender was closed. NULL is allowed, and so is a slot that is not
 * acquired. */
VC_API void vc_slot_discard(vc_slot* slot);

/* ---- Frames in the caller's memory ---- */

/* Called on any thread, also before the call that causes it returns. It must be quick, and must not call this
 * library. */
typedef void (*vc_memory_callback)(void* user);

typedef struct vc_memory_options {
    size_t size;
    vc_memory_kind kind;
    void* address;  /* VC_MEMORY_HOST, VC_MEMORY_CUDA: of the frame's first byte */
    uint64_t bytes; /* from there on; at most one frame is in them. VC_MEMORY_DMA_BUF: 0 for all of it */
    int dma_buf;    /* VC_MEMORY_DMA_BUF: its descriptor, which is duplicated */
    int gpu;        /* VC_MEMORY_CUDA: its number, as CUDA's driver counts */
    void* user;     /* for these two, either of which may be NULL: */
    /* Nobody reads the frame any more, whether it was received, dropped or discarded: the memory may be
     * written. Called once for each vc_sender_lend() that succeeded. */
    vc_memory_callback released;
    /* The library does not know the memory any more: it may be freed. Called once, after vc_memory_close();
     * perhaps not before the track's next frame in other memory, or vc_sender_close(). */
    vc_memory_callback closed;
} vc_memory_options;

/* Memory of the caller that holds a frame, and after it another. Open it once and lend it again and again:
 * what a transport has to set up for it is then done once. Receivers of dma-bufs keep the 8 newest mapped.
 *
 * tcp and RDMA send a frame as it lies, RDMA from a GPU by GPUDirect. Receivers that share memory with the
 * sender read a dma-buf where it lies, if they are of this user, and get one copy of others. What a device
 * writes into the memory must be complete when the frame is submitted. */
typedef struct vc_memory vc_memory;

/* NULL if the memory cannot be used. The options may be freed afterwards. */
VC_API vc_memory* vc_memory_open(const vc_memory_options* options);
/* A frame that is in it may still be submitted, and is still sent. NULL is allowed. */
VC_API void vc_memory_close(vc_memory* memory);

/* Like vc_sender_acquire(): makes a slot of that memory, whose planes lie in it as the format says; those of
 * VC_MEMORY_CUDA are addresses of the GPU, those of VC_MEMORY_DMA_BUF NULL. VC_BUSY: the frame before is not
 * released. Any thread may call it. */
VC_API vc_status vc_sender_lend(vc_sender* sender, uint32_t track, vc_memory* memory, vc_slot* slot);

/* ---- End ---- */

/* Ends the stream and waits until all receivers have received all of it. `reason` is shown to them; NULL:
 * "end of stream". */
VC_API vc_status vc_sender_finish(vc_sender* sender, const char* reason, int timeout_ms);

/* ---- Sound ---- */

/* A stretch of sound: 32-bit floats, nominally from -1 to 1. Receivers get exactly these, whatever they are;
 * those that play take what is not a number as silence. */
typedef struct vc_sound {
    size_t size;
    uint32_t rate;     /* samples per second of each channel, 8000 to 192000 */
    uint32_t channels; /* 1 to 64 */
    uint32_t samples;  /* of each channel, any number; best are 1 to 10 ms, and more is sent in parts */
    /* One of these, and NULL for the other: */
    const float* interleaved;   /* samples * channels: the first of every channel, the second of every ... */
    const float* const* planes; /* `channels` pointers to `samples` each */
    /* The time of the first sample in nanoseconds, from the same zero as that of frames, which is pts times
     * the time base. By it receivers play sound and pictures together. It need not follow from the sound
     * before: they hear gaps and jumps. */
    int64_t time;
    int64_t captured_at; /* when the first sample was recorded: see vc_now(); 0: now */
    /* Where the loudspeakers stand: a bit for each channel, those of WAVEFORMATEXTENSIBLE (1 front left, 2
     * front right, 4 front centre, 8 low frequencies, ...), in that order. 0: not known. */
    uint64_t layout;
} vc_sound;

/* Sends the sound to all receivers; it is copied. Needs vc_sender_options.sound, and no frames.
 *
 * VC_LATEST: never waits, and any one thread may call it; a receiver that is too slow misses what is oldest.
 * VC_LOSSLESS: call it on the thread that submits frames, and a little ahead of the frames of its time. It
 * waits for room at the slowest receiver. After VC_BUSY and VC_INTERRUPTED, the sound, or its end, was not
 * sent. */
VC_API vc_status vc_sender_send_sound(vc_sender* sender, const vc_sound* sound);

/* ---- Receivers ---- */

typedef struct vc_viewer {
    size_t size;
    uint64_t id;      /* rises with each connection; vc_input.viewer */
    const char* name; /* unchecked: as it calls itself */
    const char* address;
    const char* transport; /* "shm", "verbs", "tcp", ... */
    const char* key_name;  /* of the key that it has proven; "": none */
    vc_protection protection;
    uint64_t frames_sent, frames_dropped, frames_lost, bytes;
    uint64_t frames_shown, frames_skipped; /* as it reports once a second */
    double latency_p50, latency_p99;       /* microseconds, likewise; -1: not known */
} vc_viewer;

/* How many receivers there are; 0 for a sender that is closed. */
VC_API uint32_t vc_sender_viewers(vc_sender* sender);
/* The receiver with that index, in the order in which they came. VC_CLOSED: there are not that many. Others
 * may come and go between two calls: the id tells who it is. */
VC_API vc_status vc_sender_viewer(vc_sender* sender, uint32_t index, vc_viewer* viewer);

/* The next event of any receiver, in the order of arrival. timeout_ms 0: does not wait. One thread at a time.
 * Fails unless vc_sender_options.allow_input was set. */
VC_API vc_status vc_sender_take_input(vc_sender* sender, vc_input* event, int timeout_ms);

VC_API vc_status vc_sender_stats(vc_sender* sender, vc_stats* stats);
/* All there is, as `verbcast send --stats-json` writes it; NULL: see vc_error(). */
VC_API const char* vc_sender_stats_json(vc_sender* sender);

#ifdef __cplusplus
}
#endif
#endif
