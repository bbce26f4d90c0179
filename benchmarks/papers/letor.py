"""Published experiments on data that you own, with the published figures beside ours.

    python benchmarks/papers/letor.py --letor DIR --yahoo DIR --mslr DIR --istella DIR --imagenet-logits DIR [--quick]

Each folder is searched for the data sets of its release, unpacked as they come (letor_data.py says where the files
lie); what is found is counted, compared with the published counts, and run (letor_runs.py says what runs on what):

- --letor: LETOR 3.0 (Gov: TD2003 to HP2004, OHSUMED) and LETOR 4.0 (MQ2007, MQ2008, by folds or as S1.txt to S5.txt)
- --yahoo: set1 and set2 of the challenge; --mslr: MSLR-WEB10K, MSLR-WEB30K; --istella: Istella, Istella-S
- --imagenet-logits: train.npz, valid.npz and test.npz with arrays logits and labels (eban_imagenet.py)

Results go to results/welleck.json and results/letor.json. Settings are chosen on validation parts alone.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from papers import eban_imagenet, letor_data, letor_runs

RELEASES = {
    "letor": letor_data.LETOR,
    "yahoo": letor_data.YAHOO,
    "mslr": letor_data.MSLR,
    "istella": letor_data.ISTELLA,
}


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for kind, releases in RELEASES.items():
        names = ", ".join(release.name for release in releases)
        parser.add_argument(f"--{kind}", type=Path, metavar="DIR", help=f"folder with any of {names}")
    parser.add_argument("--imagenet-logits", type=Path, metavar="DIR", help="folder with train, valid and test .npz")
    parser.add_argument("--unchecked", action="store_true", help="run even if counts differ from the published ones")
    parser.add_argument("--quick", action="store_true", help="some queries of one fold, nothing written")
    chosen = parser.parse_args(arguments)
    options = letor_runs.Options(chosen.quick, chosen.unchecked)
    roots = {kind: getattr(chosen, kind) for kind in RELEASES if getattr(chosen, kind) is not None}
    if not roots and chosen.imagenet_logits is None:
        parser.error("there is nothing to run; name a folder, such as --letor DIR")
    for kind, root in roots.items():
        folders = {release: letor_data.find(root, release) for release in RELEASES[kind]}
        if not any(folders.values()):
            names = ", ".join(release.name for release in folders)
            raise SystemExit(f"{root} must hold one of {names}, got none of them; unpack the release there")
        for release, folder in folders.items():
            if folder is not None:
                letor_runs.run(release, folder, options)
    if chosen.imagenet_logits is not None:
        seeds = letor_runs.SEEDS[:1] if options.quick else letor_runs.SEEDS
        rows = eban_imagenet.rows(chosen.imagenet_logits, seeds, options.quick)
        letor_runs.report("Eban 2017 section 7.2, heads on logits of ImageNet", rows, eban_imagenet.PUBLISHED, options)


if __name__ == "__main__":
    main()
