// plugin_host PLUGIN ARGUMENTS...: a program without OpenGL whose plugin loads it in a local scope. Runs the
// plugin's main().
#include <dlfcn.h>

#include <cstdio>

int main(int argc, char** argv) {
    void* const plugin = argc > 1 ? dlopen(argv[1], RTLD_LAZY | RTLD_LOCAL) : nullptr;
    if (plugin == nullptr) {
        std::fprintf(stderr, "plugin_host: %s\n", dlerror());
        return 2;
    }
    return reinterpret_cast<int (*)(int, char**)>(dlsym(plugin, "main"))(argc - 1, argv + 1);
}
