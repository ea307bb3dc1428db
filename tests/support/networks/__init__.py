"""Small networks of processes, FIFOs and buffers."""
