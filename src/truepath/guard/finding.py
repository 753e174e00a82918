"""One path of a call: what is known of it, and what to do about it."""

from __future__ import annotations

import os

from truepath.calls.paths import Mention
from truepath.config.presets import Rule
from truepath.records import dataclass
from truepath.resolve.workspace import Workspace
from truepath.types import READS, Action, Resolution

QUIET = ("exists", "outside")
"""Statuses that are no miss."""

PASSIVE = ("guide", "observe")
"""Rules under which nothing is ever refused."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One path of a call: what is true of it, and what to do about it."""

    mention: Mention
    resolution: Resolution
    action: Action
    rule: Rule | None = None
    """The rule that it is under; None where the call itself accepts that the path is missing."""
    held: bool = False
    """Whether it is refused for nothing but the loop that the session is in."""
    cwd: str | None = None
    """The agent's working directory when it uses the path, as `Workspace.resolve` takes it."""

    @property
    def only_looks(self) -> bool:
        """Whether it makes and removes nothing. A command may do more than its paths tell."""
        return self.mention.text is None and self.resolution.operation in READS

    @property
    def other_checkout(self) -> str:
        """The top of the other checkout of this repository in which it exists, absolute, or which
        it makes; empty for all other paths.
        """
        found, text = self.resolution, self.mention.text
        if found.status != "outside" or self.rule in (*PASSIVE, None):
            return ""
        if text is not None and "worktree add" in text.text and found.operation == "mkdir":
            return os.path.normpath(found.target)
        best = found.candidates[0] if found.candidates else None
        if best is None or "other-checkout" not in best.evidence:
            return ""
        return os.path.normpath(found.target).removesuffix(best.path.rstrip("/")).rstrip("/")

    @property
    def is_about_checkout(self) -> bool:
        """Whether it lists, enters, searches or makes a folder, or is about a checkout as such."""
        best = self.resolution.candidates[:1]
        looks = self.resolution.operation in ("list", "search", "mkdir")
        return bool(self.other_checkout) and (looks or not best or not best[0].path)

    @property
    def makes(self) -> bool:
        """Whether it would make what is not there yet."""
        new = self.resolution.status in ("absent", "ambiguous")
        return new and self.resolution.operation in ("write", "mkdir")

    @property
    def is_typo(self) -> bool:
        """Whether it would make a folder that looks like one that is there."""
        return self.makes and self.resolution.status == "ambiguous"

    @property
    def is_miss(self) -> bool:
        """Whether a path that had to be there is not."""
        return self.resolution.status not in QUIET and (self.is_typo or not self.makes)

    @property
    def assumed(self) -> bool:
        """Whether the call runs on a file that is merely likely, for the agent to judge."""
        return self.action == "rewrite" and self.resolution.status == "likely"

    @property
    def will_fail(self) -> bool:
        """Whether a call that runs as it came fails on this path."""
        return self.is_miss and not self.makes and self.rule is not None


def makes_folder(workspace: Workspace, finding: Finding) -> str:
    """Return the outermost folder that a path would make, root-relative; "" when none."""
    if not finding.makes:
        return ""
    from truepath.resolve.nearby import first_missing_folder

    folder = finding.resolution.operation == "mkdir"
    return first_missing_folder(workspace, finding.resolution.target + ("/." if folder else ""))
