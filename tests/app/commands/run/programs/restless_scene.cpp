// restless_scene FRAMES MODE FILE: an OpenGL program that does what programs may
// do while it shows pictures; their green is their number. A picture every 10 ms,
// the first one until the file that SCENE_GO names, if any, is there.
//   forks   every tenth picture: a child that ends by exit()
//   stays   a child that outlives this program until standard input ends
//   closes  all descriptors but the X server's, and writes to files that then have their numbers: exits
//           with 6 when their bytes have changed at the end
//   execs   itself, halfway through
//   threads every tenth picture: a thread that shows pictures in a window of its own, without red
// or with its windows; pictures of the second one have blue:
//   helper  shows one picture in a window that is never seen, then uses another
//   remade  halfway, destroys its window and its context, and makes new ones
//   splash  halfway, opens another window, and hides the first one later
//   turns   swaps its window by two contexts in turn
//   both    swaps a first, larger window while the second one is current, then that
//   quiet   the same as splash; but from then on draws only when it is asked to, until it is terminated
#include <GL/gl.h>
#include <GL/glx.h>
#include <X11/Xlib.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int kFirst = 3, kFiles = 200;
const std::string kText = "bytes of the program's own";

Window openWindow(Display* display, bool seen = true, unsigned width = 320);

void showElsewhere() {
    Display* display = XOpenDisplay(nullptr);
    const Window window = openWindow(display);
    for (int frame = 0; frame < 20; ++frame) {
        glClearColor(0, 1, 1, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        glXSwapBuffers(display, window);
    }
    glXMakeCurrent(display, None, nullptr);
    XCloseDisplay(display);
}

void forkOnce() {
    const pid_t child = fork();
    if (child == 0) {
        std::exit(0);
    }
    waitpid(child, nullptr, 0);
}

void forkOneThatStays() {
    if (fork() == 0) {
        close(STDOUT_FILENO);
        close(STDERR_FILENO);
        char byte = 0;
        while (read(STDIN_FILENO, &byte, 1) > 0) {
        }
        std::exit(0);
    }
}

std::string fileName(const char* base, int number) {
    return base + std::to_string(number);
}

/// The descriptors of the files, which were free.
std::vector<int> closeAndWrite(Display* display, const char* base) {
    const int connection = ConnectionNumber(display);
    for (int descriptor = kFirst; descriptor < kFiles; ++descriptor) {
        if (descriptor != connection) {
            close(descriptor);
        }
    }
    std::vector<int> files;
    for (int number = 0; number < kFiles; ++number) {
        const int file = open(fileName(base, number).c_str(), O_RDWR | O_CREAT, 0600);
        if (file < 0 || write(file, kText.data(), kText.size()) < 0) {
            std::exit(3);
        }
        files.push_back(file);
    }
    return files;
}

bool haveKept(const std::vector<int>& files) {
    for (const int file : files) {
        char bytes[64];
        const ssize_t got = pread(file, bytes, sizeof bytes, 0);
        if (got < 0 || std::string(bytes, static_cast<std::size_t>(got)) != kText) {
            return false;
        }
    }
    return true;
}

Window openWindow(Display* display, bool seen, unsigned width) {
    int wanted[] = {GLX_RGBA, GLX_DOUBLEBUFFER, GLX_RED_SIZE, 8, GLX_GREEN_SIZE, 8, GLX_BLUE_SIZE, 8, None};
    XVisualInfo* visual = glXChooseVisual(display, DefaultScreen(display), wanted);
    if (visual == nullptr) {
        return None;
    }
    XSetWindowAttributes attributes{};
    attributes.colormap = XCreateColormap(display, DefaultRootWindow(display), visual->visual, AllocNone);
    const Window window = XCreateWindow(display, DefaultRootWindow(display), 0, 0, width, 240, 0,
                                        visual->depth, InputOutput, visual->visual, CWColormap, &attributes);
    XSelectInput(display, window, ExposureMask);
    if (seen) {
        XMapWindow(display, window);
    }
    glXMakeCurrent(display, window, glXCreateContext(display, visual, nullptr, True));
    return window;
}

void show(Display* display, Window window, int number, bool second) {
    glClearColor(1, static_cast<float>(number % 256) / 255.0F, second ? 1 : 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glXSwapBuffers(display, window);
}

/// Makes another context current, which lasts as long as the program.
void makeAnotherCurrent(Display* display, Window window) {
    static const GLXContext first = glXGetCurrentContext();
    static const GLXContext second = [&] {
        XWindowAttributes attributes{};
        XGetWindowAttributes(display, window, &attributes);
        XVisualInfo pattern{};
        pattern.visualid = XVisualIDFromVisual(attributes.visual);
        int count = 0;
        return glXCreateContext(display, XGetVisualInfo(display, VisualIDMask, &pattern, &count), nullptr,
                                True);
    }();
    glXMakeCurrent(display, window, glXGetCurrentContext() == first ? second : first);
}

Window remade(Display* display, Window window) {
    const GLXContext context = glXGetCurrentContext();
    glXMakeCurrent(display, None, nullptr);
    glXDestroyContext(display, context);
    XDestroyWindow(display, window);
    return openWindow(display);
}

[[noreturn]] void showWhenAsked(Display* display, Window window, int number) {
    for (;;) {
        XEvent event;
        XNextEvent(display, &event);
        if (event.type == Expose) {
            show(display, window, number, true);
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    Display* display = argc == 4 ? XOpenDisplay(nullptr) : nullptr;
    const std::string mode = argc == 4 ? argv[2] : "";
    Window window = display != nullptr ? openWindow(display, mode != "helper") : None, first = window;
    if (window == None) {
        return 3;
    }
    const int frames = std::atoi(argv[1]);
    std::vector<int> files;
    std::vector<std::jthread> threads;
    const char* const go = std::getenv("SCENE_GO");
    if (mode == "helper") {
        show(display, window, 0, false);
        window = openWindow(display);
    }
    if (mode == "both") {
        first = openWindow(display, true, 400);
        window = openWindow(display);
    }
    for (int frame = 0; frame < frames;) {
        if (mode == "turns") {
            makeAnotherCurrent(display, window);
        }
        if (mode == "both") {
            glXSwapBuffers(display, first);
        }
        show(display, window, frame, window != first);
        std::this_thread::sleep_for(std::chrono::milliseconds(10));  // paced as by a screen
        if (frame == 0 && go != nullptr && access(go, F_OK) != 0) {
            continue;
        }
        if (mode == "forks" && frame % 10 == 9) {
            forkOnce();
        }
        if (mode == "threads" && frame % 10 == 9) {
            threads.emplace_back(&showElsewhere);
        }
        if (mode == "stays" && frame == 9) {
            forkOneThatStays();
        }
        if (mode == "closes" && frame == frames / 4) {
            files = closeAndWrite(display, argv[3]);
        }
        if (mode == "remade" && frame == frames / 2) {
            window = remade(display, window);
        }
        if ((mode == "splash" || mode == "quiet") && frame == frames / 2) {
            window = openWindow(display);
        }
        if ((mode == "splash" || mode == "quiet") && frame == frames / 2 + 5) {
            XUnmapWindow(display, first);
            XFlush(display);
        }
        if (mode == "quiet" && frame == frames / 2 + 5) {
            showWhenAsked(display, window, frames);
        }
        if (mode == "execs" && frame == frames / 2) {
            execl(argv[0], argv[0], argv[1], "rests", argv[3], nullptr);
        }
        ++frame;
    }
    return haveKept(files) ? 0 : 6;
}
