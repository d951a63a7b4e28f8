// Draws the picture at any size and place.
out vec4 fragment;

void main() { fragment = vec4(toScreen(componentsAtPosition()), 1.0); }
