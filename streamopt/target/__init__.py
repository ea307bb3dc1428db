"""Devices, operators and memories as data; every row names its source."""
