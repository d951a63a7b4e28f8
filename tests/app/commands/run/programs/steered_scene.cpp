// steered_scene WxH loop|demand: an X11 program that shows its keyboard and pointer state. It redraws
// continuously (loop) or only after an event (demand). Its window has one colour:
//   red    low byte of the keysym of the key that is held, 0: none
//   green  1 for each 10 pixels from the left edge to the pointer's last press
//   blue   bits 0 to 2: buttons that are held; from bit 4: notches of the wheel away from the user
#include <GL/gl.h>
#include <GL/glx.h>
#include <X11/Xlib.h>
#include <X11/Xutil.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

namespace {

struct State {
    unsigned key = 0, place = 0, buttons = 0, wheel = 0;
};

void take(XEvent& event, State& state) {
    if (event.type == KeyPress || event.type == KeyRelease) {
        KeySym symbol = NoSymbol;
        char text[8];
        XLookupString(&event.xkey, text, sizeof text, &symbol, nullptr);
        state.key = event.type == KeyPress ? static_cast<unsigned>(symbol) & 0xFF : 0;
    } else if (event.type == ButtonPress && event.xbutton.button == Button4) {
        ++state.wheel;
    } else if (event.type == ButtonPress && event.xbutton.button <= Button3) {
        state.place = static_cast<unsigned>(event.xbutton.x) / 10;
        state.buttons |= 1U << (event.xbutton.button - 1);
    } else if (event.type == ButtonRelease && event.xbutton.button <= Button3) {
        state.buttons &= ~(1U << (event.xbutton.button - 1));
    }
}

void draw(Display* display, Window window, const State& state) {
    glClearColor(static_cast<float>(state.key) / 255.0F, static_cast<float>(state.place) / 255.0F,
                 static_cast<float>(state.buttons | state.wheel << 4) / 255.0F, 1.0F);
    glClear(GL_COLOR_BUFFER_BIT);
    glXSwapBuffers(display, window);
}

Window openWindow(Display* display, int width, int height) {
    int wanted[] = {GLX_RGBA, GLX_DOUBLEBUFFER, GLX_RED_SIZE, 8, GLX_GREEN_SIZE, 8, GLX_BLUE_SIZE, 8, None};
    XVisualInfo* visual = glXChooseVisual(display, DefaultScreen(display), wanted);
    if (visual == nullptr) {
        return None;
    }
    XSetWindowAttributes attributes{};
    attributes.colormap = XCreateColormap(display, DefaultRootWindow(display), visual->visual, AllocNone);
    attributes.event_mask =
        KeyPressMask | KeyReleaseMask | ButtonPressMask | ButtonReleaseMask | ExposureMask;
    const Window window =
        XCreateWindow(display, DefaultRootWindow(display), 40, 30, static_cast<unsigned>(width),
                      static_cast<unsigned>(height), 0, visual->depth, InputOutput, visual->visual,
                      CWColormap | CWEventMask, &attributes);
    XMapWindow(display, window);
    glXMakeCurrent(display, window, glXCreateContext(display, visual, nullptr, True));
    return window;
}

}  // namespace

int main(int argc, char** argv) {
    int width = 0, height = 0;
    if (argc < 3 || std::sscanf(argv[1], "%dx%d", &width, &height) != 2) {
        return 2;
    }
    const bool onDemand = std::strcmp(argv[2], "demand") == 0;
    Display* display = XOpenDisplay(nullptr);
    const Window window = display != nullptr ? openWindow(display, width, height) : None;
    if (window == None) {
        return 3;
    }
    for (State state;;) {
        while (onDemand || XPending(display) > 0) {
            XEvent event;
            XNextEvent(display, &event);
            take(event, state);
            if (onDemand && XPending(display) == 0) {
                break;
            }
        }
        draw(display, window, state);
        if (!onDemand) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));  // paced as by a screen
        }
    }
}
