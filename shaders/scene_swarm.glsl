// Scene "swarm": boulders on rings around a glowing core. Each makes a whole number of orbits per cycle, the
// inner ones faster, and tumbles on its way.
uint scramble(uint value) {  // PCG (O'Neill 2014), as a hash
    uint state = value * 747796405u + 2891336453u;
    uint word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
    return (word >> 22u) ^ word;
}

float random(inout uint state) {
    state = scramble(state);
    return float(state >> 8u) * (1.0 / 16777216.0);
}

mat3 tumble(vec3 axis, float angle) {
    vec3 s = axis * sin(angle);
    vec3 t = axis * (1.0 - cos(angle));
    float c = cos(angle);
    return mat3(t.x * axis + vec3(c, s.z, -s.y), t.y * axis + vec3(-s.z, c, s.x), t.z * axis + vec3(s.y, -s.x, c));
}

vec3 ringColour(float radius) {
    vec3 colour = mix(vec3(1.00, 0.66, 0.34), vec3(0.95, 0.26, 0.20), smoothstep(2.5, 5.0, radius));
    colour = mix(colour, vec3(0.42, 0.16, 0.55), smoothstep(4.6, 7.4, radius));
    return mix(colour, vec3(0.10, 0.30, 0.72), smoothstep(7.0, 10.0, radius));
}

Box placeBox(int index, int count) {
    uint state = uint(index) * 2654435761u + 17u;
    bool core = index < count / 10;
    float around = 6.2831853 * random(state);
    float outward = random(state);
    float above = random(state) + random(state) - 1.0;
    float size = random(state);
    vec3 axis = normalize(vec3(random(state), random(state), random(state)) - 0.5 + vec3(0.0, 0.001, 0.0));
    float spin = floor(4.0 + 30.0 * random(state));
    vec3 shape = 0.6 + 0.6 * vec3(random(state), random(state), random(state));
    float scale = sqrt(2304.0 / float(count));

    Box box;
    if (core) {
        float level = 2.0 * outward - 1.0;
        float radius = 0.9 + 0.5 * above + 0.12 * sin(40.0 * cycle + around);
        around += 20.0 * cycle;
        box.centre = radius * vec3(sqrt(1.0 - level * level) * vec2(cos(around), sin(around)), level).xzy;
        box.axes = tumble(axis, spin * cycle) * (0.09 + 0.07 * size) * scale;
        box.colour = vec3(0.9, 0.6, 0.3);
        box.glow = mix(vec3(0.9, 0.26, 0.05), vec3(2.2, 1.25, 0.5), size * size);
    } else {
        float ring = floor(outward * 5.0);
        float radius = 2.7 + 1.62 * (ring + 0.82 * random(state)) - 0.2;
        around += floor(95.0 / pow(radius, 1.2)) * cycle;
        float thickness = 0.10 + 0.06 * radius * smoothstep(0.82, 1.0, random(state)) * 4.0;
        box.centre = vec3(radius * cos(around), above * thickness, radius * sin(around));
        float edge = (0.045 + 0.17 * pow(size, 4.0)) * scale * (0.7 + 0.06 * radius);
        mat3 turned = tumble(axis, spin * cycle);
        box.axes = mat3(turned[0] * (edge * shape.x), turned[1] * (edge * shape.y), turned[2] * (edge * shape.z));
        box.colour = ringColour(radius);
        box.glow = vec3(0.0);
    }
    box.footShade = 0.8;
    box.lamp = vec3(0.0);
    box.lampColour = vec3(9.0, 6.0, 3.6);
    box.lampReach = 0.10;
    return box;
}
