// Draws into a texture, off-screen with EGL, and sends it at 60 fps; viewers steer it with the pointer:
//   send_texture [URL [FRAMES]]      then, on any machine:  verbcast view HOST
#include <epoxy/egl.h>
#include <epoxy/gl.h>

#include <chrono>
#include <cstdio>
#include <thread>
#include <verbcast/verbcast_gl.hpp>

constexpr int kWidth = 1280, kHeight = 720;
// An OpenGL context without a window.
bool makeContext() {
    const EGLDisplay display =
        eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
    const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3, EGL_NONE};
    return eglInitialize(display, nullptr, nullptr) && eglBindAPI(EGL_OPENGL_API) &&
           eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE,
                          eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, version));
}

int main(int argc, char** argv) try {
    if (!makeContext()) {
        throw std::runtime_error("no OpenGL 3.3");
    }
    GLuint texture = 0, framebuffer = 0;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, kWidth, kHeight, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    vc_sender_options options = vc::Sender::defaults();
    options.url = argc > 1 ? argv[1] : nullptr;
    options.allow_input = 1;
    vc::Sender sender(options);
    vc::PictureSender pictures(sender, kWidth, kHeight);
    std::printf("waiting for a viewer on %s\n", sender.addresses().c_str());
    sender.wait();
    const int frames = argc > 2 ? std::stoi(argv[2]) : -1;
    float x = 0.5f;
    std::uint64_t shown = 0;
    auto due = std::chrono::steady_clock::now();
    for (int frame = 0; frame != frames; ++frame) {
        while (const auto event = sender.takeInput()) {
            x = event->kind == VC_POINTER_MOVE ? event->x / kWidth : x;
            shown = event->serial;
        }
        glClearColor(x, static_cast<float>(frame % 60) / 60, 1 - x, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        pictures.sendTexture(texture, shown);
        std::this_thread::sleep_until(due += std::chrono::microseconds(16667));
    }
    pictures.finish(5000);
    sender.finish("all frames are sent", 5000);
} catch (const std::exception& error) {
    std::fprintf(stderr, "send_texture: %s\n", error.what());
    return 1;
}
