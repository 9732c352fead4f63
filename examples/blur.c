// Box blur of a grey image with 3 x 3 cells; the border is copied.  Pixels lie row after row behind one pointer.
void blur(int height, int width, const int *image, int *out) {
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            if (y == 0 || y == height - 1 || x == 0 || x == width - 1) {
                out[y * width + x] = image[y * width + x];
            } else {
                int sum = 0;
                for (int dy = -1; dy <= 1; dy++) {
                    for (int dx = -1; dx <= 1; dx++) {
                        sum += image[(y + dy) * width + (x + dx)];
                    }
                }
                out[y * width + x] = sum / 9;
            }
        }
    }
}
