// known_scene glx|egl|ends|damage|lie FRAMES WxH [LIBRARY]: an ordinary OpenGL program. It shows FRAMES
// pictures of coloured rectangles whose bytes knownScene() in the test computes, with its own pixel-store
// state and an OpenGL error of its own throughout, and exits with 4 when they have changed. LIBRARY: the
// library in which it looks up its swap itself. Also built as a plugin. "ends": uses EGL, ends it with all
// that it has made of it, and begins again in the same window. "damage": uses EGL and reports, for all
// pictures but the first and every tenth, that only the second band has changed, which is true. "lie" reports
// the same but changes all bands. With SCENE_ALPHA=1, its window has alpha, and its pictures are transparent;
// with SCENE_SAMPLES=4, each pixel has as many samples.
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glx.h>
#include <X11/Xlib.h>
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

namespace {

struct Window {
    Display* display = nullptr;
    ::Window window = 0;
    int width = 0, height = 0;
    int wholeEach = 1;  // the other pictures differ in the second band alone
};

bool transparent() {
    return std::getenv("SCENE_ALPHA") != nullptr;
}

int samples() {
    const char* const wanted = std::getenv("SCENE_SAMPLES");
    return wanted != nullptr ? std::atoi(wanted) : 0;
}

void draw(const Window& window, int frame) {
    glDisable(GL_DITHER);
    glEnable(GL_SCISSOR_TEST);
    for (int band = 0; band < 4; ++band) {
        const int shown = band == 1 ? frame : frame - frame % window.wholeEach;
        const int top = window.height * band / 4;
        const int end = window.height * (band + 1) / 4;
        // Band 0 is the top one; OpenGL counts from below.
        glScissor(0, window.height - end, window.width, end - top);
        glClearColor(static_cast<float>(band * 60) / 255.0F, static_cast<float>(shown % 256) / 255.0F,
                     static_cast<float>(200 - band * 50) / 255.0F, transparent() ? 0.0F : 1.0F);
        glClear(GL_COLOR_BUFFER_BIT);
    }
    glScissor(0, 0, 3, 5);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glPixelStorei(GL_PACK_ROW_LENGTH, 77);
    glEnable(GL_NONE);
}

bool stateIsOurs() {
    GLint alignment = 0, rowLength = 0, box[4] = {};
    glGetIntegerv(GL_PACK_ALIGNMENT, &alignment);
    glGetIntegerv(GL_PACK_ROW_LENGTH, &rowLength);
    glGetIntegerv(GL_SCISSOR_BOX, box);
    return alignment == 1 && rowLength == 77 && box[2] == 3 && box[3] == 5 && glIsEnabled(GL_SCISSOR_TEST) &&
           glGetError() == GL_INVALID_ENUM && glGetError() == GL_NO_ERROR;
}

Window openWindow(const XVisualInfo* visual, Display* display, int width, int height) {
    const int screen = DefaultScreen(display);
    XSetWindowAttributes attributes{};
    attributes.colormap = XCreateColormap(display, RootWindow(display, screen), visual->visual, AllocNone);
    const ::Window window =
        XCreateWindow(display, RootWindow(display, screen), 0, 0, static_cast<unsigned>(width),
                      static_cast<unsigned>(height), 0, visual->depth, InputOutput, visual->visual,
                      CWColormap, &attributes);
    XMapWindow(display, window);
    XSync(display, False);
    return {display, window, width, height};
}

template <typename Swap>
int show(const Window& window, int frames, Swap&& swap) {
    const char* const go = std::getenv("SCENE_GO");
    int shown = 0;
    for (int frame = 0; frame < frames; ++shown) {
        draw(window, frame);
        swap(frame);
        if (!stateIsOurs()) {
            std::fprintf(stderr, "known_scene: the OpenGL state has changed\n");
            return 4;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));  // paced as by a screen
        frame += frame > 0 || go == nullptr || access(go, F_OK) == 0 ? 1 : 0;
    }
    if (go != nullptr) {
        std::fprintf(stderr, "known_scene: %d pictures\n", shown);
    }
    return 0;
}

/// The function that shows a picture, linked or looked up.
template <typename Function>
Function* swapOf(Function* linked, const char* name, const char* library) {
    return library == nullptr ? linked : reinterpret_cast<Function*>(dlsym(dlopen(library, RTLD_LAZY), name));
}

