"""What to label next: samplers, and the loop that shows what they are worth."""

from rankwise.sampling._base import Sampler, sampler_kinds, sampler_named
from rankwise.sampling._pool import Pool
from rankwise.sampling.simulation._result import Simulation
from rankwise.sampling.simulation._simulate import simulate
from rankwise.sampling.strategies._change import Change
from rankwise.sampling.strategies._diverse import Diverse
from rankwise.sampling.strategies._entropy import Entropy
from rankwise.sampling.strategies._lookahead import Lookahead
from rankwise.sampling.strategies._lossmin import LossMin
from rankwise.sampling.strategies._random import Random
from rankwise.sampling.strategies._top import Top
from rankwise.sampling.strategies._uncertain import Uncertain

__all__ = [
    "Change",
    "Diverse",
    "Entropy",
    "Lookahead",
    "LossMin",
    "Pool",
    "Random",
    "Sampler",
    "Simulation",
    "Top",
    "Uncertain",
    "sampler_kinds",
    "sampler_named",
    "simulate",
]
