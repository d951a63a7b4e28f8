/* Verbcast's C interface: a program sends its own frames, and receives its viewers' input.
 *
 * Every function may be called from any thread, but one sender's frames are acquired and submitted by one
 * thread at a time, and so are its sound and its input. Functions that return vc_status or a pointer report
 * failure with VC_ERROR or NULL; vc_error() then describes it, for the calling thread. No function prints,
 * exits or throws; see vc_set_log(). verbcast.hpp is the same interface for C++.
 *
 * Structs that may grow begin with their size, and are initialised with a macro that sets it:
 *     vc_sender_options options = VC_SENDER_OPTIONS_INIT;
 * The library accesses only that many bytes, so a program also works with a library newer than its header:
 * fields that it lacks have their defaults. It also works with an older library, as long as the fields that
 * the library lacks are zero. Other languages set `size` to the struct's size, and everything else to zero.
 */
#ifndef VERBCAST_H
#define VERBCAST_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VC_API __attribute__((visibility("default")))

typedef enum {
    VC_OK = 0,
    VC_TIMEOUT = 1, /* nothing happened in the given time */
    VC_CLOSED = 2,  /* the receiver has left and will not return */
    VC_BUSY = 3,    /* there is no receiver: the frame stays with the caller */
    VC_ERROR = -1   /* see vc_error() */
} vc_status;

/* The last error on this thread, and its remedy; "" if there was none. Valid until the thread's next call. */
VC_API const char* vc_error(void);
/* For libraries that extend this one: sets what vc_error() returns on this thread. */
VC_API void vc_set_error(const char* text);
/* "0.1.0". */
VC_API const char* vc_version(void);

/* ---- Messages ---- */

typedef enum { VC_LOG_ERROR = 1, VC_LOG_WARNING = 2, VC_LOG_INFO = 3, VC_LOG_DEBUG = 4 } vc_log_level;

/* `message` ends without a newline, and is valid during the call. Called from any thread, the library's own
 * included, but never from two at once. Return soon: the thread may be one that sends frames. The callback
 * must not call functions of this header, which could deadlock, and must not throw. */
typedef void (*vc_log_callback)(void* user, vc_log_level level, const char* message);

/* Passes messages of `level` and more severe ones, of all the process's senders, to `callback`; NULL (the
 * default): to nobody. Waits while the previous callback runs: after this returns, it is not called again. */
VC_API void vc_set_log(vc_log_callback callback, void* user, vc_log_level level);
/* For libraries that extend this one: passes their message to the same callback. */
VC_API void vc_log(vc_log_level level, const char* message);

/* ---- A sender ---- */

typedef enum {
    VC_LATEST = 0,  /* live: a frame for which a receiver has no free slot is dropped */
    VC_LOSSLESS = 1 /* nothing is dropped: submitting waits for the slowest receiver */
} vc_policy;

/* The default of every field is zero. */
typedef struct {
    size_t size; /* VC_SENDER_OPTIONS_INIT sets it */
    /* "verbs://host:port", "tcp://host:port", "shm://name", or "host:port": the best that works. NULL: all
     * addresses, default port. */
    const char* url;
    int connect; /* 0: viewers connect to url; 1: connect to the viewer that listens there */
    vc_policy policy;
    uint32_t slots;   /* maximum number of frames held, 2 to 64; 0: 8 */
    int poll;         /* spin instead of sleeping: lower latency, but uses a whole processor */
    int allow_input;  /* accept viewers' input */
    const char* name; /* shown to viewers; NULL: the host's name */
    /* Who may watch. Without a key: this user's programs on this machine, and others only with `open`. */
    const char* key_file; /* viewers must have the same; see `verbcast key new`. NULL: no key */
    int encrypt;          /* encrypt frames, too; needs a key */
    int open;             /* admit viewers on any host without a key, and paired hosts with theirs */
    int sound;            /* there will be sound, for which viewers prepare: see vc_sender_send_sound() */
} vc_sender_options;
#define VC_SENDER_OPTIONS_INIT \
    { sizeof(vc_sender_options), NULL, 0, VC_LATEST, 0, 0, 0, NULL, NULL, 0, 0, 0 }

typedef struct vc_sender vc_sender;

/* NULL if the address cannot be used. Does not wait for a receiver. */
VC_API vc_sender* vc_sender_open(const vc_sender_options* options);
/* Ends all connections at once; see vc_sender_finish(). NULL is allowed. */
VC_API void vc_sender_close(vc_sender* sender);

/* Addresses to pass to `verbcast view`, separated by commas; "" when connecting. Owned by the sender. */
VC_API const char* vc_sender_addresses(vc_sender* sender);
VC_API uint32_t vc_sender_receivers(vc_sender* sender);
/* Waits until there is a receiver. timeout_ms < 0: forever. */
VC_API vc_status vc_sender_wait(vc_sender* sender, int timeout_ms);

/* Sets the format of the next frames and allocates their ring. pixel_format is one of `verbcast formats`:
 * "rgba", "nv12", "yuv422p10le", ... May be called again in mid-stream, with no frame acquired. */
VC_API vc_status vc_sender_format(vc_sender* sender, const char* pixel_format, uint32_t width,
                                  uint32_t height, int32_t fps_numerator, int32_t fps_denominator);

/* A part of a picture, in pixels from its upper left corner. */
typedef struct {
    uint32_t x, y, width, height;
} vc_rect;

