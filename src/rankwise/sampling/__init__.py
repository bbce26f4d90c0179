"""What to label next: samplers, and the loop that shows what they are worth."""

from rankwise.sampling.base import Sampler, sampler_kinds, sampler_named
from rankwise.sampling.change import Change
from rankwise.sampling.diverse import Diverse
from rankwise.sampling.entropy import Entropy
from rankwise.sampling.lookahead import Lookahead
from rankwise.sampling.lossmin import LossMin
from rankwise.sampling.pool import Pool
from rankwise.sampling.random import Random
from rankwise.sampling.simulate import simulate
from rankwise.sampling.simulation import Simulation
from rankwise.sampling.top import Top
from rankwise.sampling.uncertain import Uncertain

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
