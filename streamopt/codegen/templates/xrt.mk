# Vitis @{release}, with its settings and those of XRT sourced:
#
#   make run TARGET=hw_emu PLATFORM=<platform>     TARGET is one of: @{emulations} hw
#   make run_python TARGET=hw PLATFORM=<platform>

TARGET ?= hw_emu
TARGETS := @{emulations} hw
ifeq ($(filter $(TARGET),$(TARGETS)),)
$(error TARGET is $(TARGET), not one of: $(TARGETS))
endif

BUILD := build_$(TARGET)
BINARY := $(BUILD)/@{top}.xclbin
MOVERS := @{movers}
OBJECTS := $(BUILD)/@{top}.xo $(MOVERS:%=$(BUILD)/%.xo)
VPP := v++ -t $(TARGET) --platform $(PLATFORM) --temp_dir $(BUILD)/temp --save-temps
EMULATE := $(if $(filter hw,$(TARGET)),,XCL_EMULATION_MODE=$(TARGET))

all: $(BINARY) host

$(BUILD)/@{top}.xo: @{top}.cpp @{top}.h
	mkdir -p $(BUILD)
	$(VPP) -c -k @{top} --kernel_frequency @{megahertz} -o $@@ @{top}.cpp

$(MOVERS:%=$(BUILD)/%.xo): $(BUILD)/%.xo: stream_movers.cpp
	mkdir -p $(BUILD)
	$(VPP) -c -k $* --kernel_frequency @{megahertz} -o $@@ stream_movers.cpp

$(BINARY): $(OBJECTS) connectivity.cfg
	$(VPP) -l --config connectivity.cfg --kernel_frequency @{megahertz} -o $@@ $(OBJECTS)

host: host.cpp packing.h
	$(CXX) -std=c++17 -O2 @{types}-I$(XILINX_XRT)/include -o $@@ host.cpp \
		-L$(XILINX_XRT)/lib -lxrt_coreutil -pthread

emconfig.json:
	emconfigutil --platform $(PLATFORM)

run: $(BINARY) host $(if $(EMULATE),emconfig.json)
	$(EMULATE) ./host data "" $(BINARY)

run_python: $(BINARY) $(if $(EMULATE),emconfig.json)
	$(EMULATE) python3 host.py $(BINARY) data

clean:
	rm -rf build_* host emconfig.json

.PHONY: all run run_python clean
