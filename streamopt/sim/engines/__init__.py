"""Engines that run layers one after the other, cycle by cycle."""
