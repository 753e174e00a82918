from __future__ import annotations

import sys

import pytest

from truepath.places import state_folder, user_file

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
def test_state_has_the_platforms_own_folder(platform, environ, expected):
    assert state_folder(environ, platform=platform) == expected


@pytest.mark.skipif(
    sys.platform == "win32", reason="not on Windows: the table is written with slashes"
)
def test_the_users_file_has_the_platforms_own_folder():
    assert user_file({"HOME": "/h"}, platform="linux") == "/h/.config/truepath/config.toml"
    assert user_file({"APPDATA": "/A"}, platform="win32") == "/A/truepath/config.toml"
