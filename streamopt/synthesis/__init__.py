"""Reports of Vitis HLS' synthesis: read from its files, and held against the prediction."""
