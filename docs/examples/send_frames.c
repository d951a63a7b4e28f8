/* The same in C, without input, with sound: 100 frames, none dropped.   send_frames [URL] */
#include <stdio.h>
#include <string.h>
#include <verbcast/verbcast.h>

static int fail(const char *what) {
    fprintf(stderr, "send_frames: %s: %s\n", what, vc_error());
    return 1;
}

static void say(void *user, vc_log_level level, const char *message) {
    (void)user;
    (void)level;
    fprintf(stderr, "send_frames: %s\n", message);
}

/* A sawtooth of 400 Hz, for as long as a frame lasts. */
static vc_status send_tone(vc_sender *sender, int number) {
    enum { RATE = 48000, SAMPLES = RATE / 60, PERIOD = RATE / 400 };
    float samples[SAMPLES];
    for (int i = 0; i < SAMPLES; ++i) {
        samples[i] = 0.2f * (float)((number * SAMPLES + i) % PERIOD) / PERIOD - 0.1f;
    }
    vc_sound sound = VC_SOUND_INIT;
    sound.rate = RATE;
    sound.channels = 1;
    sound.samples = SAMPLES;
    sound.interleaved = samples;
    sound.time = number * 1000000000LL / 60;
    return vc_sender_send_sound(sender, &sound);
}

int main(int argc, char **argv) {
    vc_set_log(say, NULL, VC_LOG_WARNING);
    vc_sender_options options = VC_SENDER_OPTIONS_INIT;
    options.url = argc > 1 ? argv[1] : NULL;
    options.policy = VC_LOSSLESS;
    options.sound = 1;
    vc_sender *sender = vc_sender_open(&options);
    if (sender == NULL) return fail("cannot listen");
    if (vc_sender_format(sender, "rgba", 640, 480, 60, 1) != VC_OK) return fail("format");
    printf("waiting for a viewer on %s\n", vc_sender_addresses(sender));
    fflush(stdout);
    if (vc_sender_wait(sender, -1) != VC_OK) return fail("no viewer");
    for (int number = 0; number < 100; ++number) {
        if (send_tone(sender, number) != VC_OK) return fail("no sound sent");
        vc_frame frame = VC_FRAME_INIT;
        if (vc_frame_acquire(sender, &frame, 10000) != VC_OK) return fail("no room");
        memset(frame.planes[0], number, frame.bytes);
        if (vc_frame_submit(sender, &frame) != VC_OK) return fail("not sent");
    }
    const vc_status ended = vc_sender_finish(sender, "all frames are sent", 10000);
    vc_sender_close(sender);
    return ended == VC_OK ? 0 : fail("the viewer did not take all frames");
}
