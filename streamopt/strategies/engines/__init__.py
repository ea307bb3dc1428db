"""The best engine for a network, with a proof."""
