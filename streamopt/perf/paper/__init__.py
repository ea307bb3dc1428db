"""The published model: st, fw, lw and DSPs of [1], Basalama and Cong, Stream-HLS, FPGA 2025."""
