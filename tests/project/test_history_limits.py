"""Repositories that cannot be read, must not be trusted, or are not whole."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from past import LONG, edited, snapshot, text

from truepath.project.history import History


class TestNoHistory:
    """An answer without history, never an error."""

    def none(self, root):
        return self.unknown(root, kind="none")

    def unknown(self, root, path="a.py", kind="unknown"):
        history = History(str(root))
        fate = history.fate(path, deadline=LONG)
        assert (fate.kind, fate.path, fate.complete) == (kind, None, False)
        return history

    def test_plain_folder(self, make_repo):
        assert not self.none(make_repo({"keep": "x"}, git=False)).build()

    def test_no_such_folder(self, tmp_path):
        assert not self.none(tmp_path / "none").build()

    def test_unborn_branch(self, make_repo):
        assert not self.none(make_repo({"keep": "x"}, commit=False)).build()

    def test_no_git_program(self, make_repo, monkeypatch, tmp_path):
        repo = make_repo({"keep": "x"})
        monkeypatch.setenv("PATH", str(tmp_path))
        assert not self.none(repo).build()

    def test_head_of_a_missing_commit(self, make_repo):
        repo = make_repo({"keep": "x"})
        (repo / ".git/refs/heads/main").write_text("1" * 40 + "\n")
        assert not self.unknown(repo).build()

    def test_objects_overwritten(self, make_repo, drop):
        repo = make_repo({"a.py": text("a"), "keep": "x"})
        drop(repo, "a.py")
        for path in (repo / ".git/objects").glob("??/*"):
            path.chmod(0o600)
            path.write_bytes(b"garbage")
        self.unknown(repo)

    def test_bare_repository(self, make_repo, git, tmp_path):
        repo = make_repo({"keep": "x"})
        git(tmp_path, "clone", "--quiet", "--bare", str(repo), "bare.git")
        self.none(tmp_path / "bare.git")

    @pytest.mark.parametrize("path", ["", "/", "../x", "a/../../x", "nul\0byte", "half\ud800pair"])
    def test_path_that_is_no_path_of_the_root(self, make_repo, path):
        self.unknown(make_repo({"keep": "x"}), path)

    def test_no_time_at_all(self, make_repo):
        fate = History(str(make_repo({"keep": "x"}))).fate("a.py", deadline=0)
        assert (fate.kind, fate.complete) == ("unknown", False)


class TestPartialClones:
    def test_absent_content_is_stepped_over(self, make_repo, git, write, commit, move):
        repo = make_repo({"a.py": text("a"), "b.py": text("b"), "c.py": text("c"), "keep": "x"})
        move(repo, "a.py", "a2.py")
        gone = git(repo, "rev-parse", "HEAD:b.py").strip()
        git(repo, "rm", "--quiet", "b.py")
        git(repo, "mv", "c.py", "c2.py")
        write(repo, {"b2.py": edited(text("b"))})
        commit(repo)
        move(repo, "a2.py", "a3.py")
        os.unlink(repo / ".git/objects" / gone[:2] / gone[2:])
        history = History(str(repo))
        for fates in (history, History(str(repo))):
            assert fates.fate("a.py", deadline=LONG).path == "a3.py"
            assert fates.fate("c.py", deadline=LONG).path == "c2.py"
            doubted = fates.fate("b.py", deadline=LONG)
            assert (doubted.kind, doubted.complete) == ("unknown", False)
            assert "deleted or renamed" in doubted.note
            assert history.build()

    def test_what_a_commit_without_additions_took_away_is_deleted_whatever_is_absent(
        self, make_repo, git, drop, tmp_path
    ):
        origin = make_repo({"a.py": text("a"), "lib/b.py": text("b"), "keep": "x"})
        git(origin, "config", "uploadpack.allowFilter", "true")
        drop(origin, "a.py")
        drop(origin, "lib/b.py")
        git(tmp_path, "clone", "--quiet", "--filter=blob:none", f"file://{origin}", "clone")
        history = History(str(tmp_path / "clone"))
        for _ in "asked", "mapped":
            assert history.fate("a.py", deadline=LONG).kind == "deleted"
            assert history.fate("lib", deadline=LONG).kind == "deleted"
            assert history.build()

    def test_clone_without_contents_fetches_nothing(self, make_repo, git, move, write, tmp_path):
        origin = make_repo({f"old/{n}.py": text(n) for n in "abc"})
        git(origin, "config", "uploadpack.allowFilter", "true")
        for n in "abc":
            git(origin, "mv", f"old/{n}.py", f"{n}.py")
            write(origin, {f"{n}.py": edited(text(n))})
            git(origin, "commit", "--quiet", "--all", "--message=move")
        move(origin, "a.py", "exact.py")
        git(tmp_path, "clone", "--quiet", "--filter=blob:none", f"file://{origin}", "clone")
        clone = tmp_path / "clone"
        before = sorted((clone / ".git/objects/pack").iterdir())
        history = History(str(clone))
        assert history.fate("a.py", deadline=LONG).path == "exact.py"
        assert history.build()
        assert history.fate("a.py", deadline=LONG).path == "exact.py"
        assert history.fate("old/a.py", deadline=LONG).kind == "unknown"
        assert sorted((clone / ".git/objects/pack").iterdir()) == before


class TestSafety:
    @pytest.fixture
    def hostile(self, make_repo, move, git, commit, tmp_path):
        """Return a repository that would start a program wherever git lets one be named."""
        files = {f"old/{n}.py": text(n) for n in "abc"}
        repo = make_repo({**files, "one.py": text("one"), "gone.py": text("gone")})
        move(repo, "old", "new")
        git(repo, "mv", "gone.py", "new/gone.py")
        (repo / "new/gone.py").write_text(edited(text("gone")))
        commit(repo)
        git(repo, "checkout", "--quiet", "-b", "topic")
        move(repo, "new/a.py", "new/z.py")
        git(repo, "checkout", "--quiet", "main")
        (repo / ".gitattributes").write_text("* filter=evil diff=evil merge=evil\n")
        canary = tmp_path / "canary"
        program = tmp_path / "evil"
        program.write_text(f'#!/bin/sh\necho "$0 $*" >> {canary}\ncat\n')
        program.chmod(0o755)
        for key in (
            "core.fsmonitor",
            "core.sshCommand",
            "core.pager",
            "core.editor",
            "core.askPass",
            "core.alternateRefsCommand",
            "credential.helper",
            "diff.external",
            "diff.evil.command",
            "diff.evil.textconv",
            "filter.evil.clean",
            "filter.evil.smudge",
            "filter.evil.process",
            "gpg.program",
            "gpg.ssh.program",
            "uploadpack.packObjectsHook",
            "pager.log",
            "alias.log",
        ):
            git(repo, "config", key, str(program))
        for key, value in (
            ("log.showSignature", "true"),
            ("core.repositoryFormatVersion", "1"),
            ("extensions.partialClone", "origin"),
            ("remote.origin.url", f"ext::{program}"),
            ("remote.origin.promisor", "true"),
            ("protocol.ext.allow", "always"),
            ("diff.orderFile", str(tmp_path / "none")),
            ("diff.renames", "false"),
            ("diff.relative", "true"),
            ("color.ui", "always"),
            ("core.hooksPath", str(repo / ".git/hooks")),
        ):
            git(repo, "config", key, value)
        hooks = repo / ".git/hooks"
        hooks.mkdir(exist_ok=True)
        for name in ("post-index-change", "reference-transaction", "post-checkout"):
            shutil.copy(program, hooks / name)
        for name in ("new/b.py", "new/c.py"):
            os.utime(repo / name)
        os.unlink(repo / "one.py")
        (repo / "two.py").write_text(text("one"))
        return repo, canary

    QUESTIONS = ("old/a.py", "old", "old/late.py", "one.py", "gone.py", "new/z.py", "none.py")

    def test_no_program_of_the_repository_runs(self, hostile, git):
        repo, canary = hostile
        blob = git(repo, "rev-parse", "HEAD~2:gone.py").strip()
        os.unlink(repo / ".git/objects" / blob[:2] / blob[2:])
        canary.unlink(missing_ok=True)
        for path in self.QUESTIONS:
            History(str(repo)).fate(path, deadline=LONG)
        history = History(str(repo))
        assert history.build()
        assert history.fate("old/a.py", deadline=LONG).path == "new/a.py"
        assert history.fate("one.py", deadline=LONG).path == "two.py"
        assert not canary.exists(), canary.read_text()

    def test_nothing_is_written_into_the_repository(self, hostile, tmp_path):
        repo, _ = hostile
        before = snapshot(repo)
        history = History(str(repo), store=str(tmp_path / "store"))
        for path in self.QUESTIONS:
            history.fate(path, deadline=LONG)
        history.build()
        for path in self.QUESTIONS:
            history.fate(path, deadline=LONG)
        assert snapshot(repo) == before

    def test_variables_of_a_hook_around_us_do_not_mislead(self, make_repo, move, monkeypatch):
        other = make_repo({"keep": "x"})
        repo = make_repo({"a.py": text("a"), "keep": "x"})
        move(repo, "a.py", "b.py")
        monkeypatch.setenv("GIT_DIR", str(other / ".git"))
        monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git/index"))
        assert History(str(repo)).fate("a.py", deadline=LONG).path == "b.py"


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(path=st.text(max_size=30))
def test_no_path_whatever_raises(path, tmp_path_factory):
    root = tmp_path_factory.getbasetemp() / "shared"
    if not root.exists():
        root.mkdir()
        subprocess.run(["git", "init", "--quiet", str(root)], check=True)
        identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        subprocess.run(
            ["git", *identity, "-C", str(root), "commit", "-qm", "x", "--allow-empty"], check=True
        )
    assert History(str(root)).fate(path, deadline=LONG).path is None
