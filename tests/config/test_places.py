from __future__ import annotations

import os
import stat
import sys

import pytest

from truepath.config.user_dirs import make_private, state_folder, user_file
from truepath.hook.answer import reply

STATE = [
    ("linux", {"HOME": "/h"}, "/h/.local/state/truepath"),
    ("linux", {"HOME": "/h", "XDG_STATE_HOME": "/s"}, "/s/truepath"),
    ("linux", {"HOME": "/h", "XDG_STATE_HOME": "relative"}, "/h/.local/state/truepath"),
    ("linux", {"HOME": "/h", "XDG_STATE_HOME": "/s", "TRUEPATH_STATE": "/t"}, "/t"),
    ("linux", {"HOME": "/h", "TRUEPATH_STATE": "~/t"}, "/h/t"),
    ("darwin", {"HOME": "/Users/h"}, "/Users/h/Library/Application Support/truepath"),
    ("win32", {"LOCALAPPDATA": "/L"}, "/L/truepath"),
    ("win32", {"HOME": "/h"}, "/h/AppData/Local/truepath"),
]


@pytest.mark.skipif(
    sys.platform == "win32", reason="not on Windows: the table is written with slashes"
)
@pytest.mark.parametrize(("platform", "environ", "expected"), STATE)
def test_state_has_the_platforms_own_folder(platform, environ, expected, monkeypatch):
    monkeypatch.setattr(sys, "platform", platform)
    assert state_folder(environ) == expected


@pytest.mark.skipif(
    sys.platform == "win32", reason="not on Windows: the table is written with slashes"
)
def test_the_users_file_has_the_platforms_own_folder(monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    for folder, found in (("/c", "/c"), ("relative", "/h/.config")):
        environ = {"HOME": "/h", "XDG_CONFIG_HOME": folder}
        assert user_file(environ) == f"{found}/truepath/config.toml"
    monkeypatch.setattr(sys, "platform", "win32")
    assert user_file({"APPDATA": "/A"}) == "/A/truepath/config.toml"


posix = pytest.mark.skipif(sys.platform == "win32", reason="not on Windows: modes")


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


@posix
def test_each_folder_that_is_made_is_the_user_s_alone(tmp_path):
    old = os.umask(0o022)
    try:
        make_private(str(tmp_path / "one" / "two" / "three"))
        make_private(str(tmp_path / "one" / "two"))
    finally:
        os.umask(old)
    assert [mode(tmp_path / each) for each in ("one", "one/two", "one/two/three")] == [
        0o700
    ] * 3


@posix
def test_where_a_file_is_no_folder_is_made(tmp_path):
    (tmp_path / "file").write_text("")
    for path in ("file", "file/below"):
        with pytest.raises(OSError, match="file"):
            make_private(str(tmp_path / path))


@posix
def test_what_a_hook_keeps_is_the_user_s_alone(tmp_path):
    import time

    import hooks

    from truepath.hosts import find

    repo = hooks.make_project(tmp_path / "repo")
    environ = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "new" / "state")}
    reply(find("claude-code"), hooks.event(repo, "lib/util.py"), environ, time.time())
    found = [tmp_path / "new", *(tmp_path / "new").rglob("*")]
    assert {mode(each) for each in found if each.is_dir()} == {0o700}
    assert {mode(each) for each in found if each.is_file()} == {0o600}
