"""Language models as decoders: their shapes, their hardware, and the steps that it takes."""
