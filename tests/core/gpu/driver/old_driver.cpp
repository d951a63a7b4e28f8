// A libcuda.so.1 of CUDA 10.2, which lacks cuGetProcAddress.
extern "C" {

int cuDriverGetVersion(int* version) {
    *version = 10020;
    return 0;
}

int cuInit(unsigned) {
    return 0;
}

}  // extern "C"
