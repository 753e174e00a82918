"""A project that is made of names alone."""

from __future__ import annotations

from truepath.project.names import Names
from truepath.project.tree import Tree


def made(*names, flavour="posix", root="/w", deny=()):
    return Tree(Names.of(names), root, flavour, deny)


def test_names_say_what_is_there():
    tree = made("src/a.py", "empty/", ".env", "src/key.pem", "out/x", deny=("out/",))
    assert tree.entry_kind_at("/w/src/a.py") == "file"
    assert tree.entry_kind_at("/w/src/a.py/") is None
    assert tree.entry_kind_at("/w/src/") == tree.entry_kind_at("/w") == "folder"
    assert tree.entry_kind_at("/elsewhere") is None
    assert tree.kind("empty") == "folder"
    assert tree.children("") == ["empty/", "src/"]
    assert tree.children("src") == ["a.py"]
    assert not tree.may_name(".env")
    assert tree.protects("out/x")
    assert tree.fate("x") is tree.holders(["x"]) is tree.checkout("/x") is None
    assert tree.broken_link_target("src") is None


def test_names_compare_as_their_machine_s():
    names = ("Src/Größe.py", "b.PY")
    for flavour, root in (("windows", "C:/w"), ("macos", "/w")):
        tree = made(*names, flavour=flavour, root=root)
        assert tree.entry_kind_at(f"{root}/src/GRÖßE.py") == "file"
        assert tree.kind("SRC") == "folder"
        assert tree.kind("b.py") == "file"
    assert made(*names).kind("src") is None
    assert made(*names, flavour="macos").kind("src/gro\u0308sse.PY") == "file"
    assert made(*names, flavour="windows", root="C:/w").kind("src/grösse.py") is None
