# Vitis HLS @{release}: @{command}
open_project -reset @{top}_project
set_top @{top}
add_files @{top}.cpp
add_files -tb testbench.cpp
add_files -tb data
open_solution -reset solution -flow_target @{flow}
set_part @{part}
create_clock -period @{clock_ns} -name default
csim_design
csynth_design
cosim_design
export_design -format @{output_format}
close_project
exit
