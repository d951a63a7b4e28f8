/* Writes the raw pictures of a stream to standard output:   receive_frames URL | ffplay ... */
#include <stdio.h>
#include <verbcast/verbcast.h>

static void write_picture(const vc_frame *frame) {
    for (uint32_t plane = 0; plane < frame->plane_count; ++plane) {
        const uint8_t *row = frame->planes[plane];
        for (uint32_t i = 0; i < frame->rows[plane]; ++i, row += frame->strides[plane]) {
            fwrite(row, 1, frame->row_bytes[plane], stdout);
        }
    }
}

int main(int argc, char **argv) {
    vc_receiver_options options = VC_INIT(vc_receiver_options);
    options.url = argc > 1 ? argv[1] : NULL;
    options.follow = VC_FOLLOW_STREAM;
    vc_receiver *receiver = vc_receiver_open(&options);
    vc_status status = receiver != NULL ? VC_OK : VC_ERROR;
    uint32_t known = 0;
    while (status == VC_OK) {
        vc_frame frame = VC_INIT(vc_frame);
        status = vc_receiver_take(receiver, VC_PICTURE_TRACK, VC_TAKE_NEXT, &frame, -1);
        if (status != VC_OK) break;
        if (frame.format_serial != known) {
            vc_video_format format = VC_INIT(vc_video_format);
            known = frame.format_serial;
            vc_receiver_format(receiver, VC_PICTURE_TRACK, &format);
            fprintf(stderr, "receive_frames: %s\n", vc_describe_format(&format));
        }
        write_picture(&frame);
        if (!vc_lease_intact(frame.lease)) fprintf(stderr, "receive_frames: a frame may be torn\n");
        vc_lease_release(frame.lease);
    }
    if (status == VC_ERROR) fprintf(stderr, "receive_frames: %s\n", vc_error());
    vc_receiver_close(receiver);
    return status == VC_CLOSED ? 0 : 1;
}
