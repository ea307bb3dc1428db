"""From a scheduled graph to C++ for high-level synthesis; decides nothing itself."""
