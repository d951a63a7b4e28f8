// Converts linear light to the screen: compresses highlights instead of clipping them, with a gamma of 2.
vec3 toScreen(vec3 light) {
    return sqrt(light / (light + 0.55) * 1.10);
}
