"""The nets of `eban_whole_nets.py`: from images of 16 × 16 pixels to ten logits, small enough for one busy core."""

from __future__ import annotations

import torch
from torch import nn

CLASSES = 10


def _layer(inputs: int, outputs: int) -> list[nn.Module]:
    convolution = nn.Conv2d(inputs, outputs, 3, padding=1, bias=False)
    return [convolution, nn.BatchNorm2d(outputs), nn.ReLU(inplace=True)]


class Residual(nn.Module):
    """Two convolutions whose result is added to what came in."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(*_layer(width, width), *_layer(width, width)[:2])

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return torch.relu(images + self.layers(images))


def _plain(first: int, second: int, hidden: int) -> nn.Sequential:
    convolutions = [*_layer(3, first), nn.MaxPool2d(2), *_layer(first, second), nn.MaxPool2d(2), nn.Flatten()]
    head = [nn.Linear(second * 4 * 4, hidden), nn.ReLU(inplace=True), nn.Linear(hidden, CLASSES)]
    return nn.Sequential(*convolutions, *head)


def _residual() -> nn.Sequential:
    blocks = [*_layer(3, 16), nn.MaxPool2d(2), Residual(16), *_layer(16, 32), nn.MaxPool2d(2), Residual(32)]
    return nn.Sequential(*blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, CLASSES))


NETS = {"small": lambda: _plain(16, 32, 64), "wide": lambda: _plain(32, 64, 128), "residual": _residual}


def new_net(name: str, seed: int) -> nn.Sequential:
    """The net of that name with the random weights of that seed, in the layout that is fastest on one core."""
    torch.manual_seed(seed)
    return NETS[name]().to(memory_format=torch.channels_last)
