#pragma once
#define LEN 8
typedef float data_t;
typedef int index_t;
typedef data_t vec_t[LEN];
static const data_t GAIN = 1.5;
