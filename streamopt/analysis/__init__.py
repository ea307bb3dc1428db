"""Facts about programs and graphs: order, coverage; reads the IR and changes nothing."""
