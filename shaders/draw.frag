// The picture at any size and place on the screen.
out vec4 fragment;

void main() { fragment = vec4(toScreen(componentsAtPosition()), 1.0); }
