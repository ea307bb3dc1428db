"""Language models as Hugging Face keeps them: ``config.json``, and weights in safetensors."""
