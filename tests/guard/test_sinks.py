"""Where a wrong path flows: programs, roles, policies and kinds of wrong path, crossed.

A rewritten line is run, in a copy of the tree, beside the same line with the right
path: both must leave the same tree. What the table of `truepath.guard.effects` does
not let truepath change must be unchanged, and no target may ever be another path.
"""

from __future__ import annotations

import itertools
import os
import random
import shutil
import subprocess

import pytest
import repos

from truepath import Guard, ToolCall

TREE = {
    ".gitignore": "build/\n*.secret\n",
    "README.md": "# Shop\n",
    "app/api/orders.py": "print('orders')\nTOTAL = 1\n",
    "app/api/tests/test_orders.py": "def test_orders():\n    assert True\n",
    "app/core/invoice_export.py": "print('export')\nLIMIT = 2\n",
    "deploy/staging/compose.yml": "services: {}\n",
    "deploy/tools/load_all.py": "import sys\nprint(len(sys.stdin.read()))\n",
    "docs/handbook/overview.md": "one\ntwo\nthree\n",
    "docs/handbook/roadmap.md": "now\nlater\n",
    "docs/Straße/plan.txt": "plan\n",
    "scripts/release/check_all.sh": "echo checked\n",
    "tests/unit/test_cache.py": "def test_cache():\n    assert True\n",
    "runs/run-11/metrics.json": "{}\n",
    "runs/run-12/config.json": "{}\n",
    "customers/lehmann/ledger.csv": "1\n2\n",
    "customers/maier/notes.txt": "x\n",
    "out/kept.txt": "kept\n",
    "private.secret": "s\n",
    ".env": "KEY=1\n",
}
"""The tree, after its history."""

HISTORY = {
    "specs/roadmap.md": "docs/handbook/roadmap.md",
    "app/core/export_invoices.py": "app/core/invoice_export.py",
}
"""What git renamed."""

ELSEWHERE = "/workspace/shop"
RIGHT = "app/api/orders.py"
"""The file that most kinds mean."""

WRONG = [
    # written, and the file that is meant; None where nothing may be used
    ("api/orders.py", RIGHT),  # a leading folder left out
    ("orders.py", RIGHT),  # a bare name
    ("app/API/Orders.py", RIGHT),  # another case
    ("apps/api/orders.py", RIGHT),  # a folder in the other number
    ("app/apii/orders.py", RIGHT),  # a folder misspelt
    ("app/api/order.py", RIGHT),  # a name misspelt
    ("app/orders.py", RIGHT),  # a folder between left out
    ("app/app/api/orders.py", RIGHT),  # a folder repeated
    ("shop/app/api/orders.py", RIGHT),  # the project's name in front
    (f"{ELSEWHERE}/app/api/orders.py", RIGHT),  # another machine's root
    ("lib/api/orders.py", RIGHT),  # another folder
    ("@app/api/orders.py", RIGHT),  # a mark in front
    ("app/api/orders.py:12", RIGHT),  # a line number behind
    ("'`app/api/orders.py`'", RIGHT),  # in backticks
    ("app/api/orders.ts", RIGHT),  # another extension
    ("{root}/api/orders.py", RIGHT),  # absolute
    ("specs/roadmap.md", "docs/handbook/roadmap.md"),  # renamed
    ("app/core/export_invoices.py", "app/core/invoice_export.py"),  # and its name
    ("staging/compose.yml", "deploy/staging/compose.yml"),
    ("unit/test_cache.py", "tests/unit/test_cache.py"),
    ("handbook/overview.md", "docs/handbook/overview.md"),
    ("release/check_all.sh", "scripts/release/check_all.sh"),
    ("tools/load_all.py", "deploy/tools/load_all.py"),
    ("docs/Strasse/plan.txt", "docs/Straße/plan.txt"),  # transcribed
    ("runs/run-12/metrics.json", None),  # an instance: the other run's
    ("customers/lohmann/ledger.csv", "customers/lehmann/ledger.csv"),  # a letter
    ("build/orders.py", None),  # ignored
    ("key.secret", None),
    ("config/.env", None),
    ("docs/gone.md", None),  # deleted
    ("/etc/shop/orders.py", None),  # outside
]

