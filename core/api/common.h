/* Part of verbcast.h: statuses, errors, messages, formats, sound, input and statistics of both ends. */
#ifndef VERBCAST_COMMON_H
#define VERBCAST_COMMON_H

#include <stddef.h>
#include <stdint.h>
#include <verbcast/version.h>

#define VC_API __attribute__((visibility("default")))

/* Enums hold any int, so that an invalid value can be detected. */
#ifdef __cplusplus
#define VC_INT : int
#else
#define VC_INT
#endif

/* A struct whose first field is its size; all else is zero, which is every field's default:
 *     vc_frame frame = VC_INIT(vc_frame); */
#ifdef __cplusplus
extern "C++" {
template <typename Struct>
inline Struct vc_sized() {
    Struct it = Struct();
    it.size = sizeof(Struct);
    return it;
}
}
#define VC_INIT(type) vc_sized<type>()
#else
#define VC_INIT(type) \
    { .size = sizeof(type) }
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Results ---- */

typedef enum vc_status VC_INT {
    VC_OK = 0,
    VC_TIMEOUT = 1,     /* nothing happened in the given time */
    VC_CLOSED = 2,      /* the other end has left and will not return */
    VC_BUSY = 3,        /* there is nobody to take it now: it stays with the caller */
    VC_INTERRUPTED = 4, /* vc_sender_interrupt(), vc_receiver_interrupt() */
    VC_ERROR = -1       /* see vc_error() */
} vc_status;

typedef enum vc_error_kind VC_INT {
    VC_NO_ERROR = 0,
    VC_ERROR_INTERNAL = 1, /* a bug, or a system call that should not fail */
    VC_ERROR_USAGE = 2,    /* an argument, or a call at the wrong time */
    VC_ERROR_INPUT = 3,    /* a file that cannot be read */
    VC_ERROR_NETWORK = 4,  /* cannot listen or connect, or the peer was lost */
    VC_ERROR_RESOURCE = 5, /* memory, locked memory, descriptors */
    VC_ERROR_PEER = 6,     /* the peer refused, speaks another version, or broke the protocol */
    VC_ERROR_DEVICE = 7,   /* an RDMA or GPU device is missing or failed */
    VC_ERROR_DISPLAY = 8,  /* no usable OpenGL */
    VC_ERROR_CORRUPT = 9   /* parts of a stream were damaged or missing */
} vc_error_kind;

/* What the calling thread's last call failed with: the thing, the value, what was expected and what to do;
 * "" and VC_NO_ERROR if it did not fail. Neither counts as a call. The text stays valid during and after the
 * thread's next call, and until a second one fails. */
VC_API const char* vc_error(void);
VC_API vc_error_kind vc_error_code(void);

/* ---- Versions ---- */

/* Of the library that runs: "0.1.0". VC_VERSION is that of the header. */
VC_API const char* vc_version(void);

/* ---- Messages ---- */

typedef enum vc_log_level VC_INT {
    VC_LOG_ERROR = 1,
    VC_LOG_WARNING = 2,
    VC_LOG_INFO = 3,
    VC_LOG_DEBUG = 4
} vc_log_level;

/* `message` ends without a newline, and is valid during the call. Called from any thread, the library's own
 * included, but never from two at once. Return soon: the thread may be one that sends frames. The callback
 * must not call functions of this library, which could deadlock, and must not throw. */
typedef void (*vc_log_callback)(void* user, vc_log_level level, const char* message);

/* Passes messages of `level` and more severe ones, of all the process's senders and receivers, to `callback`;
 * NULL (the default): to nobody. Waits while the previous callback runs: after this returns, it is not called
 * again. */
VC_API void vc_set_log(vc_log_callback callback, void* user, vc_log_level level);

/* ---- Time ---- */

/* The clock of every time in this interface that is not a time stamp of the stream: nanoseconds of
 * CLOCK_MONOTONIC. */
VC_API int64_t vc_now(void);

/* ---- Tracks ---- */

/* A stream has one to 16 tracks, which share a session and nothing else. */
#define VC_MAX_TRACKS 16
#define VC_PICTURE_TRACK 0 /* the first track of pictures, which viewers show */
#define VC_SOUND_TRACK 2   /* the sound of that track; all others are further pictures */

/* ---- Pictures ---- */

#define VC_MAX_PLANES 4

