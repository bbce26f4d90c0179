"""The figures of Welleck 2016: LambdaMART-MAUC, SVM-Perf."""

from __future__ import annotations

SYSTEMS = ("LambdaMART-MAUC", "SVM-Perf")
Figures = tuple[float, float]

TABLE_1: dict[str, Figures] = {  # MAUC
    "Yahoo V1": (0.594, 0.576),
    "Yahoo V2": (0.592, 0.576),
    "MQ2007": (0.662, 0.659),
    "MQ2008": (0.734, 0.737),
}
TABLE_2: dict[str, Figures] = {  # MAP
    "Yahoo V1": (0.862, 0.837),
    "Yahoo V2": (0.858, 0.837),
    "MQ2007": (0.466, 0.450),
    "MQ2008": (0.474, 0.458),
}
TABLE_3: dict[str, Figures] = {  # class-reference AUC on Yahoo V1
    "auc[1]": (0.503, 0.474),
    "auc[2]": (0.690, 0.682),
    "auc[3]": (0.757, 0.796),
    "auc[4]": (0.831, 0.920),
}
# Section 5.2, in words: which of LambdaMART-AUC and SVM-Perf is higher on LETOR 3.0's Gov collection.
GOV_AUC = {"TD2003": "LambdaMART", "TD2004": "LambdaMART", "NP2003": "similar"}
GOV_AUC |= dict.fromkeys(("HP2003", "HP2004", "NP2004"), "SVM-Perf")
GOV_MAP = {"TD2003": "LambdaMART", "TD2004": "LambdaMART", "NP2003": "similar", "HP2003": "similar"}
GOV_MAP |= dict.fromkeys(("NP2004", "HP2004"), "SVM-Perf")
