#include "capture/screen/window_devices.h"

#include <xcb/xinput.h>

#include "core/base/error.h"

namespace verbcast {

WindowDevices::WindowDevices(const MasterPair& devices, xcb_window_t window)
    : devices_(devices), window_(window) {
    // The server accepts XInput 2 requests only after this one.
    display_.ask(xcb_input_xi_query_version, xcb_input_xi_query_version_reply, 2, 2);
    // Sets this connection's pointer: XTEST without a device uses it and its keyboard.
    xcb_input_xi_set_client_pointer(display_.get(), XCB_NONE, devices_.pointer);
}

void WindowDevices::requireThere() const {
    const auto pointer =
        display_.ask(xcb_input_xi_get_client_pointer, xcb_input_xi_get_client_pointer_reply, XCB_NONE);
    if (!pointer || pointer->set == 0 || pointer->deviceid != devices_.pointer) {
        display_.requireAlive();
        throw Error(ErrorKind::Display,
                    "the pointer and the keyboard for viewers are gone, with verbcast run");
    }
}

bool WindowDevices::isOfTheProgram(xcb_window_t window) const {
    // The upper bits of a window's number tell which program created it.
    const std::uint32_t own = xcb_get_setup(display_.get())->resource_id_mask;
    return (window & ~own) == (window_ & ~own);
}

WindowDevices::Ancestry WindowDevices::ancestry() const {
    Ancestry found{window_, window_};
    for (;;) {
        const auto tree = display_.ask(xcb_query_tree, xcb_query_tree_reply, found.frame);
        if (!tree || tree->parent == XCB_NONE || tree->parent == tree->root) {
            return found;
        }
        found.frame = tree->parent;
        found.outermost = isOfTheProgram(tree->parent) ? tree->parent : found.outermost;
    }
}

bool WindowDevices::focus() const {
    // The outermost window, so that keys find the part of it under the pointer, as the user's keys do.
    return display_.carriesOut(xcb_input_xi_set_focus_checked(display_.get(), ancestry().outermost,
                                                              XCB_CURRENT_TIME, devices_.keyboard));
}

bool WindowDevices::pointsAtProgram() const {
    const auto pointer = display_.ask(xcb_query_pointer, xcb_query_pointer_reply, display_.root());
    return pointer && pointer->child != XCB_NONE &&
           (isOfTheProgram(pointer->child) || pointer->child == ancestry().frame);
}

}  // namespace verbcast