/* Named as FFmpeg names them. */
typedef enum vc_pixel_format VC_INT {
    VC_PIXEL_NONE = 0,
    VC_PIXEL_RGBA = 1,
    VC_PIXEL_BGRA = 2,
    VC_PIXEL_RGB24 = 3,
    VC_PIXEL_X2RGB10LE = 4,
    VC_PIXEL_YUV420P = 5,
    VC_PIXEL_NV12 = 6,
    VC_PIXEL_YUV422P = 7,
    VC_PIXEL_UYVY422 = 8,
    VC_PIXEL_YUYV422 = 9,
    VC_PIXEL_YUV444P = 10,
    VC_PIXEL_YUV420P10LE = 11,
    VC_PIXEL_P010LE = 12,
    VC_PIXEL_YUV422P10LE = 13,
    VC_PIXEL_YUV444P10LE = 14,
    VC_PIXEL_GRAY = 15,
    VC_PIXEL_V210 = 16
} vc_pixel_format;

/* "nv12"; NULL for a number that this library does not know. The string is static. */
VC_API const char* vc_pixel_format_name(vc_pixel_format format);
/* VC_PIXEL_NONE for a name that this library does not know, and for NULL. */
VC_API vc_pixel_format vc_pixel_format_by_name(const char* name);

/* Where a frame lies. */
typedef enum vc_memory_kind VC_INT {
    VC_MEMORY_HOST = 0,    /* in this process's memory */
    VC_MEMORY_DMA_BUF = 1, /* in a device's, which has a descriptor */
    VC_MEMORY_CUDA = 2     /* in a GPU's, in its primary context, which the CUDA runtime uses */
} vc_memory_kind;

typedef struct vc_rational {
    int32_t numerator, denominator;
} vc_rational;

/* A part of a picture, in pixels from its upper left corner. */
typedef struct vc_rect {
    uint32_t x, y, width, height;
} vc_rect;

/* The numbers of ITU-T H.273 for matrix, primaries and transfer are those of FFmpeg's AVCOL_*. 0 and 2: not
 * known. */
typedef enum vc_matrix VC_INT {
    VC_MATRIX_DEFAULT = 0, /* RGB for formats of RGB; of others, not known */
    VC_MATRIX_BT709 = 1,
    VC_MATRIX_BT601_625 = 5,
    VC_MATRIX_BT601_525 = 6,
    VC_MATRIX_BT2020 = 9 /* non-constant luminance */
} vc_matrix;
typedef enum vc_primaries VC_INT {
    VC_PRIMARIES_DEFAULT = 0,
    VC_PRIMARIES_BT709 = 1,
    VC_PRIMARIES_BT601_625 = 5,
    VC_PRIMARIES_BT601_525 = 6,
    VC_PRIMARIES_BT2020 = 9,
    VC_PRIMARIES_P3_D65 = 12
} vc_primaries;
typedef enum vc_transfer VC_INT {
    VC_TRANSFER_DEFAULT = 0,
    VC_TRANSFER_BT709 = 1,
    VC_TRANSFER_LINEAR = 8,
    VC_TRANSFER_SRGB = 13,
    VC_TRANSFER_PQ = 16,
    VC_TRANSFER_HLG = 18
} vc_transfer;
typedef enum vc_range VC_INT {
    VC_RANGE_DEFAULT = 0, /* full for formats of RGB, limited for others */
    VC_RANGE_LIMITED = 1,
    VC_RANGE_FULL = 2
} vc_range;
typedef enum vc_chroma_location VC_INT {
    VC_CHROMA_DEFAULT = 0,
    VC_CHROMA_LEFT = 1,
    VC_CHROMA_CENTRE = 2,
    VC_CHROMA_TOP_LEFT = 3
} vc_chroma_location;
typedef enum vc_field_order VC_INT {
    VC_PROGRESSIVE = 0,
    VC_TOP_FIELD_FIRST = 1, /* a frame holds two fields, row by row in turn; row 0 is the earlier field's */
    VC_BOTTOM_FIELD_FIRST = 2
} vc_field_order;
typedef enum vc_alpha VC_INT {
    VC_ALPHA_DEFAULT = 0, /* not known */
    VC_ALPHA_STRAIGHT = 1,
    VC_ALPHA_PREMULTIPLIED = 2,
    VC_ALPHA_IGNORED = 3 /* the fourth component means nothing */
} vc_alpha;

/* Static metadata of HDR, in the integers of SMPTE ST 2086 and CTA-861.3. All zero: there is none. */
typedef struct vc_hdr {
    uint16_t red_x, red_y, green_x, green_y, blue_x, blue_y, white_x, white_y; /* in 1/50000 */
    uint32_t max_luminance, min_luminance;               /* of the mastering display, in 1/10000 cd/m2 */
    uint16_t max_content_light, max_frame_average_light; /* cd/m2 */
} vc_hdr;