/* A slot of the ring, which the caller fills: all of it, whatever `changed` says. */
typedef struct {
    size_t size;         /* VC_FRAME_INIT sets it */
    void* reserved;      /* not NULL: acquired */
    uint8_t* planes[3];  /* NULL for those that the pixel format lacks */
    uint32_t strides[3]; /* bytes from row to row */
    uint32_t rows[3];
    uint64_t bytes; /* of the whole frame, which begins at planes[0] */
    /* For the caller to set: */
    int64_t pts;           /* frame number; default: one more than the previous frame's */
    uint64_t input_serial; /* the last input whose effect the frame shows; 0 for none */
    /* Where the picture differs from the one submitted before, so that only that is sent; the frame's slot
     * holds an older picture than that one. NULL: not known, and the whole frame is sent. With changed_count
     * 0, nothing has changed. Any number, and they may overlap; if there are many, the library sends more
     * than they cover. Read only by vc_frame_submit(). */
    const vc_rect* changed;
    size_t changed_count;
} vc_frame;
/* clang-format off */
#define VC_FRAME_INIT \
    { sizeof(vc_frame), NULL, {NULL, NULL, NULL}, {0, 0, 0}, {0, 0, 0}, 0, 0, 0, NULL, 0 }
/* clang-format on */

/* The time of this call counts as the time of capture. Waits until a slot is free; timeout_ms < 0: forever,
 * 0: not at all. A frame that is not acquired may be reused. */
VC_API vc_status vc_frame_acquire(vc_sender* sender, vc_frame* frame, int timeout_ms);
/* Sends the frame to all receivers. The caller no longer owns it, except after VC_BUSY (VC_LOSSLESS only). */
VC_API vc_status vc_frame_submit(vc_sender* sender, vc_frame* frame);
/* Returns the slot unsent. A frame that is not acquired is allowed, and so is NULL. */
VC_API void vc_frame_discard(vc_sender* sender, vc_frame* frame);

/* ---- Sound ---- */

/* A stretch of sound: 32-bit floats, nominally from -1 to 1. Viewers that record get exactly these, whatever
 * they are; those that play take what is not a number as silence. */
typedef struct {
    size_t size;       /* VC_SOUND_INIT sets it */
    uint32_t rate;     /* samples per second of each channel, 8000 to 192000 */
    uint32_t channels; /* 1 to 64 */
    uint32_t samples;  /* of each channel, any number; best are 1 to 10 ms, and more is sent in parts */
    /* One of these, and NULL for the other: */
    const float* interleaved;   /* samples * channels: the first of every channel, the second of every ... */
    const float* const* planes; /* `channels` pointers to `samples` each */
    /* The time of the first sample in nanoseconds, from the same zero as that of frames, which is pts divided
     * by the frame rate. By it viewers play sound and pictures together. It need not follow from the sound
     * before: they hear gaps and jumps. */
    int64_t time;
    int64_t captured_at; /* when the first sample was recorded, in nanoseconds of CLOCK_MONOTONIC; 0: now */
    /* Where the loudspeakers stand: a bit for each channel, those of WAVEFORMATEXTENSIBLE (1 front left, 2
     * front right, 4 front centre, 8 low frequencies, ...), in that order. 0: not known. */
    uint64_t layout;
} vc_sound;
/* clang-format off */
#define VC_SOUND_INIT \
    { sizeof(vc_sound), 0, 0, 0, NULL, NULL, 0, 0, 0 }
/* clang-format on */

/* Sends the sound to all receivers; it is copied. Needs vc_sender_options.sound, and no frames.
 *
 * VC_LATEST: never waits, and any one thread may call it; a receiver that is too slow misses what is oldest.
 * VC_LOSSLESS: call it on the thread that submits frames, and a little ahead of the frames of its time. It
 * waits for room at the slowest receiver. After VC_BUSY, the sound, or its end, was not sent. */
VC_API vc_status vc_sender_send_sound(vc_sender* sender, const vc_sound* sound);

/* Ends the stream and waits until all receivers have received all of it. */
VC_API vc_status vc_sender_finish(vc_sender* sender, const char* reason, int timeout_ms);

/* ---- Viewers' input ---- */

typedef enum {
    VC_NO_INPUT = 0,
    VC_KEY = 1,            /* code: X11 keysym; pressed */
    VC_POINTER_MOVE = 2,   /* x, y */
    VC_POINTER_BUTTON = 3, /* x, y; code: 1 left, 2 middle, 3 right, 8 back, 9 forward; pressed */
    VC_WHEEL = 4,          /* x, y; dx, dy in notches, positive to the right and away from the user */
    VC_TOUCH = 5,          /* x, y; code identifies the finger; pressed while it touches */
    VC_RELEASE_ALL = 6,    /* release all that this viewer holds: it lost focus or its connection */
    VC_APPLICATION = 7     /* data: bytes that only the two programs understand */
} vc_input_kind;

typedef struct {
    size_t size; /* VC_INPUT_INIT sets it */
    vc_input_kind kind;
    int pressed;
    uint32_t code;
    float x, y; /* pixels of the stream, from its upper left corner; may lie outside */
    float dx, dy;
    uint64_t serial; /* for vc_frame.input_serial */
    uint64_t viewer; /* identifies the viewer */
    uint32_t data_bytes;
    uint8_t data[1024];
} vc_input;
/* clang-format off */
#define VC_INPUT_INIT \
    { sizeof(vc_input), VC_NO_INPUT, 0, 0, 0, 0, 0, 0, 0, 0, 0, {0} }
/* clang-format on */

/* The next event, in the order of arrival. timeout_ms 0: does not wait. VC_ERROR if allow_input was 0. */
VC_API vc_status vc_input_take(vc_sender* sender, vc_input* event, int timeout_ms);

#ifdef __cplusplus
}
#endif
#endif
