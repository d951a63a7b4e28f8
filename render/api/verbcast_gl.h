/* Verbcast's interface for programs that draw with OpenGL: their textures and framebuffers are read back into
 * the slots of a vc_sender's ring, without stalling the program. It is a separate library, libverbcast-gl,
 * beside libverbcast; the calling program needs OpenGL 3.2 or OpenGL ES 3.0, or later, through EGL or GLX.
 *
 * A vc_gl belongs to the context that is current when it is opened: all its functions are called with that
 * context current, by one thread at a time, which is also the one that acquires and submits the sender's
 * frames. OpenGL's state is left unchanged. Errors are reported as in verbcast.h. verbcast_gl.hpp is the
 * same interface for C++. */
#ifndef VERBCAST_GL_H
#define VERBCAST_GL_H

#include <verbcast/verbcast.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    VC_BOTTOM_FIRST = 0, /* row 0 is the picture's bottom, as OpenGL draws */
    VC_TOP_FIRST = 1     /* it was drawn upside down: saves flipping the rows */
} vc_row_order;

typedef enum {
    VC_READ_FASTEST = 0, /* measured briefly when it is opened */
    VC_READ_DIRECT = 1,  /* straight into the ring: sending waits until the picture is drawn */
    VC_READ_BUFFERED = 2 /* in the background by the driver, then one copy: sending does not wait */
} vc_read_path;

/* The default of every field except width and height is zero. */
typedef struct {
    size_t size;                            /* VC_INIT() sets it */
    uint32_t width, height;                 /* of all pictures */
    int32_t fps_numerator, fps_denominator; /* both 0: 60/1 */
    vc_row_order rows;
    vc_read_path path;
} vc_gl_options;

typedef struct vc_gl vc_gl;

/* Pictures of this size are sent from now on: calls vc_sender_set_format() for VC_PICTURE_TRACK. The sender
 * must outlive the vc_gl. NULL: see vc_error(). */
VC_API vc_gl* vc_gl_open(vc_sender* sender, const vc_gl_options* options);
/* Pictures that are still being read are not sent: see vc_gl_finish(). NULL is allowed. */
VC_API void vc_gl_close(vc_gl* gl);

/* How pictures are read back, and what was measured: "through a ring of pixel buffers: direct 5.1 ms (...)".
 * Owned by the vc_gl. */
VC_API const char* vc_gl_description(vc_gl* gl);

/* Sends level 0 of a two-dimensional texture, or what was drawn into a framebuffer (0: the window's; its read
 * buffer), as it is now. If the driver reads in the background, this returns at once and a later call sends
 * the picture; up to three are pending. `input_serial` is that of the last input whose effect the picture
 * shows, 0 for none. Waits until a slot of the ring is free; timeout_ms < 0: forever, 0: not at all.
 * VC_TIMEOUT: no slot was free. VC_BUSY: there is no receiver. In either case the picture is not sent. */
VC_API vc_status vc_gl_send_texture(vc_gl* gl, uint32_t texture, uint64_t input_serial, int timeout_ms);
VC_API vc_status vc_gl_send_framebuffer(vc_gl* gl, uint32_t framebuffer, uint64_t input_serial,
                                        int timeout_ms);

/* Waits until all pending pictures are submitted: call it before vc_sender_finish(), or when nothing will be
 * drawn for a while. */
VC_API vc_status vc_gl_finish(vc_gl* gl, int timeout_ms);

#ifdef __cplusplus
}
#endif
#endif
