/* Sends 100 frames with sound, none dropped:   send_frames [URL] */
#include <stdio.h>
#include <string.h>
#include <verbcast/verbcast.h>

static int fail(const char *what) {
    fprintf(stderr, "send_frames: %s: %s\n", what, vc_error());
    return 1;
}

/* A sawtooth of 400 Hz, for as long as a frame lasts. */
static vc_status send_tone(vc_sender *sender, int number) {
    enum { RATE = 48000, SAMPLES = RATE / 60, PERIOD = RATE / 400 };
    float samples[SAMPLES];
    for (int i = 0; i < SAMPLES; ++i) {
        samples[i] = 0.2f * (float)((number * SAMPLES + i) % PERIOD) / PERIOD - 0.1f;
    }
    vc_sound sound = VC_INIT(vc_sound);
    sound.rate = RATE;
    sound.channels = 1;
    sound.samples = SAMPLES;
    sound.interleaved = samples;
    sound.time = number * 1000000000LL / 60;
    return vc_sender_send_sound(sender, &sound);
}

int main(int argc, char **argv) {
    vc_sender_options options = VC_INIT(vc_sender_options);
    options.url = argc > 1 ? argv[1] : NULL;
    options.policy = VC_LOSSLESS;
    options.sound = 1;
    vc_sender *sender = vc_sender_open(&options);
    if (sender == NULL) return fail("cannot listen");
    vc_video_format format = VC_INIT(vc_video_format);
    format.pixel_format = VC_PIXEL_RGBA;
    format.width = 640;
    format.height = 480;
    if (vc_sender_set_format(sender, VC_PICTURE_TRACK, &format) != VC_OK) return fail("format");
    if (vc_sender_wait(sender, -1) != VC_OK) return fail("no viewer");
    for (int number = 0; number < 100; ++number) {
        vc_slot slot = VC_INIT(vc_slot);
        if (send_tone(sender, number) != VC_OK) return fail("no sound sent");
        if (vc_sender_acquire(sender, VC_PICTURE_TRACK, &slot, 10000) != VC_OK) return fail("no room");
        memset(slot.planes[0], number, slot.bytes);
        if (vc_sender_submit(sender, &slot) != VC_OK) return fail("not sent");
    }
    if (vc_sender_finish(sender, "all frames are sent", 10000) != VC_OK) return fail("not all were taken");
    vc_sender_close(sender);
    return 0;
}
