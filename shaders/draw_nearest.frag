// Draws the picture much enlarged: each of its pixels is a square of one colour.
out vec4 fragment;

void main() {
    ivec2 pixel = clamp(ivec2(picturePosition), ivec2(0), pictureLimit);
    fragment = vec4(toScreen(componentsOfPixel(pixel)), 1.0);
}
