"""What a session has learnt of folders decides among several, and shows a look."""

from __future__ import annotations

import os

import pytest

from truepath import Guard, ToolCall

FILES = {
    ".claude/skills/docx/SKILL.md": "d",
    ".claude/skills/docx/scripts/render.py": "d",
    ".claude/skills/pptx/SKILL.md": "p",
    ".claude/skills/pptx/scripts/render.py": "p",
    "apps/backend/x/invoice_export.py": "1",
    "apps/backend/deep/util.py": "2",
    "apps/web/deep/util.py": "3",
    "apps/backend/job/run.py": "4",
    "tools/backend/job/run.py": "5",
    "docs/.env": "S=1",
}


@pytest.fixture
def ask(make_repo, monkeypatch, tmp_path):
    home = tmp_path / "home"
    skill = home / ".claude/skills/emacs"
    for name in ("SKILL.md", "scripts/context.sh", "scripts/id.pem"):
        (skill / name).parent.mkdir(parents=True, exist_ok=True)
        (skill / name).write_text("x\n")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    root = make_repo(FILES)
    guard = Guard(root)
    turns = iter(range(1000))

    def ask(tool, session="s", **arguments):
        turn = str(next(turns))
        call = ToolCall(tool, arguments, session=session, cwd=str(root), turn=turn)
        return guard.before(call)

    return ask


def test_a_document_that_was_read_tells_its_folder_from_others(ask):
    run = {"command": "python scripts/render.py"}
    first = ask("Bash", **run).text.split("\n")[1]
    assert "docx" in first
    ask("Read", file_path=".claude/skills/pptx/SKILL.md")
    told = ask("Bash", **run)
    assert told.action == "refuse"
    assert "`.claude/skills/pptx/scripts/render.py` (below" in told.text
    assert told.text.index("pptx") < told.text.index("docx")
    seen = ask("Read", file_path="scripts/render.py")
    assert seen.arguments == {"file_path": ".claude/skills/pptx/scripts/render.py"}
    changed = ask("Edit", file_path="scripts/render.py", old_string="p", new_string="q")
    assert changed.action == "refuse", "nothing is changed for it"
    other = ask("Read", session="other", file_path="scripts/render.py")
    assert other.action == "refuse", "another session has read nothing"


def test_a_change_of_folders_is_tried_again_and_shown_to_a_look(ask):
    assert ask("Read", file_path="backnd/deep/util.py").action == "refuse"
    # Without what was learnt, it is one of two.
    told = ask("Read", session="v", file_path="server/deep/util.py")
    assert told.resolutions[0].permits == "named"
    once = ask("Read", session="u", file_path="server/x/invoice_export.py")
    assert once.action == "rewrite", once.text
    # One was shown just before, so that this one is named.
    again = ask("Read", session="u", file_path="server/deep/util.py")
    assert again.resolutions[0].permits == "assumed"
    assert again.resolutions[0].path == "apps/backend/deep/util.py"
    assert "`apps/backend/deep/util.py` (as before: apps/backend/)" in again.text
    gone = ask("Bash", session="u", command="rm server/deep/util.py")
    assert gone.action == "refuse"


def test_what_was_corrected_is_known_to_the_projects_other_sessions(ask, tmp_path):
    def shown(session):
        told = ask("Read", session=session, file_path="backend/job/run.py")
        return told.arguments["file_path"] if told.action == "rewrite" else ""

    assert shown("t") == ""
    likely = ask("Read", session="u", file_path="server/x/invoice_export.py")
    assert likely.resolutions[0].permits == "assumed"
    sure = ask("Read", session="u", file_path="backend/x/invoice_export.py")
    assert sure.resolutions[0].permits == "corrected"
    assert shown("v") == "apps/backend/job/run.py"
    changed = ask("Edit", session="v", file_path="backend/job/run.py", old_string="4")
    assert changed.action == "refuse", "it proves nothing"
    # A likely one tells its own session alone.
    of_all = ask("Read", session="w", file_path="server/deep/util.py")
    assert of_all.resolutions[0].permits == "named"
    # What is gone is tried no more, and forgotten with the next change.
    (tmp_path / "repo/apps").rename(tmp_path / "repo/services")
    assert "apps/" not in ask("Read", session="x", file_path="backend/job/run.py").text


@pytest.mark.skipif(os.name == "nt", reason="a home of POSIX")
def test_a_file_of_a_skill_at_home_is_named_and_no_secret_of_it(ask):
    told = ask("Bash", command="./scripts/context.sh --all")
    assert told.action == "refuse"
    assert "skills/emacs/scripts/context.sh` (of the skill emacs)" in told.text
    assert "emacs" not in ask("Read", file_path="scripts/id.pem").text
    assert "emacs" not in ask("Read", file_path="scripts/other.sh").text
