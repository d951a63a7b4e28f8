// What all OpenGL contexts that are made here by EGL have in common.
#pragma once

#include <epoxy/egl.h>

namespace verbcast {

/// Whether libEGL.so.1 can be loaded. To be asked before any other call of EGL's: libepoxy ends a process
/// that calls into a library which it does not find.
bool hasEglLibrary();

/// OpenGL 3.3 core or later, served before other programs' contexts where the driver offers that
/// (EGL_IMG_context_priority): GPUs are shared by time slices, and a frame is waiting. EGL_NO_CONTEXT, with
/// EGL's error, if it cannot be made.
EGLContext makeEglContext(EGLDisplay display, EGLConfig config);

}  // namespace verbcast
