#include <hlslib/xilinx/Stream.h>
