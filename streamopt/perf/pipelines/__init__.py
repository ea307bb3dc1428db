"""Initiation intervals and depths of pipelines: recurrences, ports and memory off the chip."""
