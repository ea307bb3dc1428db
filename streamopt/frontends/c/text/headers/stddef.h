#ifndef STREAMOPT_STDDEF_H
#define STREAMOPT_STDDEF_H
typedef unsigned long size_t;
typedef long ptrdiff_t;
#define NULL ((void*)0)
#endif
