"""A path that is written as an import is read as one: through an alias, or as a dotted module."""

from __future__ import annotations

import json
import os

import pytest

from truepath import Guard, ToolCall, Workspace

FILES = {
    "README.md": "Shop\n",
    "src/components/Button.tsx": "export {}\n",
    "src/components/index.ts": "export {}\n",
    "src/db.ts": "export {}\n",
    "web/app/lib/money.ts": "export {}\n",
    "shop/__init__.py": "",
    "shop/cart/__init__.py": "",
    "shop/cart/prices.py": "PRICE = 1\n",
    "lib/tools/tax.py": "TAX = 1\n",
}


def config(paths, base=None):
    options = {"paths": paths, **({} if base is None else {"baseUrl": base})}
    return json.dumps({"compilerOptions": options})


AT = {"tsconfig.json": config({"@/*": ["./src/*"]})}
COMMENTS = """{
  // Where things are. "@/*" is src.
  "compilerOptions": { /* all of them: */ "baseUrl": ".", "paths": { "@/*": ["src/*"], }, },
}
"""
CORRECTS = [
    ("@/components/Button.tsx", "src/components/Button.tsx", AT, "an alias"),
    ("@/db.ts", "src/db.ts", {"jsconfig.json": AT["tsconfig.json"]}, "of a jsconfig.json"),
    ("@/db.ts", "src/db.ts", {"tsconfig.json": COMMENTS}, "comments and last commas"),
    ("@/db.ts", "src/db.ts", {"tsconfig.json": "\ufeff" + COMMENTS}, "a byte order mark"),
    ("~/db.ts", "src/db.ts", {"tsconfig.json": config({"~/*": ["*"]}, "src")}, "from baseUrl"),
    ("@ui", "src/components/index.ts",
     {"tsconfig.json": config({"@ui": ["src/components/index.ts"]})}, "a whole name"),
    ("#/db.ts", "src/db.ts", {"tsconfig.json": config({"#/*": ["gone/*", "src/*"]})},
     "the second place"),
    ("@/db.ts", "src/db.ts",
     {"tsconfig.json": '{"extends": "./config/base"}',
      "config/base.json": config({"@/*": ["../src/*"]})}, "extended, from the folder of the base"),
    ("@/lib/money.ts", "web/app/lib/money.ts",
     {**AT, "web/tsconfig.json": config({"@/*": ["./app/*"]})}, "of a part of the project"),
    ("shop.cart.prices", "shop/cart/prices.py", {}, "a module"),
    ("shop.cart", "shop/cart/__init__.py", {}, "a package"),
    ("tools.tax", "lib/tools/tax.py", {}, "a module below a folder that was left out"),
]  # fmt: skip


@pytest.mark.parametrize(("written", "meant", "more", "why"), CORRECTS)
def test_an_import_is_read_as_what_it_names(make_repo, written, meant, more, why):
    found = Workspace(make_repo({**FILES, **more})).resolve(written)

    assert (found.status, found.path) == ("resolved", meant), (why, found.candidates[:2])


def test_an_import_without_its_extension_is_shown(make_repo):
    repo = make_repo({**FILES, **AT})

    for written, meant in (("@/components/Button", "Button.tsx"), ("@/db.js", "src/db.ts")):
        text = Guard(repo).before(ToolCall("Read", {"file_path": written})).text
        assert text.startswith("PATH_ASSUMED"), text
        assert meant in text


OUT = {"tsconfig.json": config({"@/*": ["../other/*", "/etc/*", "src/../../other/*"]})}
LEAVES_ALONE = [
    ("@/db.ts", OUT, "the alias leads out of the project"),
    ("@/passwd", OUT, "and to the system"),
    ("@/db.ts", {"tsconfig.json": '{"extends": "./tsconfig.json"}'}, "it extends itself"),
    ("@/db.ts", {"tsconfig.json": '{"extends": "./a"}', "a.json": '{"extends": "./tsconfig"}'},
     "two extend one another"),
    ("@/db.ts", {"tsconfig.json": '{"extends": "../outside.json"}'}, "it extends what is outside"),
    ("@/db.ts", {"tsconfig.json": '{"compilerOptions": {"paths": {"@/*": '}, "broken"),
    ("@/db.ts", {"tsconfig.json": "[" * 60_000}, "nested without end"),
    ("@/db.ts", {"tsconfig.json": "/*" * 30_000}, "comments without end"),
    ("@/db.ts", {"tsconfig.json": '{"compilerOptions": {"paths": {"@/*": "src", "@": [1]}}}'},
     "other kinds of values"),
    ("@/db.ts", {"tsconfig.json": COMMENTS + " " * 10_000_000}, "far too large"),
    ("v1.2.3", {}, "a version"),
    ("example.com", {}, "a host"),
    ("foo.bar", {"bar.py": ""}, "no module of that name in a folder of that name"),
    ("notes.txt", {}, "the name of a file"),
    ("prices.total", {}, "a name in a module"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("written", "more", "why"), LEAVES_ALONE, ids=[row[-1] for row in LEAVES_ALONE]
)
def test_what_is_no_import_of_the_project_is_not_taken_for_one(
    make_repo, tmp_path, written, more, why
):
    (tmp_path / "outside.json").write_text(AT["tsconfig.json"])
    files = {name: text for name, text in FILES.items() if name != "src/db.ts"}
    repo = make_repo({**files, "src/deep/db/x.ts": "", **more})

    found = Workspace(repo).resolve(written)

    assert found.path is None, why
    assert not any("imported" in one.evidence for one in found.candidates), why


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_configuration_that_is_a_link_to_outside_is_not_read(make_repo, tmp_path):
    (tmp_path / "outside.json").write_text(AT["tsconfig.json"])
    repo = make_repo(FILES)
    (repo / "tsconfig.json").symlink_to(tmp_path / "outside.json")

    candidates = Workspace(repo).resolve("@/components/Button.tsx").candidates

    assert not any("imported" in one.evidence for one in candidates)


def test_an_alias_names_nothing_that_may_not_be_named(make_repo):
    alias = config({"@/*": ["./src/*", "./secret/*", "./build/*"]})
    closed = {"src/.env": "", "secret/x.ts": "", "build/x.ts": "", ".gitignore": "build/\n"}
    deny = {".truepath.toml": 'deny = ["secret/"]\n'}
    repo = make_repo({**FILES, **closed, **deny, "tsconfig.json": alias})

    for written in ("@/.env", "@/x.ts"):
        decision = Guard(repo).before(ToolCall("Read", {"file_path": written}))
        assert decision.action == "refuse"
        assert not any(name in decision.text for name in ("src/.env", "secret/", "build/"))


def test_a_file_that_is_made_is_never_taken_for_an_import(make_repo):
    repo = make_repo({**FILES, **AT})

    for written in ("shop.cart", "@/components/New.tsx", "shop.cart.prices"):
        call = ToolCall("Write", {"file_path": written, "content": "x"})
        assert Guard(repo).before(call).action == "allow", written


def test_a_path_that_an_import_means_is_not_moved_or_deleted_for_it(make_repo):
    space = Workspace(make_repo({**FILES, **AT}))

    for operation in ("move", "delete"):
        assert space.resolve("@/db.ts", operation).status == "ambiguous"
        assert space.resolve("shop.cart.prices", operation).status == "ambiguous"
