// A library that is named EGL but is not the system's, like those that programs ship to translate OpenGL.
extern "C" unsigned eglSwapBuffers(void* /*display*/, void* /*surface*/) {
    return 77;
}
extern "C" void (*eglGetProcAddress(const char* /*name*/))() {
    return nullptr;
}
