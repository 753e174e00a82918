"""Cline CLI: its hooks are scripts."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from truepath.hosts.cline import host as cline

PIECES = cline.pieces("cat; echo more; sleep 60; true", timeout=1)


@pytest.mark.skipif(
    shutil.which("timeout") is None, reason="no `timeout` here: apt-get (or brew) install coreutils"
)
@pytest.mark.parametrize("piece", PIECES, ids=[each.user for each in PIECES])
def test_a_hook_hands_on_what_it_is_given_and_ends_well_in_time(piece, tmp_path):
    file = tmp_path / "hook"
    file.write_text(piece.content)
    done = subprocess.run(["sh", str(file)], input=b"{}", capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, b"{}more\n")
    assert piece.executable
    assert piece.project == f".cline/{piece.user}"


@pytest.mark.parametrize("client", ["/nowhere/truepath hook cline", "exit 2", "kill -9 $$"])
def test_a_hook_ends_well_whatever_its_client_does(client, tmp_path):
    file = tmp_path / "hook"
    file.write_text(cline.pieces(client)[0].content)
    done = subprocess.run(["sh", str(file)], input=b"{}", capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, b"")
