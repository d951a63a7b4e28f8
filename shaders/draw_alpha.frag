// Draws a packed picture that is translucent by its own alpha.
uniform float opacity;

out vec4 fragment;

void main() {
    float alpha = texture(plane0, clamp(unitPosition, 0.0, 1.0)).a;
    fragment = vec4(toScreen(componentsAtPosition()), alpha * opacity);
}
