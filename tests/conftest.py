from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

collect_ignore = ["golden/make_xgboost.py", "golden/make_xgboost_dump.py"]  # need XGBoost, which the tests do not

# A machine that runs ten other processes takes as long as it takes.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")

DATA = Path(os.environ.get("RANKWISE_DATA", Path(__file__).parents[2] / "shared" / "data"))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data, which is not part of the project."""
    if not DATA.is_dir():
        pytest.skip(f"real data is not at {DATA}; set RANKWISE_DATA to its folder")
    return DATA
