"""The best hardware of a language model, with a proof."""
