"""Eight matrices multiplied, from the left or pairwise."""

from __future__ import annotations

import torch
from torch import nn

__all__ = ["ProductChain", "ProductTree"]


class ProductChain(nn.Module):
    """((((((A B) C) D) E) F) G) H."""

    def forward(
        self,
        A: torch.Tensor,  # noqa: N803
        B: torch.Tensor,  # noqa: N803
        C: torch.Tensor,  # noqa: N803
        D: torch.Tensor,  # noqa: N803
        E: torch.Tensor,  # noqa: N803
        F: torch.Tensor,  # noqa: N803
        G: torch.Tensor,  # noqa: N803
        H: torch.Tensor,  # noqa: N803
    ) -> torch.Tensor:
        """Return the product."""
        return A @ B @ C @ D @ E @ F @ G @ H


class ProductTree(nn.Module):
    """((A B) (C D)) ((E F) (G H))."""

    def forward(
        self,
        A: torch.Tensor,  # noqa: N803
        B: torch.Tensor,  # noqa: N803
        C: torch.Tensor,  # noqa: N803
        D: torch.Tensor,  # noqa: N803
        E: torch.Tensor,  # noqa: N803
        F: torch.Tensor,  # noqa: N803
        G: torch.Tensor,  # noqa: N803
        H: torch.Tensor,  # noqa: N803
    ) -> torch.Tensor:
        """Return the product."""
        return ((A @ B) @ (C @ D)) @ ((E @ F) @ (G @ H))
