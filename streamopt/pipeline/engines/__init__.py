"""Networks on engines that their layers share, as users ask for them."""
