#ifndef STREAMOPT_STDARG_H
#define STREAMOPT_STDARG_H
typedef void *va_list;
#endif
