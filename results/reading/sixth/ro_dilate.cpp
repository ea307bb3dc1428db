#define STREL_ROWS 5
#define STREL_COLS 5
#define EL_CENTER_I 2
#define EL_CENTER_J 2
#define GRID_ROWS 14
#define GRID_COLS 12
#define MAX(a,b) (((a)>(b))?(a):(b))

static const int strel[STREL_ROWS * STREL_COLS] = {
    0, 1, 1, 1, 0,
    1, 1, 1, 1, 1,
    1, 1, 1, 1, 1,
    1, 1, 1, 1, 1,
    0, 1, 1, 1, 0
};

extern "C" void dilate(float result[GRID_ROWS * GRID_COLS], float img[GRID_ROWS * GRID_COLS]) {
    for (int i = 0; i < GRID_ROWS; i++) {
        for (int j = 0; j < GRID_COLS; j++) {
            float max = 0.0f, temp;
            int el_i, el_j, x, y;
            for (el_i = 0; el_i < STREL_ROWS; el_i++) {
                y = i - EL_CENTER_I + el_i;
                if ((y >= 0) && (y < GRID_ROWS)) {
                    for (el_j = 0; el_j < STREL_COLS; el_j++) {
                        x = j - EL_CENTER_J + el_j;
                        if ((x >= 0) && (x < GRID_COLS) && (strel[el_i * STREL_COLS + el_j] != 0)) {
                            temp = img[y * GRID_COLS + x];
                            if (temp > max) max = temp;
                        }
                    }
                }
            }
            result[i * GRID_COLS + j] = max;
        }
    }
}
