/* run: bundles(float x[12], int w[12], float y[12], int z[12]) */
struct inner { float scale; int lag[2]; };
struct item { float value; inner more; unsigned char mark; };
struct padded { char mark; double value; item parts[3]; short last; };
static const unsigned long SIZES = sizeof(padded) / sizeof(struct item);

static item made(float value, int first) {
  item one;
  one.value = value;
  one.more.scale = value * 2;
  one.more.lag[0] = first;
  one.more.lag[1] = first - 1;
  one.mark = (unsigned char)(first + 250);
  return one;
}

static void scaled(const item &from, item *to, float by) {
  to->value = from.value * by;
  to->more = from.more;
  to->mark = from.mark;
}

static float weight(item one) {
  one.more.lag[1] += 2;
  return one.more.scale + one.more.lag[1];
}

void bundles(float x[12], int w[12], float y[12], int z[12]) {
  item table[12];
  const item bias[2] = {{1, {2, {3, 4}}, 5}, {0.5f, {0.25f, {7}}, 9}};
build:
  for (int i = 0; i < 12; i++)
    table[i] = made(x[i], w[i]);
use:
  for (int i = 0; i < 12; i++) {
    item next;
    scaled(table[i], &next, 3);
    auto copy = next;
    y[i] = weight(copy) + bias[i % 2].value * copy.value;
    z[i] = copy.mark + bias[i % 2].more.lag[0] + copy.more.lag[0] - copy.more.lag[1] + SIZES * sizeof(copy);
  }
}
