"""Which files are offered: the pool of each strategy, and what may not fall out of it."""

from __future__ import annotations

import pytest

from truepath import Workspace


def offered(files, written, operation="read", **more):
    found = Workspace.from_names(files).resolve(written, operation, **more)
    return [candidate.path for candidate in found.candidates]


@pytest.mark.parametrize(
    ("written", "meant", "why"),
    [
        ("app/session_store.py", "src/app/session_store.py", "a leading folder left out"),
        ("lib/session_store.py", "src/app/session_store.py", "the same name elsewhere"),
        ("src/app/session_stor.py", "src/app/session_store.py", "a letter left out"),
        ("src/app/session-store.py", "src/app/session_store.py", "another separator"),
        ("src/app/Session_Store.py", "src/app/session_store.py", "another case"),
        ("src/app/session_store.ts", "src/app/session_store.py", "another extension"),
        ("web/menu.ts", "web/menu/index.ts", "a package for its file"),
        ("web/panel/index.ts", "web/panel.ts", "a file for its package"),
        ("src/ap/session_store.py", "src/app/session_store.py", "a folder with a typo"),
    ],
)
def test_each_strategy_offers_what_is_meant(written, meant, why):
    files = ["src/app/session_store.py", "web/menu/index.ts", "web/panel.ts", "README.md"]

    assert meant in offered(files, written), why


def test_every_file_of_a_name_is_offered_while_there_are_few():
    files = [f"part{number}/handler.py" for number in range(9)]

    assert sorted(offered(files, "other/handler.py")) == files


def test_of_very_many_files_of_a_name_those_in_a_folder_of_the_written_name_are_kept():
    """Sixty share the first folder and lie higher; the one that is meant lies right in `api`."""
    others = [f"server/part{number}/handler.py" for number in range(60)]
    meant = "old/code/of/api/handler.py"

    assert meant in offered([*others, meant], "server/api/handler.py")


def test_of_very_many_files_of_a_name_those_that_share_most_folders_are_kept():
    others = [f"part{number}/handler.py" for number in range(60)]
    meant = "old/server/of/api/handler.py"

    assert meant in offered([*others, meant], "server/api/handler.py")


def test_a_folder_twice_is_no_mistake_where_such_a_path_is_there():
    files = ["src/shop/shop/cart_total.py", "src/shop/cart_total.py", "README.md"]
    there = Workspace.from_names(files)

    assert there.resolve("src/shop/shop/cart_total.py").status == "exists"
    found = there.resolve("shop/shop/cart_total.py")
    assert found.path in (None, "src/shop/shop/cart_total.py")
    assert found.candidates[0].path == "src/shop/shop/cart_total.py"


@pytest.mark.parametrize("operation", ["list", "search"])
def test_a_folder_is_offered_for_a_folder(operation):
    files = ["src/components/menu.ts", "docs/components.md"]
    found = Workspace.from_names(files).resolve("components/", operation, kind="folder")

    assert found.candidates[0].path == "src/components"
    assert found.candidates[0].folder


def test_nothing_is_offered_that_is_like_nothing():
    assert offered(["src/app/main.py", "README.md"], "tests/zebra.rs") == []
