"""The sentences of all rows that may hold a path back, for people; no call needs
them.
"""

from __future__ import annotations

from collections.abc import Mapping

from truepath.guard.policy import CALL_VETOES, LOOK_FIRST, OVER_LIMIT, PATH_VETOES
from truepath.resolve.vetoes import VETOES, WEAKLY_ALIKE

SENTENCES: Mapping[str, str] = {
    **{veto.name: veto.sentence for veto in VETOES},
    **{veto.name: veto.sentence for veto in PATH_VETOES},
    **{veto.name: veto.sentence for veto in CALL_VETOES},
    WEAKLY_ALIKE: "its name is too weakly like the written one to be ranked",
    OVER_LIMIT: "its program reads no file of that size, nor a part of it",
    LOOK_FIRST: "similar paths were missed, and nothing was listed or searched since",
}
"""Row of every table of what holds back -> its sentence."""
