// A corner of a box. Eight corners suffice for six faces: the last corner of each triangle carries the face's
// light (flat), and no corner is the last one of two faces.
uniform mat4 clipFromWorld;
uniform int boxCount;
uniform int firstBox;  // of those drawn
uniform vec2 hazeRange;  // distance where the haze begins, and 1 / the further distance until it is complete

uniform vec3 hazeColour;

flat out vec3 faceColour;  // on the screen
noperspective out float cornerShade;  // perspective would not show, and costs a division per pixel

const vec3 kFaceOfCorner[8] = vec3[8](vec3(0, 1, 0), vec3(0, 0, -1), vec3(-1, 0, 0), vec3(0, 1, 0),
                                      vec3(0, -1, 0), vec3(1, 0, 0), vec3(0, 0, 1), vec3(0, 1, 0));
const vec3 kSun = vec3(0.48, 0.62, -0.62);
const vec3 kSunColour = vec3(0.30, 0.42, 0.75);
const vec3 kSky = vec3(0.08, 0.12, 0.20);
const vec3 kGround = vec3(0.012, 0.006, 0.016);
const vec3 kRim = vec3(0.35, 0.55, 0.95);

void main() {
    Box box = placeBox(firstBox + gl_InstanceID, boxCount);
    vec3 corner = vec3(gl_VertexID & 1, gl_VertexID >> 1 & 1, gl_VertexID >> 2 & 1) * 2.0 - 1.0;
    vec3 world = box.centre + box.axes * corner;

    mat3 outward = mat3(cross(box.axes[1], box.axes[2]), cross(box.axes[2], box.axes[0]),
                        cross(box.axes[0], box.axes[1]));
    vec3 normal = outward * kFaceOfCorner[gl_VertexID];
    normal *= inversesqrt(max(dot(normal, normal), 1e-20));
    vec3 toEye = eye - world;
    float range = length(toEye);
    toEye /= range;
    vec3 toLamp = box.lamp - world;
    float lampSquared = dot(toLamp, toLamp);
    toLamp *= inversesqrt(max(lampSquared, 1e-6));

    vec3 sky = mix(kGround, kSky, normal.y * 0.5 + 0.5);
    vec3 sun = kSunColour * max(dot(normal, kSun), 0.0);
    vec3 lamp = box.lampColour * max(dot(normal, toLamp) * 0.85 + 0.15, 0.0) / (1.0 + box.lampReach * lampSquared);
    float glance = pow(1.0 - max(dot(normal, toEye), 0.0), 4.0);
    float glint = pow(max(dot(normal, normalize(kSun + toEye)), 0.0), 40.0);
    float lampGlint = pow(max(dot(normal, normalize(toLamp + toEye)), 0.0), 40.0) / (1.0 + box.lampReach * lampSquared);
    vec3 light = box.colour * (sky + sun + lamp) + kRim * (0.05 * glance) + kSunColour * (0.30 * glint) +
                 box.lampColour * (0.16 * lampGlint) + box.glow;
    float haze = clamp((range - hazeRange.x) * hazeRange.y, 0.0, 1.0);
    faceColour = toScreen(mix(light, hazeColour, haze));
    cornerShade = corner.y > 0.0 ? 1.0 : box.footShade;
    gl_Position = clipFromWorld * vec4(world, 1.0);
}
