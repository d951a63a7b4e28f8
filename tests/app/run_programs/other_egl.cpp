// A library that calls itself EGL and is not the system's, as programs bring one along that translate OpenGL.
extern "C" unsigned eglSwapBuffers(void* /*display*/, void* /*surface*/) {
    return 77;
}
extern "C" void (*eglGetProcAddress(const char* /*name*/))() {
    return nullptr;
}
