// Draws a part of a picture on a wall's display. It has a texture of its own, with row 0 at the bottom.
uniform sampler2D plane0;
uniform vec2 origin;             // the area's top left corner, in gl_FragCoord's coordinates
uniform mat3 pictureFromTarget;  // from the area's pixels, rows from the top, to the picture's unit square
uniform vec4 part;               // what the texture fills of that square: left, top, width, height; black is around it
uniform vec4 fade;               // left, right, top, bottom: fractions of the picture; 0: no fade
uniform float fadeGamma;
uniform vec3 gain;
uniform float gamma, black;

out vec4 fragment;

// Overlapping fades add up to 1, because smoothstep(x) + smoothstep(1 - x) does.
float light(float distance, float width) {
    return width > 0.0 ? smoothstep(0.0, width, distance) : 1.0;
}

void main() {
    vec3 at = pictureFromTarget * vec3(gl_FragCoord.x - origin.x, origin.y - gl_FragCoord.y, 1.0);
    vec2 place = at.xy / at.z;
    bool inside = at.z > 0.0 && all(greaterThanEqual(place, vec2(0.0))) && all(lessThanEqual(place, vec2(1.0)));
    vec2 spot = (place - part.xy) / max(part.zw, vec2(1e-9));
    bool filled = all(greaterThanEqual(spot, vec2(0.0))) && all(lessThanEqual(spot, vec2(1.0)));
    vec3 code = filled ? texture(plane0, vec2(spot.x, 1.0 - spot.y)).rgb : vec3(0.0);
    code = black + (1.0 - black) * pow(clamp(gain * code, 0.0, 1.0), vec3(1.0 / gamma));
    float share = light(place.x, fade.x) * light(1.0 - place.x, fade.y) * light(place.y, fade.z) *
                  light(1.0 - place.y, fade.w);
    fragment = vec4(inside ? code * pow(share, 1.0 / fadeGamma) : vec3(0.0), 1.0);
}
