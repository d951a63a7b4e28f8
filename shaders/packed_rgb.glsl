// One plane of R'G'B' texels: rgba, bgra, rgb24, x2rgb10le, gray. The texture's swizzle puts them in order.
uniform sampler2D plane0;

vec3 componentsOfPixel(ivec2 pixel) { return texelFetch(plane0, pixel, 0).rgb; }

// Clamped although it is never outside: when drawing into windows, llvmpipe (Mesa 22.3) has a shortcut for
// textures read at an unmodified input position, which swaps red and blue.
vec3 componentsAtPosition() { return texture(plane0, clamp(unitPosition, 0.0, 1.0)).rgb; }
