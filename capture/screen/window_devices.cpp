#include "capture/screen/window_devices.h"

#include <xcb/xinput.h>

#include "core/base/error.h"

namespace verbcast {

WindowDevices::WindowDevices(const MasterPair& devices, xcb_window_t window)
    : devices_(devices), window_(window) {
    // The server accepts XInput 2 requests only after this one.
    const XReply<xcb_input_xi_query_version_reply_t> version(xcb_input_xi_query_version_reply(
        display_.get(), xcb_input_xi_query_version(display_.get(), 2, 2), nullptr));
    // Sets this connection's pointer: XTEST without a device uses it and its keyboard.
    xcb_input_xi_set_client_pointer(display_.get(), XCB_NONE, devices_.pointer);
}

void WindowDevices::requireThere() const {
    const XReply<xcb_input_xi_get_client_pointer_reply_t> pointer(xcb_input_xi_get_client_pointer_reply(
        display_.get(), xcb_input_xi_get_client_pointer(display_.get(), XCB_NONE), nullptr));
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
        const XReply<xcb_query_tree_reply_t> tree(
            xcb_query_tree_reply(display_.get(), xcb_query_tree(display_.get(), found.frame), nullptr));
        if (!tree || tree->parent == XCB_NONE || tree->parent == tree->root) {
            return found;
        }
        found.frame = tree->parent;
        found.outermost = isOfTheProgram(tree->parent) ? tree->parent : found.outermost;
    }
}

bool WindowDevices::focus() const {
    // The outermost window, so that keys find the part of it under the pointer, as the user's keys do.
    const XReply<xcb_generic_error_t> error(xcb_request_check(
        display_.get(), xcb_input_xi_set_focus_checked(display_.get(), ancestry().outermost, XCB_CURRENT_TIME,
                                                       devices_.keyboard)));
    return !error;
}

bool WindowDevices::pointsAtProgram() const {
    const XReply<xcb_query_pointer_reply_t> pointer(
        xcb_query_pointer_reply(display_.get(), xcb_query_pointer(display_.get(), display_.root()), nullptr));
    return pointer && pointer->child != XCB_NONE &&
           (isOfTheProgram(pointer->child) || pointer->child == ancestry().frame);
}

}  // namespace verbcast
