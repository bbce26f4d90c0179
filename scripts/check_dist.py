"""Check that wheel and sdist hold all files of src/rankwise, and nothing that does not belong to a user.

python scripts/check_dist.py dist
"""

from __future__ import annotations

import sys
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[1]
SDIST_ALONE = {"LICENSE", "PKG-INFO", "README.md", "pyproject.toml", "setup.cfg"}


def package_files() -> set[str]:
    """The files of the package, from src/ on."""
    files = (path for path in (ROOT / "src" / "rankwise").rglob("*") if path.is_file())
    return {path.relative_to(ROOT / "src").as_posix() for path in files if "__pycache__" not in path.parts}


def wheel_files(path: Path) -> set[str]:
    """What a wheel installs, without what is about the wheel."""
    with zipfile.ZipFile(path) as archive:
        return {name for name in archive.namelist() if ".dist-info" not in name}


def sdist_files(path: Path) -> set[str]:
    """The package in an sdist, with names as in a wheel; files beside it only if they are not expected."""
    with tarfile.open(path) as archive:
        names = {"/".join(PurePosixPath(member.name).parts[1:]) for member in archive if member.isfile()}
    kept = {name for name in names if ".egg-info" not in name} - SDIST_ALONE
    return {name.removeprefix("src/") for name in kept}


def main(folder: Path) -> int:
    """Compare each file in the folder with the package; 1 if one differs."""
    expected, wrong = package_files(), False
    for path in sorted(folder.iterdir()):
        found = wheel_files(path) if path.suffix == ".whl" else sdist_files(path)
        for sentence, names in (("lacks", expected - found), ("should not hold", found - expected)):
            for name in sorted(names):
                wrong = True
                print(f"{path.name} {sentence} {name}")
        print(f"{path.name}: {len(found)} files, {path.stat().st_size:,} bytes")
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
