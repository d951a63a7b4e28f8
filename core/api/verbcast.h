/* Verbcast's C interface: a program sends frames of its own, and gets its viewers' input.
 *
 * Every function may be called from any thread, but one sender's frames are acquired and submitted by one
 * thread at a time, and its input is taken by one. Functions that return vc_status or a pointer say by
 * VC_ERROR or NULL that something went wrong; vc_error() then tells what, for the calling thread. No function
 * prints, exits or throws; see vc_set_log(). verbcast.hpp is the same for C++.
 *
 * Structs that may grow begin with their size, and are made by a macro that sets it:
 *     vc_sender_options options = VC_SENDER_OPTIONS_INIT;
 * The library touches no more of them than that, so a program also works with a library newer than its
 * header: the fields it lacks have their defaults. It works with an older library, too, while the fields that
 * the library lacks are zero. Other languages set `size` to the struct's, and all else to zero. */
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
    VC_CLOSED = 2,  /* the receiver is gone for good */
    VC_BUSY = 3,    /* there is no receiver: the frame stays with the caller */
    VC_ERROR = -1   /* see vc_error() */
} vc_status;

/* What went wrong last on this thread, with its remedy; "" if nothing did. Valid until the thread's next
 * call. */
VC_API const char* vc_error(void);
/* For libraries that add functions to these: what vc_error() says next on this thread. */
VC_API void vc_set_error(const char* text);
/* "0.1.0". */
VC_API const char* vc_version(void);

/* ---- What the library has to say ---- */

typedef enum { VC_LOG_ERROR = 1, VC_LOG_WARNING = 2, VC_LOG_INFO = 3, VC_LOG_DEBUG = 4 } vc_log_level;

/* `message` ends without a newline, and is valid during the call. Called from any thread, the library's own
 * included, but never from two at once. Return soon: the thread may be one that sends frames. The callback
 * must not call functions of this header, which could wait for it for ever, and must not throw. */
typedef void (*vc_log_callback)(void* user, vc_log_level level, const char* message);

/* From now on messages of `level` and graver, of all the process's senders, go to `callback`; NULL: nowhere,
 * as at first. Waits while the previous callback runs: once this returns, it is never called again. */
VC_API void vc_set_log(vc_log_callback callback, void* user, vc_log_level level);
/* For libraries that add functions to these: a message of theirs goes the same way. */
VC_API void vc_log(vc_log_level level, const char* message);

/* ---- A sender ---- */

typedef enum {
    VC_LATEST = 0,  /* live: a frame that a receiver has no room for is dropped */
    VC_LOSSLESS = 1 /* nothing is dropped: submitting waits for the slowest receiver */
} vc_policy;

/* Zero is the default of every field. */
typedef struct {
    size_t size; /* VC_SENDER_OPTIONS_INIT sets it */
    /* "verbs://host:port", "tcp://host:port", "shm://name", or "host:port": the best that works. NULL: the
     * default port of all addresses. */
    const char* url;
    int connect; /* 0: viewers connect to url; 1: connect to the viewer that listens there */
    vc_policy policy;
    uint32_t slots;   /* frames held at most, 2 to 64; 0: 8 */
    int poll;         /* spin instead of sleeping: lower latency for a whole processor */
    int allow_input;  /* take viewers' input */
    const char* name; /* told to viewers; NULL: the host's name */
    /* Who may watch. Without a key: programs of this machine, and of others only with `open`. */
    const char* key_file; /* viewers must have the same; see `verbcast key new`. NULL: no key */
    int encrypt;          /* encrypt frames, too; needs a key */
    int open;             /* let in viewers of any host without a key */
} vc_sender_options;
#define VC_SENDER_OPTIONS_INIT \
    { sizeof(vc_sender_options), NULL, 0, VC_LATEST, 0, 0, 0, NULL, NULL, 0, 0 }

typedef struct vc_sender vc_sender;

/* NULL for an address that cannot be used. Does not wait for a receiver. */
VC_API vc_sender* vc_sender_open(const vc_sender_options* options);
/* Ends all connections at once; see vc_sender_finish(). NULL is allowed. */
VC_API void vc_sender_close(vc_sender* sender);

/* What viewers give to `verbcast view`: addresses with commas between them; "" when connecting. Owned by the
 * sender. */
