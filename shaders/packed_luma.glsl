// Bilinear luma at picturePosition for layouts that hardware filters cannot handle. Uses the layout's
// `float lumaTexel(ivec2)`.
float lumaAtPosition() {
    vec2 position = picturePosition - 0.5;
    vec2 corner = floor(position);
    vec2 weight = position - corner;
    ivec2 first = max(ivec2(corner), ivec2(0));
    ivec2 last = min(ivec2(corner) + 1, pictureLimit);
    return mix(mix(lumaTexel(first), lumaTexel(ivec2(last.x, first.y)), weight.x),
               mix(lumaTexel(ivec2(first.x, last.y)), lumaTexel(last), weight.x), weight.y);
}
