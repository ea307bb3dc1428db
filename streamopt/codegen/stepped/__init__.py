"""Sequential nodes in C++: phases that take turns in one flattened loop, on own memories."""