VC_API const char* vc_sender_addresses(vc_sender* sender);
VC_API uint32_t vc_sender_receivers(vc_sender* sender);
/* Waits until there is one. timeout_ms < 0: for ever. */
VC_API vc_status vc_sender_wait(vc_sender* sender, int timeout_ms);

/* What the next frames look like; makes the ring for them. pixel_format is one of `verbcast formats`: "rgba",
 * "nv12", "yuv422p10le", ... May be called again in mid-stream, with no frame acquired. */
VC_API vc_status vc_sender_format(vc_sender* sender, const char* pixel_format, uint32_t width,
                                  uint32_t height, int32_t fps_numerator, int32_t fps_denominator);

/* A part of a picture, in pixels from its upper left corner. */
typedef struct {
    uint32_t x, y, width, height;
} vc_rect;

/* A place in the ring, to be filled by the caller: all of it, whatever `changed` says. */
typedef struct {
    size_t size;         /* VC_FRAME_INIT sets it */
    void* reserved;      /* not NULL: acquired */
    uint8_t* planes[3];  /* NULL for those that the pixel format has not */
    uint32_t strides[3]; /* bytes from row to row */
    uint32_t rows[3];
    uint64_t bytes; /* of the whole frame, which begins at planes[0] */
    /* For the caller to set: */
    int64_t pts;           /* frame number; default one more than the frame before */
    uint64_t input_serial; /* the last input whose effect the frame shows; 0 for none */
    /* Where the picture differs from the one submitted before, so that only that travels; every place of the
     * ring holds an older picture than that one. NULL: tells nothing, and the frame travels whole. With
     * changed_count 0, nothing changed. Any number, which may overlap; the library sends more where there are
     * many. Read by vc_frame_submit() alone. */
    const vc_rect* changed;
    size_t changed_count;
} vc_frame;
/* clang-format off */
#define VC_FRAME_INIT \
    { sizeof(vc_frame), NULL, {NULL, NULL, NULL}, {0, 0, 0}, {0, 0, 0}, 0, 0, 0, NULL, 0 }
/* clang-format on */

/* The time of capture is that of this call. Waits until a place is free; timeout_ms < 0: for ever, 0: not at
 * all. A frame that is not acquired may be used again and again. */
VC_API vc_status vc_frame_acquire(vc_sender* sender, vc_frame* frame, int timeout_ms);
/* Sends the frame to all receivers; it is no longer the caller's, unless VC_BUSY (VC_LOSSLESS only). */
VC_API vc_status vc_frame_submit(vc_sender* sender, vc_frame* frame);
/* Gives the place back unsent. A frame that is not acquired is allowed, NULL too. */
VC_API void vc_frame_discard(vc_sender* sender, vc_frame* frame);

/* Says that the stream is over and waits until all receivers have all of it. */
VC_API vc_status vc_sender_finish(vc_sender* sender, const char* reason, int timeout_ms);

/* ---- Viewers' input ---- */

typedef enum {
    VC_NO_INPUT = 0,
    VC_KEY = 1,            /* code: X11 keysym; pressed */
    VC_POINTER_MOVE = 2,   /* x, y */
    VC_POINTER_BUTTON = 3, /* x, y; code: 1 left, 2 middle, 3 right, 8 back, 9 forward; pressed */
    VC_WHEEL = 4,          /* x, y; dx, dy in notches, positive to the right and away from the user */
    VC_TOUCH = 5,          /* x, y; code tells fingers apart; pressed while it touches */
    VC_RELEASE_ALL = 6,    /* whatever this viewer holds down is up: it lost focus or its connection */
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
    uint64_t viewer; /* tells viewers apart */
    uint32_t data_bytes;
    uint8_t data[1024];
} vc_input;
/* clang-format off */
#define VC_INPUT_INIT \
    { sizeof(vc_input), VC_NO_INPUT, 0, 0, 0, 0, 0, 0, 0, 0, 0, {0} }
/* clang-format on */

/* The next event, in the order of arrival. timeout_ms 0: only looks. VC_ERROR when allow_input was 0. */
VC_API vc_status vc_input_take(vc_sender* sender, vc_input* event, int timeout_ms);

#ifdef __cplusplus
}
#endif
#endif
