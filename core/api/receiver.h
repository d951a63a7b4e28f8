/* Part of verbcast.h: a receiver of one stream. */
#ifndef VERBCAST_RECEIVER_H
#define VERBCAST_RECEIVER_H

#include <verbcast/common.h>

#ifdef __cplusplus
extern "C" {
#endif

/* When a receiver is over. */
typedef enum vc_follow VC_INT {
    VC_FOLLOW_FOREVER = 0,   /* never: after every end and every loss it waits for a sender */
    VC_FOLLOW_STREAM = 1,    /* when its sender ends the stream; one that was lost is waited for */
    VC_FOLLOW_CONNECTION = 2 /* when the first connection has ended */
} vc_follow;

/* What is wanted of a track. */
typedef struct vc_track_wish {
    size_t size;
    uint32_t track;
    vc_rect region; /* only this part of its pictures; all zero: all of them. See vc_frame.region */
} vc_track_wish;

typedef struct vc_receiver_options {
    size_t size;
    /* As of vc_sender_options; also "multicast://group:port". NULL: this host, default port. */
    const char* url;
    int listen; /* 0: connect to the sender at url; 1: wait there for a sender that connects */
    vc_follow follow;
    uint32_t slots;      /* most frames of a track held, 2 to 64; 0: 8. More are not sent until some return */
    uint64_t max_memory; /* bytes that a sender's formats may take here; 0: a share of the machine's */
    int poll;            /* spin instead of sleeping: lower latency, but uses a whole processor */
    const char* name;    /* shown to the sender; NULL: the host's name */
    int peer_timeout_ms; /* silence after which the sender counts as lost; 0: 900 */
    /* As of vc_sender_options. Without one, a host that `verbcast key pair` has paired is called with its own
     * key; if those cannot be read, the receiver is not opened. */
    const char* key_file;
    int encrypt;
    int open;
    /* Take the sender's sound, if there is any. A stream is over when all that was wanted of it has been
     * taken: a program that takes only the pictures does not see its end. */
    int sound;
    /* All other tracks are declined and not sent. NULL: VC_PICTURE_TRACK, all of it. Of equal sizes. */
    const vc_track_wish* tracks;
    size_t track_count; /* 0 with `tracks` not NULL: no pictures */
    /* Where pictures are wanted. VC_MEMORY_CUDA: in the memory of a GPU, where GPUDirect RDMA and senders
     * that have them in the same GPU bring them without a copy; others cost one, by the GPU. Not
     * VC_MEMORY_DMA_BUF. */
    vc_memory_kind memory;
    int gpu; /* VC_MEMORY_CUDA: which one, as CUDA's driver counts */
} vc_receiver_options;

typedef struct vc_receiver vc_receiver;

/* NULL if the address cannot be used. Does not wait for a sender, and makes and remakes the connection on
 * threads of its own. The options may be freed afterwards. */
VC_API vc_receiver* vc_receiver_open(const vc_receiver_options* options);
/* Tells the sender goodbye and ends all waits in other threads, which return VC_INTERRUPTED. Leases stay
 * valid until they are released: their frames stay readable. NULL is allowed. */
VC_API void vc_receiver_close(vc_receiver* receiver);

/* Ends all waits for this receiver, in all threads, with VC_INTERRUPTED, and lets none begin; 0: lets them
 * begin again. Calls that need not wait still succeed. The connection and what has arrived stay. */
VC_API vc_status vc_receiver_interrupt(vc_receiver* receiver, int on);

/* A new descriptor, which the caller closes, to wait for with poll(), epoll or an event loop. Before each
 * wait, take all there is: call the functions that take what was wanted (frames of each track, sound,
 * events), with a timeout of 0, until each returns VC_TIMEOUT. Then the descriptor is readable once one of
 * them would not, or spuriously. From the first call of this on, frames come by way of a thread of the
 * library, also to calls that wait. -1: see vc_error(). */
VC_API int vc_receiver_descriptor(vc_receiver* receiver);

/* Addresses to pass to a sender, separated by commas; "" when connecting. */
VC_API const char* vc_receiver_addresses(vc_receiver* receiver);

/* ---- Leases ---- */

/* The right to read a frame or a block of sound where it has arrived: over shared memory in the sender's own
 * ring, else in the receiver's. While it is held, its slot is not written, and others take its place; a
 * program that holds all of them gets no more, at no cost to other receivers. A lease may be released by any
 * thread, in any order, also after its receiver was closed. Numbers are not used again. */
typedef uint64_t vc_lease;

/* VC_ERROR: it was released before, or never given. 0 is allowed. */
VC_API vc_status vc_lease_release(vc_lease lease);
/* 1: what was read under the lease until now is what the sender sent. 0: it may be torn: over shared memory,
 * a sender takes its slots back from a receiver that was lost, or that it has disconnected. Ask after
 * reading what matters. 0, too, for a lease that was released. */
VC_API int vc_lease_intact(vc_lease lease);

/* ---- Frames ---- */

typedef enum vc_take VC_INT {
    VC_TAKE_NEXT = 0,  /* every frame, in order */
    VC_TAKE_NEWEST = 1 /* the newest one that is there; older ones count as skipped */
} vc_take;

typedef struct vc_frame {
    size_t size;
    vc_lease lease; /* 0: none */
    uint32_t track;
    /* Rises with each new format of the track, from 1: then ask vc_receiver_format(). Also rises with each
     * connection. */
    uint32_t format_serial;
    uint32_t plane_count;
    const uint8_t* planes[VC_MAX_PLANES]; /* addresses of the GPU, if that is where pictures are wanted */
    uint32_t strides[VC_MAX_PLANES];      /* bytes from row to row */
    uint32_t row_bytes[VC_MAX_PLANES];    /* of them, those of the picture */
    uint32_t rows[VC_MAX_PLANES];
    uint64_t bytes;    /* from planes[0] to the end of the last row */
    uint64_t sequence; /* counts the frames that the sender's program offered, from 0 */
    uint64_t missing;  /* how many of them have not come since the frame taken before, and were not skipped */
    uint64_t skipped;  /* how many came since, and made way for this one */
    int64_t pts;       /* in units of the format's time_base */
    int64_t time;      /* the same in nanoseconds; see vc_sound_block.time */
    /* See vc_now(). The sender's are on this host's clock, give or take vc_stats.clock_error; 0: not known.
     */
    int64_t captured_at, submitted_at, arrived_at;
    uint64_t input_serial; /* the last vc_receiver_send_input() whose effect it shows; 0: none */
    int damaged;           /* parts of the picture are missing, as the sender knows */
    /* What of the sender's picture the frame holds: at least what was wanted; all zero: nothing of what was
     * wanted lies in it. */
    vc_rect region;
    uint32_t picture_width, picture_height;
    /* Where it differs from the track's frame taken before. NULL: not known, or all over. With changed_count
     * 0, nothing has changed. Valid as long as the lease. */
    const vc_rect* changed;
    size_t changed_count;
} vc_frame;

/* Takes a frame of a wanted track; the caller releases frame->lease. timeout_ms < 0: forever, 0: does not
 * wait. VC_CLOSED: there will be no more (see vc_follow); VC_ERROR, too, says why. One thread at a time for
 * each track. `frame` is overwritten: what it held stays leased. */
VC_API vc_status vc_receiver_take(vc_receiver* receiver, uint32_t track, vc_take which, vc_frame* frame,
                                  int timeout_ms);

/* The format of the frame that was taken last. VC_BUSY: there was none. */
VC_API vc_status vc_receiver_format(vc_receiver* receiver, uint32_t track, vc_video_format* format);

/* The frame was on the screen at that time (see vc_now()), or consumed: feeds the statistics of both ends,
 * and the time from input to picture. Call before its lease is released. */
VC_API vc_status vc_receiver_shown(vc_receiver* receiver, vc_lease lease, int64_t at);

/* ---- Sound ---- */

/* A block of at most 10 ms of sound. */
typedef struct vc_sound_block {
    size_t size;
    vc_lease lease;    /* 0: none */
    uint32_t rate;     /* samples per second of each channel */
    uint32_t channels; /* 1 to 64 */
    uint32_t samples;  /* of each channel */
    /* One channel after the other: sample i of channel c is planar[c * samples + i]. */
    const float* planar;
    uint64_t layout; /* as of vc_sound */
    /* Of the first sample, in nanoseconds from the zero of vc_frame.time. It follows the sender's clock, not
     * the number of samples. */
    int64_t time;
    int64_t captured_at, arrived_at; /* as of vc_frame */
    uint64_t sequence;
    uint64_t missing; /* how many blocks have not come since the one taken before */
} vc_sound_block;

/* Like vc_receiver_take(), in order. 64 blocks may be held; with VC_LATEST a program that does not take them
 * misses the oldest. Fails unless vc_receiver_options.sound was set. */
VC_API vc_status vc_receiver_take_sound(vc_receiver* receiver, vc_sound_block* block, int timeout_ms);

/* ---- States and events ---- */

typedef enum vc_state VC_INT {
    VC_WAITING = 0,    /* listening; no sender yet */
    VC_CONNECTING = 1, /* trying to reach the sender, again and again */
    VC_CONNECTED = 2,  /* a sender is there; no frame yet */
    VC_STREAMING = 3,
    VC_LOST = 4,  /* the sender vanished; trying again, unless the receiver is over */
    VC_ENDED = 5, /* the sender said that the stream is over; waiting for the next, likewise */
    VC_FAILED = 6 /* an error ended it for good */
} vc_state;

typedef struct vc_connection {
    size_t size;
    vc_state state;
    const char* text; /* "waiting for a sender on tcp://0.0.0.0:7423" */
    const char*
        reason; /* VC_LOST, VC_ENDED: what the sender said or how it was lost; VC_FAILED: the remedy */
    /* Of the current or last connection; "" before the first: */
    const char* peer_name; /* unchecked: as the sender calls itself */
    const char* peer_address;
    const char* transport;        /* "shm", "verbs", "tcp", ... */
    const char* transport_reason; /* why this one: "same host" */
    const char* key_name;         /* of the key that the sender has proven; "": none */
    vc_protection protection;
    int over;          /* there will be no further connection */
    int input_allowed; /* the sender takes input */
    int has_sound;     /* the sender has sound */
} vc_connection;

VC_API vc_status vc_receiver_connection(vc_receiver* receiver, vc_connection* connection);

typedef enum vc_event_kind VC_INT {
    VC_NO_EVENT = 0,
    VC_EVENT_STATE = 1,       /* state, text and reason have changed; ask vc_receiver_connection() for more */
    VC_EVENT_FORMAT = 2,      /* `track` has brought a frame of a new format: vc_receiver_format() */
    VC_EVENT_SOUND_FORMAT = 3 /* a block of sound of another rate, number of channels or layout was taken */
} vc_event_kind;

typedef struct vc_event {
    size_t size;
    vc_event_kind kind;
    uint32_t track;
    vc_state state;
    const char* text;
    const char* reason;
} vc_event;

/* What has changed since the last call. Changes that follow each other faster than events are taken are told
 * as one. VC_CLOSED: the receiver is over and all is told. timeout_ms as of vc_receiver_take(). One thread at
 * a time, which may be another one than those that take frames. */
VC_API vc_status vc_receiver_next_event(vc_receiver* receiver, vc_event* event, int timeout_ms);

/* ---- Input ---- */

/* Sends an event to the sender. `serial`, which may be NULL, gets the event's number: the frame that first
 * shows its effect has that or a higher one as input_serial. VC_BUSY: the sender takes none, is not there, or
 * does not read. Never waits. */
VC_API vc_status vc_receiver_send_input(vc_receiver* receiver, const vc_input* event, uint64_t* serial);

/* ---- Statistics ---- */

VC_API vc_status vc_receiver_stats(vc_receiver* receiver, uint32_t track, vc_stats* stats);
/* All there is of the picture track, as `verbcast view --stats-json` writes it; NULL: see vc_error(). */
VC_API const char* vc_receiver_stats_json(vc_receiver* receiver);

#ifdef __cplusplus
}
#endif
#endif
