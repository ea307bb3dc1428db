"""Image networks as their papers have them, in few channels and small images."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional


def _unit(
    inputs: int, outputs: int, kernel: int = 3, stride: int = 1, groups: int = 1
) -> nn.Module:
    """Return a convolution that keeps extents, batch normalization and ReLU."""
    convolution = nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False)
    return nn.Sequential(convolution, nn.BatchNorm2d(outputs), nn.ReLU())


class AlexNet(nn.Module):
    """Krizhevsky et al., 2012, with local response normalization."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            *(nn.Conv2d(3, 8, 5, stride=2, padding=2), nn.ReLU(), nn.LocalResponseNorm(5)),
            *(nn.MaxPool2d(3, 2), nn.Conv2d(8, 12, 5, padding=2, groups=2), nn.ReLU()),
            *(nn.LocalResponseNorm(5), nn.MaxPool2d(3, 2), nn.Conv2d(12, 16, 3, padding=1)),
            *(nn.ReLU(), nn.Conv2d(16, 12, 3, padding=1), nn.ReLU()),
        )
        self.pool = nn.AdaptiveAvgPool2d(2)
        self.classifier = nn.Sequential(nn.Dropout(), nn.Linear(48, 24), nn.ReLU())
        self.last = nn.Linear(24, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return scores of classes."""
        return self.last(self.classifier(self.pool(self.features(x)).flatten(1)))


class Vgg(nn.Module):
    """Simonyan and Zisserman, 2014."""

    def __init__(self) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        inputs = 3
        for outputs in (6, 0, 8, 0, 12, 12, 0):
            layers += [_unit(inputs, outputs)] if outputs else [nn.MaxPool2d(2)]
            inputs = outputs or inputs
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Sequential(nn.Linear(48, 20), nn.ReLU(), nn.Linear(20, 10))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return scores of classes."""
        return self.classifier(self.features(x).flatten(1))


class _Basic(nn.Module):
    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.first = _unit(inputs, outputs, stride=stride)
        self.second = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(outputs)
        self.shortcut: nn.Module = nn.Identity()
        if stride > 1 or inputs != outputs:
            self.shortcut = nn.Conv2d(inputs, outputs, 1, stride)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the features of the block."""
        return torch.relu(self.norm(self.second(self.first(x))) + self.shortcut(x))


class ResNet18(nn.Module):
    """He et al., 2015: eight blocks of two convolutions."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(_unit(3, 4, 7, 2), nn.MaxPool2d(3, 2, 1))
        blocks = ((4, 4, 1), (4, 4, 1), (4, 8, 2), (8, 8, 1), (8, 12, 2), (12, 12, 1), (12, 16, 2))
        self.blocks = nn.Sequential(*(_Basic(*block) for block in blocks), _Basic(16, 16, 1))
        self.last = nn.Linear(16, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return scores of classes."""
        return self.last(functional.adaptive_avg_pool2d(self.blocks(self.stem(x)), 1).flatten(1))


class MobileNetV1(nn.Module):
    """Howard et al., 2017."""

    def __init__(self) -> None:
        super().__init__()
        layers: list[nn.Module] = [_unit(3, 4, stride=2)]
        for inputs, outputs, stride in ((4, 8, 1), (8, 12, 2), (12, 12, 1), (12, 16, 2)):
            layers += [_unit(inputs, inputs, 3, stride, inputs), _unit(inputs, outputs, 1)]
        self.features = nn.Sequential(*layers)
        self.last = nn.Linear(16, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return scores of classes."""
        return self.last(self.features(x).mean((2, 3)))


class _Inverted(nn.Module):
    """An inverted residual, with squeeze and excitation if asked for."""

    def __init__(self, inputs: int, outputs: int, stride: int, is_weighing: bool = False) -> None:
        super().__init__()
        wide = 3 * inputs
        act: nn.Module = nn.SiLU() if is_weighing else nn.ReLU6()
        self.wide = nn.Sequential(nn.Conv2d(inputs, wide, 1), nn.BatchNorm2d(wide), act)
        self.depth = nn.Sequential(
            nn.Conv2d(wide, wide, 3, stride, 1, groups=wide), nn.BatchNorm2d(wide), act
        )
        self.weigh: nn.Module | None = None
        if is_weighing:
            self.weigh = nn.Sequential(
                *(nn.AdaptiveAvgPool2d(1), nn.Conv2d(wide, 2, 1), nn.SiLU()),
                *(nn.Conv2d(2, wide, 1), nn.Sigmoid()),
            )
        self.narrow = nn.Sequential(nn.Conv2d(wide, outputs, 1), nn.BatchNorm2d(outputs))
        self.is_residual = stride == 1 and inputs == outputs

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the features of the block."""
        y = self.depth(self.wide(x))
        y = y if self.weigh is None else y * self.weigh(y)
        return self.narrow(y) + x if self.is_residual else self.narrow(y)


class MobileNetV2(nn.Module):
    """Sandler et al., 2018."""

    is_weighing = False

    def __init__(self) -> None:
        super().__init__()
        blocks = ((4, 6, 2), (6, 6, 1), (6, 8, 2), (8, 8, 1))
        self.stem = _unit(3, 4, stride=2)
        self.blocks = nn.Sequential(*(_Inverted(*block, self.is_weighing) for block in blocks))
        self.last = nn.Linear(8, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return scores of classes."""
        return self.last(functional.adaptive_avg_pool2d(self.blocks(self.stem(x)), 1).flatten(1))


class EfficientNet(MobileNetV2):
    """Tan and Le, 2019: the same with SiLU, squeeze and excitation."""

    is_weighing = True


class _Fire(nn.Module):
    def __init__(self, inputs: int, squeezed: int, outputs: int) -> None:
        super().__init__()
        self.squeeze = nn.Conv2d(inputs, squeezed, 1)
        self.one, self.three = (
            nn.Conv2d(squeezed, outputs, 1),
            nn.Conv2d(squeezed, outputs, 3, 1, 1),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the features of the module."""
        x = torch.relu(self.squeeze(x))
        return torch.cat([torch.relu(self.one(x)), torch.relu(self.three(x))], 1)


class SqueezeNet(nn.Module):
    """Iandola et al., 2016."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            *(nn.Conv2d(3, 6, 3, 2), nn.ReLU(), nn.MaxPool2d(3, 2, ceil_mode=True)),
            *(_Fire(6, 3, 6), _Fire(12, 3, 6), nn.MaxPool2d(3, 2, ceil_mode=True), _Fire(12, 4, 8)),
            *(nn.Dropout(), nn.Conv2d(16, 10, 1), nn.ReLU(), nn.AdaptiveAvgPool2d(1)),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return scores of classes."""
        return self.features(x).flatten(1)


class _Dense(nn.Module):
    def __init__(self, inputs: int, growth: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            *(nn.BatchNorm2d(inputs), nn.ReLU(), nn.Conv2d(inputs, 2 * growth, 1)),
            *(nn.BatchNorm2d(2 * growth), nn.ReLU(), nn.Conv2d(2 * growth, growth, 3, padding=1)),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the features so far and those of the layer."""
        return torch.cat([x, self.layers(x)], 1)


class DenseNet(nn.Module):
    """Huang et al., 2016."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            *(_unit(3, 4, 3, 2), _Dense(4, 3), _Dense(7, 3)),
            *(nn.BatchNorm2d(10), nn.ReLU(), nn.Conv2d(10, 5, 1), nn.AvgPool2d(2)),
            *(_Dense(5, 3), _Dense(8, 3), nn.BatchNorm2d(11), nn.ReLU(), nn.AdaptiveAvgPool2d(1)),
        )
        self.last = nn.Linear(11, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return scores of classes."""
        return self.last(self.features(x).flatten(1))


class _Shuffle(nn.Module):
    """A unit of ShuffleNet V2: half of the channels pass."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        half = channels // 2
        self.branch = nn.Sequential(
            *(_unit(half, half, 1), nn.Conv2d(half, half, 3, 1, 1, groups=half)),
            *(nn.BatchNorm2d(half), _unit(half, half, 1)),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return both halves, their channels shuffled."""
        left, right = x.chunk(2, 1)
        return functional.channel_shuffle(torch.cat([left, self.branch(right)], 1), 2)


class ShuffleNetV2(nn.Module):
    """Ma et al., 2018."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            _unit(3, 8, 3, 2), nn.MaxPool2d(3, 2, 1), _Shuffle(8), _Shuffle(8), _unit(8, 12, 1)
        )
        self.last = nn.Linear(12, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return scores of classes."""
        return self.last(self.features(x).mean((2, 3)))


class _Inception(nn.Module):
    def __init__(self, inputs: int) -> None:
        super().__init__()
        self.branches = nn.ModuleList(
            [
                _unit(inputs, 4, 1),
                nn.Sequential(_unit(inputs, 3, 1), _unit(3, 6, 3)),
                nn.Sequential(_unit(inputs, 2, 1), _unit(2, 3, 5)),
                nn.Sequential(nn.MaxPool2d(3, 1, 1), _unit(inputs, 3, 1)),
            ]
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the channels of all branches."""
        return torch.cat([branch(x) for branch in self.branches], 1)


class GoogLeNet(nn.Module):
    """Szegedy et al., 2014: two inception modules."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            _unit(3, 6, 7, 2), nn.MaxPool2d(3, 2, ceil_mode=True), _Inception(6), _Inception(16)
        )
        self.last = nn.Linear(16, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return scores of classes."""
        return self.last(functional.adaptive_avg_pool2d(self.features(x), 1).flatten(1))