int showByGlx(Display* display, int frames, int width, int height, const char* library) {
    int wanted[] = {GLX_RGBA,
                    GLX_DOUBLEBUFFER,
                    GLX_RED_SIZE,
                    8,
                    GLX_GREEN_SIZE,
                    8,
                    GLX_BLUE_SIZE,
                    8,
                    GLX_ALPHA_SIZE,
                    transparent() ? 8 : 0,
                    GLX_SAMPLE_BUFFERS,
                    samples() > 0 ? 1 : 0,
                    GLX_SAMPLES,
                    samples(),
                    None};
    XVisualInfo* visual = glXChooseVisual(display, DefaultScreen(display), wanted);
    if (visual == nullptr) {
        return 3;
    }
    const Window window = openWindow(visual, display, width, height);
    const GLXContext context = glXCreateContext(display, visual, nullptr, True);
    glXMakeCurrent(display, window.window, context);
    const auto swap = swapOf(&glXSwapBuffers, "glXSwapBuffers", library);
    return show(window, frames, [&](int) { swap(display, window.window); });
}

/// `seen`: its window is used; null: one of its own.
int showByEgl(Display* native, int frames, int width, int height, const char* library,
              const std::string& mode, const Window* seen = nullptr) {
    const EGLDisplay display = eglGetDisplay(native);
    eglInitialize(display, nullptr, nullptr);
    eglBindAPI(EGL_OPENGL_API);
    const EGLint wanted[] = {EGL_RED_SIZE,
                             8,
                             EGL_GREEN_SIZE,
                             8,
                             EGL_BLUE_SIZE,
                             8,
                             EGL_ALPHA_SIZE,
                             transparent() ? 8 : 0,
                             EGL_SAMPLE_BUFFERS,
                             samples() > 0 ? 1 : 0,
                             EGL_SAMPLES,
                             samples(),
                             EGL_RENDERABLE_TYPE,
                             EGL_OPENGL_BIT,
                             EGL_SURFACE_TYPE,
                             EGL_WINDOW_BIT,
                             EGL_NONE};
    EGLConfig config = nullptr;
    EGLint count = 0, id = 0;
    if (eglChooseConfig(display, wanted, &config, 1, &count) == 0 || count == 0) {
        return 3;
    }
    eglGetConfigAttrib(display, config, EGL_NATIVE_VISUAL_ID, &id);
    XVisualInfo pattern{};
    pattern.visualid = static_cast<VisualID>(id);
    XVisualInfo* visual = XGetVisualInfo(native, VisualIDMask, &pattern, &count);
    if (visual == nullptr) {
        return 3;
    }
    Window window = seen != nullptr ? *seen : openWindow(visual, native, width, height);
    const EGLSurface surface = eglCreateWindowSurface(display, config, window.window, nullptr);
    const EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, nullptr);
    eglMakeCurrent(display, surface, surface, context);
    const auto swap = swapOf(&eglSwapBuffers, "eglSwapBuffers", library);
    const bool lies = mode == "lie";
    if (!lies && mode != "damage") {
        const int result = show(window, frames, [&](int) { swap(display, surface); });
        if (result != 0 || mode != "ends" || seen != nullptr) {
            return result;
        }
        eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        eglTerminate(display);
        return showByEgl(native, frames, width, height, library, mode, &window);
    }
    const auto swapDamage = reinterpret_cast<PFNEGLSWAPBUFFERSWITHDAMAGEKHRPROC>(
        eglGetProcAddress("eglSwapBuffersWithDamageKHR"));
    if (swapDamage == nullptr) {
        return 5;
    }
    constexpr int kWholeEach = 10;
    window.wholeEach = lies ? 1 : kWholeEach;
    return show(window, frames, [&](int frame) {
        const int top = height / 4, end = height * 2 / 4;
        EGLint band[] = {0, height - end, width, end - top};
        swapDamage(display, surface, band, frame % kWholeEach == 0 ? 0 : 1);
    });
}

}  // namespace

int main(int argc, char** argv) {
    int width = 0, height = 0;
    if (argc < 4 || std::sscanf(argv[3], "%dx%d", &width, &height) != 2) {
        return 2;
    }
    Display* display = XOpenDisplay(nullptr);
    if (display == nullptr) {
        return 3;
    }
    const int frames = std::atoi(argv[2]);
    const char* library = argc > 4 ? argv[4] : nullptr;
    const std::string mode = argv[1];
    return mode == "glx" ? showByGlx(display, frames, width, height, library)
                         : showByEgl(display, frames, width, height, library, mode);
}
