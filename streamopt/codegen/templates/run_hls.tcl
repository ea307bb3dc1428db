# Vitis HLS 2023.2: vitis_hls -f run_hls.tcl
open_project -reset @{top}_project
set_top @{top}
add_files @{top}.cpp
add_files -tb testbench.cpp
add_files -tb data
open_solution -reset solution -flow_target vivado
set_part @{part}
create_clock -period @{clock_ns} -name default
csim_design
csynth_design
cosim_design
close_project
exit
