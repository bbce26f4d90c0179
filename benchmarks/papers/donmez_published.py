"""What Donmez 2009 printed: table 1 (relations on TD2004 and TD2003) and table 2 (TD2003, the first iterations)."""

from __future__ import annotations

TABLE_1 = {
    ("map", "TD2004"): "lossmin ≫ entropy ≫ diverse ≫ uncertain",
    ("map", "TD2003"): "lossmin ≫ entropy ≫ uncertain ≫ diverse",
    ("ndcg@10", "TD2004"): "lossmin ≫ entropy ≫ diverse ≈ uncertain",
    ("ndcg@10", "TD2003"): "lossmin ≈ entropy ≫ uncertain > diverse",
    ("auc", "TD2004"): "lossmin > entropy > diverse ≫ uncertain",
    ("auc", "TD2003"): "lossmin ≈ entropy ≫ uncertain > diverse",
}

SAMPLERS = ("lossmin", "entropy", "diverse", "uncertain")
# By iteration from 0 on, in the order of SAMPLERS.
MAP = (
    (0.184, 0.184, 0.184, 0.184),
    (0.219, 0.183, 0.190, 0.194),
    (0.201, 0.204, 0.171, 0.191),
    (0.221, 0.222, 0.183, 0.189),
    (0.226, 0.228, 0.160, 0.186),
)
SECONDS = (
    (1.347, 1.347, 1.347, 1.347),
    (1.977, 45.234, 36.072, 1.947),
    (2.003, 48.576, 39.127, 1.953),
    (2.038, 52.865, 41.973, 1.968),
    (2.110, 55.038, 44.665, 2.001),
)
