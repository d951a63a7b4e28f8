// One plane of R'G'B' texels: rgba, bgra, rgb24, x2rgb10le, gray. The texture's swizzle puts them in order.
uniform sampler2D plane0;

vec3 componentsOfPixel(ivec2 pixel) { return texelFetch(plane0, pixel, 0).rgb; }

vec3 componentsAtPosition() { return texture(plane0, unitPosition).rgb; }
