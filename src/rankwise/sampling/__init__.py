"""What to label next: samplers, and the loop that shows what they are worth."""

from rankwise.sampling._base import Sampler, get_sampler, sampler_kinds
from rankwise.sampling._pool import Pool
from rankwise.sampling.simulation._result import Simulation
from rankwise.sampling.simulation._simulate import simulate
from rankwise.sampling.strategies._committee import Committee
from rankwise.sampling.strategies._contested import Contested
from rankwise.sampling.strategies._expected_change import ExpectedChange
from rankwise.sampling.strategies._lookahead import Lookahead
from rankwise.sampling.strategies._lossmin import LossMin
from rankwise.sampling.strategies._random import RandomSampler
from rankwise.sampling.strategies._ranking_entropy import RankingEntropy
from rankwise.sampling.strategies._top_ranked import TopRanked
from rankwise.sampling.strategies._uncertainty import Uncertainty

__all__ = [
    "Committee",
    "Contested",
    "ExpectedChange",
    "Lookahead",
    "LossMin",
    "Pool",
    "RandomSampler",
    "RankingEntropy",
    "Sampler",
    "Simulation",
    "TopRanked",
    "Uncertainty",
    "get_sampler",
    "sampler_kinds",
    "simulate",
]
