# make run                  software simulation
# make xo PLATFORM=...      the kernel, by the compiler of TAPA and Vitis HLS

run: testbench
	./testbench

testbench: @{top}.cpp testbench.cpp @{top}.h packing.h
	tapa g++ -O2 @{top}.cpp testbench.cpp -o $@@

xo: @{top}.cpp @{top}.h
	tapa compile --top @{top} --platform $(PLATFORM) -f @{top}.cpp@{floorplan} -o @{top}.xo

.PHONY: run xo