LOOKS = [
    "cat {}", "head -2 {}", "sed -n 1,3p {}", "grep -n o {}", "wc -l {}", "ls -l {}",
    "cat {} | head -1", "cat {} 2>/dev/null | wc -l", "cat {} > /dev/null",
    "cd docs && cat ../{}", "nl {} && echo done", "diff {} README.md", "stat {}",
    "sort {} 2>&1 | uniq -c", "cat {} >&2", "timeout 5 cat {}", "bash -c 'cat {}'",
]  # fmt: skip
"""Lines that only look: changed under both policies."""

COPIES = [
    "cp {} .", "cp {} out/copy.txt", "mv {} out/moved.txt", "mv {} out/",
    "cat {} && cp {} out/copy.txt", "cp -f {} docs/copy.md && ls docs",
]  # fmt: skip
"""Plain copies and moves: changed under both policies."""

UNDONE = [
    "rm {}", "sed -i s/o/0/ {}", "python3 {}", "bash {}", "cat {} && rm README.md",
    "rm -f out/kept.txt && cat {}",
]  # fmt: skip
"""Deletes, edits in place and runs: changed under `recover` alone."""

OTHERS = [
    "cat {} > out/kept.txt", "cat {} >> README.md", "head -1 {} >| out/kept.txt",
    "cat {} &> out/log.txt", "cat {} > /dev/ttyUSB0", "cat {} > /dev/sda",
    "cat {} > /dev/tcp/host/80", "cat {} > /dev/fd/3", "cat {} | tee out/kept.txt",
    "sort -o out/kept.txt {}", "uniq {} out/kept.txt", "cat {} | sh", "cat {} | python",
    "cat {} | python deploy/tools/load_all.py", "python deploy/tools/load_all.py < {}",
    "cat {} | xargs rm", "xargs rm < {}", "cat {} | docker exec -i web sh",
    "docker compose -f {} down -v", "docker compose --env-file {} up -d",
    "kubectl apply --prune --all -f {}", "kubectl replace --force -f {}",
    "pip uninstall -y -r {}", "pip install -r {}", "npm publish {}", "make -f {} clean",
    "crontab {}", "at now < {}", "chmod -R 000 {}", "chown root {}", "psql -f {}",
    "mysql shop < {}", "scp {} h:", "curl -T {} http://h/", "curl -d @{} http://h/",
    "mail a@b < {}", "ssh h < {}", "sudo cat {}", "sudo rm {}", "su -c 'cat {}'",
    "source {}", ". {}", "git apply {}", "git add {}", "git rm {}", "git mv {} out/",
    "git checkout -- {}", "git restore {}", "git commit {} -m x",
    "dd if={} of=/dev/sda", "tar czf out/a.tgz {}", "rsync -a {} out/",
    "ln -s {} out/link",
    "touch {}", "cp {} /dev/ttyUSB0", "mv {} $OUT", 'cp {} "$OUT"', "truncate -s 0 {}",
    "head -1 {} && git push --force", "cat {} && npm run deploy", "eval cat {}",
    "find {} -delete", "find {} -exec rm x +", "awk '{print > \"x\"}' {}",
    "sed -n 'w out/kept.txt' {}", "openssl enc -in {} -out out/x", "lp {}", "wall {}",
    "terraform apply -var-file={}", "ansible-playbook {}", "gh release upload v1 {}",
    "aws s3 cp {} s3://b/", "xargs -a {} rm", "cat {} | ssh h sh", "nc h 9 < {}",
    "while read x; do rm $x; done < {}", "cat {} | while read x; do rm $x; done",
]  # fmt: skip
"""Everything else: never changed. The first column of harm that was ever found."""

TARGETS = [
    "echo x > {}", "rm -f tmp.txt && echo x > {}", "cat README.md > {}",
    "cp README.md {}", "mv out/kept.txt {}", "tee {} < README.md", "touch {}",
    "rsync -a README.md {}", "terraform show > {}", "mkdir -p {}",
    "sort -o {} README.md", "git mv README.md {}", "ln -s README.md {}", "echo x >> {}",
    "dd if=README.md of={}",
]  # fmt: skip
"""Lines that make or write the path: it stays as it was written."""

FRAMES = [
    "{}", "{} && echo ok", "echo start; {}", "cd . && {}", "{} || true", "true && {}",
    "{}; ls out", "( {} )", "{} # a note",
]  # fmt: skip
"""What may be around a line."""

