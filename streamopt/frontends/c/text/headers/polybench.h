#ifndef POLYBENCH_H
#define POLYBENCH_H
#include <stdlib.h>
#ifndef POLYBENCH_PADDING_FACTOR
#define POLYBENCH_PADDING_FACTOR 0
#endif
#ifdef POLYBENCH_USE_C99_PROTO
#define POLYBENCH_C99_SELECT(fixed, given) given
#else
#define POLYBENCH_C99_SELECT(fixed, given) fixed
#endif
#ifdef POLYBENCH_USE_SCALAR_LB
#define POLYBENCH_LOOP_BOUND(fixed, given) fixed
#else
#define POLYBENCH_LOOP_BOUND(fixed, given) given
#endif
#ifdef POLYBENCH_USE_RESTRICT
#define POLYBENCH_RESTRICT restrict
#else
#define POLYBENCH_RESTRICT
#endif
#ifdef POLYBENCH_STACK_ARRAYS
#define POLYBENCH_ARRAY(x) x
#define POLYBENCH_FREE_ARRAY(x)
#define POLYBENCH_DECL_VAR(x) x
#else
#define POLYBENCH_ARRAY(x) *x
#define POLYBENCH_FREE_ARRAY(x) free((void*)x);
#define POLYBENCH_DECL_VAR(x) (*x)
#endif
#define STREAMOPT_EXTENT(n, m) [POLYBENCH_C99_SELECT(n, m) + POLYBENCH_PADDING_FACTOR]
#define POLYBENCH_1D(v, n1, m1) v STREAMOPT_EXTENT(n1, m1)
#define POLYBENCH_2D(v, n1, n2, m1, m2) \
  POLYBENCH_1D(v, n1, m1) STREAMOPT_EXTENT(n2, m2)
#define POLYBENCH_3D(v, n1, n2, n3, m1, m2, m3) \
  POLYBENCH_2D(v, n1, n2, m1, m2) STREAMOPT_EXTENT(n3, m3)
#define POLYBENCH_4D(v, n1, n2, n3, n4, m1, m2, m3, m4) \
  POLYBENCH_3D(v, n1, n2, n3, m1, m2, m3) STREAMOPT_EXTENT(n4, m4)
#define POLYBENCH_5D(v, n1, n2, n3, n4, n5, m1, m2, m3, m4, m5) \
  POLYBENCH_4D(v, n1, n2, n3, n4, m1, m2, m3, m4) STREAMOPT_EXTENT(n5, m5)
#define POLYBENCH_1D_ARRAY_DECL(v, type, n1, m1) \
  type POLYBENCH_1D(POLYBENCH_DECL_VAR(v), n1, m1);
#define POLYBENCH_2D_ARRAY_DECL(v, type, n1, n2, m1, m2) \
  type POLYBENCH_2D(POLYBENCH_DECL_VAR(v), n1, n2, m1, m2);
#define POLYBENCH_3D_ARRAY_DECL(v, type, n1, n2, n3, m1, m2, m3) \
  type POLYBENCH_3D(POLYBENCH_DECL_VAR(v), n1, n2, n3, m1, m2, m3);
#define POLYBENCH_4D_ARRAY_DECL(v, type, n1, n2, n3, n4, m1, m2, m3, m4) \
  type POLYBENCH_4D(POLYBENCH_DECL_VAR(v), n1, n2, n3, n4, m1, m2, m3, m4);
#define POLYBENCH_5D_ARRAY_DECL(v, type, n1, n2, n3, n4, n5, m1, m2, m3, m4, m5) \
  type POLYBENCH_5D(POLYBENCH_DECL_VAR(v), n1, n2, n3, n4, n5, m1, m2, m3, m4, m5);
#define POLYBENCH_DCE_ONLY_CODE if (argc > 42 && !strcmp(argv[0], ""))
#define POLYBENCH_DUMP_TARGET stderr
#define POLYBENCH_DUMP_START fprintf(stderr, "begin\n")
#define POLYBENCH_DUMP_FINISH fprintf(stderr, "end\n")
#define POLYBENCH_DUMP_BEGIN(s) fprintf(stderr, "begin %s", s)
#define POLYBENCH_DUMP_END(s) fprintf(stderr, "end %s\n", s)
#define polybench_prevent_dce(code) POLYBENCH_DCE_ONLY_CODE code
#define polybench_start_instruments
#define polybench_stop_instruments
#define polybench_print_instruments
#define polybench_prepare_instruments()
#define polybench_program_total_flops 0
#endif
