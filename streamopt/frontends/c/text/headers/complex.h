#ifndef STREAMOPT_COMPLEX_H
#define STREAMOPT_COMPLEX_H
#define complex _Complex
#endif