PARTS = int(os.environ.get("TRUEPATH_TEST_SINKS", "2"))
"""How many sixths of the 20,000 lines are tried; each takes a minute."""

KINDS = {"looks": LOOKS, "copies": COPIES, "undone": UNDONE, "others": OTHERS}
CHANGED = {
    "careful": {"looks", "copies"},
    "recover": {"looks", "copies", "undone"},
}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """Return the root of the tree, in a repository with its history."""
    root = tmp_path_factory.mktemp("sinks") / "shop"
    now = {new: old for old, new in HISTORY.items()}
    before = {now.get(path, path): content for path, content in TREE.items()}
    kept_back = (".env", "private.secret")
    for path in kept_back:
        del before[path]
    repos.start(root, {**before, "docs/gone.md": "gone\n"})
    for old, new in HISTORY.items():
        (root / new).parent.mkdir(parents=True, exist_ok=True)
        repos.run_git(root, "mv", old, new)
        repos.run_git(root, "commit", "-qm", f"Rename {old}")
    repos.run_git(root, "rm", "-q", "docs/gone.md")
    repos.run_git(root, "commit", "-qm", "Delete")
    repos.write_files(root, {path: TREE[path] for path in kept_back})
    return root


def lines():
    """Yield every line with what it is, the wrong path in it, and the right one."""
    for kind, forms in KINDS.items():
        for form, frame, wrong in itertools.product(forms, FRAMES, WRONG):
            yield kind, frame.replace("{}", form), *wrong
    for form, frame, wrong in itertools.product(TARGETS, FRAMES, WRONG):
        yield "targets", frame.replace("{}", form), *wrong


def sampled(share, seed=7):
    """Return every line under each policy, or a share of them."""
    every = list(itertools.product(CHANGED, lines()))
    return random.Random(seed).sample(every, int(len(every) * share))


class Runs:
    """What lines leave behind, each run once in a copy of the project."""

    def __init__(self, root, folder):
        self.root = root
        self.folder = folder
        self.known = {}

    def after(self, line):
        """Return the files that a line leaves, each with its content."""
        if line not in self.known:
            copy = self.folder / "run"
            shutil.copytree(self.root, copy, ignore=shutil.ignore_patterns(".git"))
            here = line.replace(str(self.root), str(copy))
            env = {"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
            subprocess.run(
                ["bash", "-c", here], cwd=copy, env=env, capture_output=True,
                check=False, stdin=subprocess.DEVNULL, timeout=300,
            )  # fmt: skip
            files = [path for path in copy.rglob("*") if path.is_file()]
            self.known[line] = {
                str(path.relative_to(copy)): path.read_bytes() for path in files
            }
            shutil.rmtree(copy)
        return self.known[line]


def check_lines(project, folder, chosen):
    runs = Runs(project, folder)
    guards = {policy: Guard(project, policy=policy) for policy in CHANGED}
    rewritten = 0
    for number, (policy, (kind, form, written, right)) in enumerate(chosen):
        line = form.replace("{}", written.format(root=project))
        call = ToolCall("Bash", {"command": line}, session=str(number))
        decision = guards[policy].before(call)
        new = decision.arguments["command"]
        if decision.action != "rewrite":
            assert new == line
            continue
        rewritten += 1
        told = f"{policy}: {line} -> {new}: {decision.text}"
        assert kind in CHANGED[policy], told
        assert right is not None or kind == "looks", told
        assumed = decision.payload["code"] == "PATH_ASSUMED"
        if kind == "looks":
            assert runs.after(new) == runs.after(form.replace("{}", "README.md")), told
            continue
        assert not assumed, told
        meant = form.replace("{}", right)
        assert runs.after(new) == runs.after(meant), told
    return rewritten


def test_no_wrong_path_reaches_a_sink(project, tmp_path):
    assert check_lines(project, tmp_path, sampled(0.035)) > 100


@pytest.mark.heavy
@pytest.mark.parametrize("part", range(PARTS))
def test_no_wrong_path_reaches_a_sink_in_a_sixth_of_20_000_lines(
    project, tmp_path, part
):
    chosen = sampled(0.35)
    assert len(chosen) >= 20_000
    assert check_lines(project, tmp_path, chosen[part::6]) > 100
