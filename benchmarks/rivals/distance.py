"""Rules that compare letters."""

from __future__ import annotations

from difflib import SequenceMatcher

from rapidfuzz import process
from rapidfuzz.distance import JaroWinkler, Levenshtein

from rivals.question import Question

_ENTRIES = 20_000


def three_edits_in_folder(question: Question) -> str | None:
    """The nearest name of the same folder, at most three edits away (tilth)."""
    if not question.inside:
        return None
    near = [
        (edits, path)
        for path in question.project.by_folder.get(question.folder, [])
        for edits in [Levenshtein.distance(question.name, path.rpartition("/")[2], score_cutoff=3)]
        if edits <= 3
    ]
    return min(near)[1] if near else None


def jaro_winkler(question: Question) -> str | None:
    """vtcode: the likest path or name in the project, with something for equal names and ends.

    A bare name is first tried in the usual folders of sources.
    """
    wanted, name = question.path, question.name
    paths = question.project.paths[:_ENTRIES]
    if "/" not in wanted:
        for folder in ("src", "lib", "bin", "app", "tests"):
            if f"{folder}/{name}" in question.project.by_folder.get(folder, []):
                return f"{folder}/{name}"
    whole = process.cdist([wanted], paths, scorer=JaroWinkler.similarity)[0]
    names = [path.rpartition("/")[2] for path in paths]
    ends = process.cdist([name], names, scorer=JaroWinkler.similarity)[0]
    best: tuple[float, str] = (0.0, "")
    for path, last, by_path, by_name in zip(paths, names, whole, ends, strict=True):
        score = max(by_path, 0.85 * by_name) + 0.20 * (last == name)
        if score >= 0.60:  # the rest is worth 0.18 at most, and 0.78 is needed
            score += 0.06 * (wanted in path or path in wanted) + 0.12 * path.endswith(wanted)
            best = max(best, (score, path))
    return best[1] if best[0] >= 0.78 else None


def difflib_close(question: Question) -> str | None:
    """`difflib.get_close_matches(path, paths, 1)`: Python's own, with its defaults."""
    matcher = SequenceMatcher()
    matcher.set_seq2(question.path)
    wanted = len(question.path)
    scored = []
    for path in question.project.paths:
        # real_quick_ratio, inlined: it rules most paths out before anything is set up.
        if 2 * min(len(path), wanted) < 0.6 * (len(path) + wanted):
            continue
        matcher.set_seq1(path)
        if matcher.quick_ratio() >= 0.6 and matcher.ratio() >= 0.6:
            scored.append((matcher.ratio(), path))
    return max(scored)[1] if scored else None
