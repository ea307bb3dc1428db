"""The kinds of project that a design is written as: Vitis HLS, TAPA and native C++."""
