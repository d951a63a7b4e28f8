// Scene "waves": a disc of pillars whose tops follow ripples and a swell, and tilt like the water's surface.
const float kRadius = 10.0;

float waterHeight(vec2 at) {
    vec2 source = 5.0 * vec2(cos(9.0 * cycle), sin(12.0 * cycle));
    vec2 other = 6.5 * vec2(cos(5.0 * cycle + 2.0), sin(-8.0 * cycle + 1.0));
    float near = dot(at - source, at - source);
    float far = dot(at - other, at - other);
    return 0.75 * sin(2.1 * sqrt(near + 0.05) - 84.0 * cycle) * exp(-0.07 * near) +
           0.55 * sin(1.7 * sqrt(far + 0.05) - 70.0 * cycle) * exp(-0.06 * far) +
           0.42 * sin(dot(at, vec2(0.42, 0.26)) + 31.0 * cycle) +
           0.38 * sin(dot(at, vec2(-0.24, 0.55)) - 23.0 * cycle);
}

vec3 heightColour(float height) {
    vec3 colour = mix(vec3(0.012, 0.022, 0.085), vec3(0.015, 0.20, 0.33), smoothstep(-1.1, 0.1, height));
    colour = mix(colour, vec3(0.10, 0.52, 0.50), smoothstep(0.0, 0.55, height));
    colour = mix(colour, vec3(1.00, 0.46, 0.14), smoothstep(0.45, 1.05, height));
    return mix(colour, vec3(1.00, 0.82, 0.58), smoothstep(1.0, 1.6, height));
}

Box placeBox(int index, int count) {
    int side = int(sqrt(float(count)) + 0.5);
    // From the corner nearest to the eye to the farthest, so that hidden boxes are not shaded.
    ivec2 cell = abs(ivec2(eye.x > 0.0 ? side - 1 : 0, eye.z > 0.0 ? side - 1 : 0) -
                     ivec2(index % side, index / side));
    float spacing = 2.0 * kRadius / float(side);
    vec2 at = (vec2(cell) + 0.5) * spacing - kRadius;
    float rim = 1.0 - smoothstep(0.86 * kRadius, kRadius, length(at));

    const float kStep = 0.05;
    float height = waterHeight(at);
    vec2 slope = (vec2(waterHeight(at + vec2(kStep, 0.0)), waterHeight(at + vec2(0.0, kStep))) - height) / kStep;
    // Half the pillar's height: just enough to meet its neighbours, since hidden parts cost time, too.
    float depth = spacing * (0.3 + 0.75 * (abs(slope.x) + abs(slope.y)));
    float width = 0.42 * spacing * rim;

    Box box;
    box.centre = vec3(at.x, height - depth, at.y);
    box.axes = mat3(vec3(width, slope.x * width, 0.0), vec3(0.0, depth, 0.0), vec3(0.0, slope.y * width, width));
    box.colour = heightColour(height) * (0.25 + 0.75 * rim);
    box.glow = vec3(0.0);
    box.footShade = 0.15;
    vec2 source = 5.0 * vec2(cos(9.0 * cycle), sin(12.0 * cycle));
    box.lamp = vec3(source.x, 2.4, source.y);
    box.lampColour = vec3(7.0, 3.4, 1.3);
    box.lampReach = 0.16;
    return box;
}
