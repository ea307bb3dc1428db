"""Networks that make images, in few channels."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional


def _twice(inputs: int, outputs: int) -> nn.Module:
    return nn.Sequential(
        *(nn.Conv2d(inputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU()),
        *(nn.Conv2d(outputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU()),
    )


class UNet(nn.Module):
    """Ronneberger et al., 2015, with two levels."""

    def __init__(self) -> None:
        super().__init__()
        self.down = nn.ModuleList([_twice(1, 4), _twice(4, 6)])
        self.bottom = _twice(6, 8)
        self.grow = nn.ModuleList([nn.ConvTranspose2d(8, 6, 2, 2), nn.ConvTranspose2d(6, 4, 2, 2)])
        self.up = nn.ModuleList([_twice(12, 6), _twice(8, 4)])
        self.last = nn.Conv2d(4, 2, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return scores of each pixel."""
        kept: list[torch.Tensor] = []
        for level in self.down:
            x = level(x)
            kept.append(x)
            x = functional.max_pool2d(x, 2)
        x = self.bottom(x)
        for grow, level in zip(self.grow, self.up, strict=True):
            x = level(torch.cat([kept.pop(), grow(x)], 1))
        return self.last(x)


class Dcgan(nn.Module):
    """Radford et al., 2015: the generator."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            *(nn.ConvTranspose2d(12, 8, 4, 1, 0, bias=False), nn.BatchNorm2d(8), nn.ReLU()),
            *(nn.ConvTranspose2d(8, 6, 4, 2, 1, bias=False), nn.BatchNorm2d(6), nn.ReLU()),
            *(nn.ConvTranspose2d(6, 3, 4, 2, 1), nn.Tanh()),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return an image."""
        return self.layers(x)


class _Residual(nn.Module):
    """Two convolutions, with an embedded time step added between them."""

    def __init__(self, inputs: int, outputs: int, time: int) -> None:
        super().__init__()
        self.first_norm, self.first = nn.GroupNorm(2, inputs), nn.Conv2d(inputs, outputs, 3, 1, 1)
        self.time = nn.Linear(time, outputs)
        self.norm, self.second = nn.GroupNorm(2, outputs), nn.Conv2d(outputs, outputs, 3, 1, 1)
        self.shortcut = nn.Conv2d(inputs, outputs, 1)

    def forward(self, x: torch.Tensor, time: torch.Tensor) -> torch.Tensor:
        """Return the features of the block."""
        y = self.first(functional.silu(self.first_norm(x)))
        y = y + self.time(functional.silu(time))[:, :, None, None]
        return self.second(functional.silu(self.norm(y))) + self.shortcut(x)


class _SpatialAttention(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.norm = nn.GroupNorm(2, channels)
        self.joint, self.last = (
            nn.Conv1d(channels, 3 * channels, 1),
            nn.Conv1d(channels, channels, 1),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return features in which every pixel has seen all others."""
        query, key, value = self.joint(self.norm(x).flatten(2)).transpose(1, 2).chunk(3, -1)
        mixed = functional.scaled_dot_product_attention(query, key, value).transpose(1, 2)
        return x + self.last(mixed).reshape(x.shape)


class DiffusionUNet(nn.Module):
    """Ho et al., 2020: one level down, attention, and up again by interpolation."""

    def __init__(self) -> None:
        super().__init__()
        self.time = nn.Sequential(nn.Linear(8, 8), nn.SiLU(), nn.Linear(8, 8))
        self.first = nn.Conv2d(2, 4, 3, padding=1)
        self.enter, self.middle, self.leave = (
            _Residual(4, 4, 8),
            _Residual(4, 6, 8),
            _Residual(10, 4, 8),
        )
        self.down, self.attention = nn.Conv2d(4, 4, 3, 2, 1), _SpatialAttention(6)
        self.up, self.last = nn.Conv2d(6, 6, 3, padding=1), nn.Conv2d(4, 2, 3, padding=1)

    def forward(self, x: torch.Tensor, time: torch.Tensor) -> torch.Tensor:
        """Return the noise of an image, from sines and cosines of the time step."""
        step = self.time(time)
        entered = self.enter(self.first(x), step)
        y = self.attention(self.middle(self.down(entered), step))
        y = self.up(functional.interpolate(y, scale_factor=2.0, mode="nearest"))
        return self.last(functional.silu(self.leave(torch.cat([y, entered], 1), step)))


class SuperResolution(nn.Module):
    """Shi et al., 2016: sub-pixel convolution beside a bilinear path."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Conv2d(1, 6, 5, padding=2), nn.Conv2d(6, 4, 3, padding=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return an image of twice as many rows and columns."""
        detail = functional.pixel_shuffle(self.second(torch.tanh(self.first(x))), 2)
        return detail + functional.interpolate(x, scale_factor=2.0, mode="bilinear")
