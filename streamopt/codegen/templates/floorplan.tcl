# Instances of @{top} in super logic regions, for Vivado's implementation, before placement.
#
# Every name below is a regular expression of an instance in the kernel, as Vitis HLS calls
# processes, channels and adapters. Where there is none, the script says so and goes on.
# Written by streamopt, and never run by a vendor's tool so far.

foreach region {@{regions}} {
    set pblock "pblock_@{top}_$region"
    if {[llength [get_pblocks -quiet $pblock]] == 0} {
        create_pblock $pblock
        resize_pblock [get_pblocks $pblock] -add $region
        set_property IS_SOFT TRUE [get_pblocks $pblock]
    }
}

proc place {region name} {
    set cells [get_cells -quiet -hierarchical -regexp -filter "NAME =~ \".*/$name\""]
    if {[llength $cells] == 0} {
        puts "floorplan: there is no instance $name"
        return
    }
    set_property USER_SLR_ASSIGNMENT $region $cells
    add_cells_to_pblock [get_pblocks "pblock_@{top}_$region"] $cells
}

@{cells}
