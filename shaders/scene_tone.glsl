// From linear light to the screen: highlights are bent instead of cut, gamma is 2.
vec3 toScreen(vec3 light) {
    return sqrt(light / (light + 0.55) * 1.10);
}