/* What the pictures of a track are. The first three fields are needed. What a receiver gets can be given to
 * a sender unchanged. */
typedef struct vc_video_format {
    size_t size;
    vc_pixel_format pixel_format;
    uint32_t width, height;   /* 16 to 16384 */
    vc_rational frame_rate;   /* frames per second; 0/0: 60/1; 0/1: not known, which needs a time_base */
    vc_rational time_base;    /* seconds per unit of pts; 0/0: one frame */
    vc_rational pixel_aspect; /* width to height of a pixel; 0/0: 1/1 */
    uint32_t rotation;        /* degrees clockwise by which viewers turn the picture: 0, 90, 180, 270 */
    vc_matrix matrix;
    vc_primaries primaries;
    vc_transfer transfer;
    vc_range range;
    vc_chroma_location chroma_location;
    vc_field_order field_order;
    vc_alpha alpha;
    vc_hdr hdr;
    /* Sender: the alignment of rows and of planes in bytes, a power of two up to 4096; 0: 1. Receiver: 0. */
    uint32_t stride_alignment, plane_alignment;
} vc_video_format;

/* "3840x2160 yuv420p 60 fps BT.709 limited"; NULL: see vc_error(). */
VC_API const char* vc_describe_format(const vc_video_format* format);

/* ---- Input ---- */

typedef enum vc_input_kind VC_INT {
    VC_NO_INPUT = 0,
    VC_KEY = 1,            /* code: X11 keysym; pressed */
    VC_POINTER_MOVE = 2,   /* x, y */
    VC_POINTER_BUTTON = 3, /* x, y; code: 1 left, 2 middle, 3 right, 8 back, 9 forward; pressed */
    VC_WHEEL = 4,          /* x, y; dx, dy in notches, positive to the right and away from the user */
    VC_TOUCH = 5,          /* x, y; code identifies the finger; pressed while it touches */
    VC_RELEASE_ALL = 6,    /* release all that this viewer holds: it lost focus or its connection */
    VC_APPLICATION = 7     /* data: bytes that only the two programs understand */
} vc_input_kind;

/* Most bytes of vc_input.data. */
#define VC_MAX_INPUT_DATA 1024

typedef struct vc_input {
    size_t size;
    vc_input_kind kind;
    int pressed;
    uint32_t code;
    float x, y; /* pixels of the stream, from its upper left corner; may lie outside */
    float dx, dy;
    const void* data; /* VC_APPLICATION */
    size_t data_bytes;
    /* Of an event that a sender has taken: */
    uint64_t serial;         /* for vc_slot.input_serial */
    uint64_t viewer;         /* vc_viewer.id */
    const char* viewer_name; /* unchecked: as the viewer calls itself */
} vc_input;

/* ---- Trust ---- */

/* How well a session is protected from others. */
typedef enum vc_protection VC_INT {
    VC_PROTECTION_NONE = 0,      /* another host, anybody: all can be read and changed in transit */
    VC_PROTECTION_THIS_HOST = 1, /* a process on this machine, without a key */
    VC_PROTECTION_PROVEN = 2,    /* has the key; messages are encrypted, frames are not */
    VC_PROTECTION_ENCRYPTED = 3  /* has the key; messages and frames are encrypted */
} vc_protection;

/* ---- Statistics ---- */

/* Of one end and one track, since it was opened; those of connections are of all tracks. A sender's are sums
 * over its viewers. Times are microseconds from submit at the sender to arrival at the receiver; -1: not
 * known. The meaning of each is in docs/reference.md. */
typedef struct vc_stats {
    size_t size;
    uint64_t frames; /* sender: handed to a transport, once however many viewers got it; receiver: arrived */
    uint64_t frames_shown;   /* sender: as viewers report; receiver: see vc_receiver_shown() */
    uint64_t frames_dropped; /* offered by the source and never sent, or missing on arrival */
    uint64_t frames_lost;    /* of a lossless stream: sent and never accepted, or missing on arrival */
    uint64_t frames_skipped; /* arrived, but passed over for a newer one */
    uint64_t frames_corrupt;
    uint64_t bytes;        /* payload */
    uint64_t bytes_moved;  /* of it, what travelled: none with shared memory */
    uint64_t bytes_copied; /* of it, what this end's processor copied: none with shared memory and verbs */
    double seconds;        /* from the first to the last frame */
    double latency_p50, latency_p99, latency_max;
    double clock_error; /* of these three, in microseconds; 0 on one host */
    uint64_t connections, connections_lost;
} vc_stats;

#ifdef __cplusplus
}
#endif
#endif
