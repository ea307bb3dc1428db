/* The macros that the kernels are written with: arrays of fixed extents, and a dump of results.

   POLYBENCH_USE_C99_PROTO   parameters of the kernel have run-time extents
   POLYBENCH_USE_SCALAR_LB   loops run to the compile-time extents
   POLYBENCH_STACK_ARRAYS    main keeps its arrays on the stack
   POLYBENCH_DUMP_ARRAYS     main prints the results */
#ifndef POLYBENCH_H
#define POLYBENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef POLYBENCH_USE_SCALAR_LB
#define POLYBENCH_LOOP_BOUND(extent, parameter) extent
#else
#define POLYBENCH_LOOP_BOUND(extent, parameter) parameter
#endif

#ifdef POLYBENCH_USE_C99_PROTO
#define POLYBENCH_C99_SELECT(extent, parameter) parameter
#else
#define POLYBENCH_C99_SELECT(extent, parameter) extent
#endif

/* Parameters of functions: name, extents, extents as parameters. */
#define POLYBENCH_1D(x, d1, p1) x[POLYBENCH_C99_SELECT(d1, p1)]
#define POLYBENCH_2D(x, d1, d2, p1, p2) \
    x[POLYBENCH_C99_SELECT(d1, p1)][POLYBENCH_C99_SELECT(d2, p2)]
#define POLYBENCH_3D(x, d1, d2, d3, p1, p2, p3) \
    x[POLYBENCH_C99_SELECT(d1, p1)][POLYBENCH_C99_SELECT(d2, p2)][POLYBENCH_C99_SELECT(d3, p3)]

/* Variables that hold the arrays, and the arrays in them. */
#ifdef POLYBENCH_STACK_ARRAYS
#define POLYBENCH_ARRAY(x) x
#define POLYBENCH_FREE_ARRAY(x)
#define POLYBENCH_1D_ARRAY_DECL(x, type, d1, p1) type x[d1]
#define POLYBENCH_2D_ARRAY_DECL(x, type, d1, d2, p1, p2) type x[d1][d2]
#define POLYBENCH_3D_ARRAY_DECL(x, type, d1, d2, d3, p1, p2, p3) type x[d1][d2][d3]
#else
#define POLYBENCH_ARRAY(x) *x
#define POLYBENCH_FREE_ARRAY(x) free((void *)x)
#define POLYBENCH_1D_ARRAY_DECL(x, type, d1, p1) \
    type(*x)[d1] = (type(*)[d1])polybench_alloc(sizeof *x)
#define POLYBENCH_2D_ARRAY_DECL(x, type, d1, d2, p1, p2) \
    type(*x)[d1][d2] = (type(*)[d1][d2])polybench_alloc(sizeof *x)
#define POLYBENCH_3D_ARRAY_DECL(x, type, d1, d2, d3, p1, p2, p3) \
    type(*x)[d1][d2][d3] = (type(*)[d1][d2][d3])polybench_alloc(sizeof *x)
#endif

static inline void *polybench_alloc(size_t bytes)
{
    void *block = malloc(bytes);

    if (block == NULL) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return block;
}

/* Nothing is measured here. */
#define polybench_start_instruments
#define polybench_stop_instruments
#define polybench_print_instruments

/* Results go out, or look to the compiler as if they might. */
#ifdef POLYBENCH_DUMP_ARRAYS
#define polybench_prevent_dce(call) \
    do {                            \
        (void)argc;                 \
        (void)argv;                 \
        call;                       \
    } while (0)
#else
#define polybench_prevent_dce(call)              \
    do {                                         \
        if (argc > 42 && !strcmp(argv[0], "")) { \
            call;                                \
        }                                        \
    } while (0)
#endif

#define POLYBENCH_DUMP_TARGET stderr
#define POLYBENCH_DUMP_START fprintf(POLYBENCH_DUMP_TARGET, "==BEGIN DUMP_ARRAYS==\n")
#define POLYBENCH_DUMP_FINISH fprintf(POLYBENCH_DUMP_TARGET, "==END   DUMP_ARRAYS==\n")
#define POLYBENCH_DUMP_BEGIN(name) fprintf(POLYBENCH_DUMP_TARGET, "begin dump: %s", name)
#define POLYBENCH_DUMP_END(name) fprintf(POLYBENCH_DUMP_TARGET, "\nend   dump: %s\n", name)

#endif
