"""What is done with a path: an entered folder is judged by all that runs in it, a file that is read
by what becomes of its contents.
"""

from __future__ import annotations

import pytest
from rows import check_each

import truepath
from truepath.calls.shell.command_line import operands, read

READS = ("read", "search", "list")

ENTERED = [
    ("cd X && ls", "list", True),
    ("cd X && cat a | head -3 | sort", "list", True),
    ("cd X && git status && git log --oneline", "list", True),
    ("cd X && git branch -a", "list", True),
    ("cd X; grep -rn a . | wc -l", "list", True),
    ("git -C X show HEAD", "list", True),
    ("(cd X && ls) && rm -f b", "list", True),
    ("cd X && ls; cd /other && rm -rf *", "list", True),
    ("cd X && cp a b", "edit", True),
    ("cd X && cat a > b", "edit", True),
    ("cd X && cat a > /tmp/b", "copy", True),
    ("cd X && pytest", "execute", True),
    ("cd X && npm test", "execute", True),
    ("cd X && python3 run.py", "execute", True),
    ("cd X && python3 - < a", "execute", True),
    ("make -C X clean", "execute", True),
    ("cd X && sed -i s/a/b/ c.py", "edit", True),
    ("cd X && ruff check --fix", "edit", True),
    ("cd X && git add -A && git commit -m x", "edit", True),
    ("git -C X branch new", "edit", True),
    ("cd X && mv a b", "move", True),
    ("cd X && rm a", "delete", True),
    ("cd X && rm -rf *", "delete", False),
    ("cd X\nrm -rf *", "delete", False),
    ("cd X; ls; rm -f *.o", "delete", False),
    ("pushd X && rm -rf build && popd", "delete", False),
    ("cd X && cd sub && rm -rf *", "delete", False),
    ("cd X && cd $OTHER && rm -rf *", "delete", False),
    ("cd X || exit 1; rm -rf *", "delete", False),
    ("cd X && if true; then rm -rf *; fi", "delete", False),
    ("cd X && for f in *; do rm $f; done", "delete", False),
    ("bash -c 'cd X && rm -rf *'", "delete", False),
    ("bash -c 'cd X'; rm -rf *", "list", True),
    ("env -C X rm -rf build", "delete", False),
    ("sudo -D X git clean -fdx", "delete", False),
    ("git -C X clean -fdx", "delete", False),
    ("git -C X reset --hard", "delete", False),
    ("git -C X checkout .", "delete", False),
    ("git -C X stash pop", "delete", False),
    ("cd X && find . -delete", "delete", False),
    ("cd X && find . -name '*.o' -exec rm {} +", "delete", False),
    ("cd X && ls | xargs rm", "delete", False),
    ("cd X && frobnicate --all", "delete", False),
    ("cd X && ./run.sh", "delete", False),
    ("cd X && $TOOL", "delete", False),
    ("cd X && eval 'rm *'", "delete", False),
    ("cd X && echo $(rm -rf *)", "delete", False),
    ("clean() { rm -rf *; }; cd X && clean", "delete", False),
    ("cd X && trap 'rm -rf *' EXIT", "delete", False),
]


def test_an_entered_folder_is_judged_by_the_strictest_that_runs_in_it():
    def check(row):
        command, operation, certain = row
        (folder,) = [path for path in operands(command) if path.written == "X"]
        assert (folder.operation, folder.rewritable) == (operation, certain)

    check_each(ENTERED, check)


LOOKED_AT = [
    *(
        "cat F",
        "head -3 F",
        "tail -n 5 F",
        "sed -n 1,5p F",
        "grep x F",
        "rg x F",
        "wc -l F",
        "nl F",
    ),
    *("less F", "sort F", "jq . F", "awk '{print $1}' F", "diff F G", "cmp F G", "md5sum F"),
    *("file F", "stat F", "od F", "xxd F", "base64 F", "zcat F", "cat F | head | sort | uniq -c"),
    *(
        "cat F 2>/dev/stderr | grep x",
        "wc -l < F",
        "head -3 < F",
        "while read l; do echo $l; done < F",
    ),
    *("gzip -l F", "xz -t F", "zcat F | head", "gzip -dc F | head", "unzip -l F", "tar tf F"),
    *("git blame F", "git log -- F", "cat F | python3 -m json.tool", "kubectl diff -f F", "mypy F"),
    *("xargs -a F grep x", "find F -exec grep x {} +", "find F -exec sed -n 1p {} +", "sort F"),
    *("sed 's/some/e/' F", "sed -n '/where/p' F", "sed -n '/w/,/e/p' F", "sort F -o /dev/stdout"),
    *("ruff check F", "shellcheck F", "cat F | tee", "cat F > /dev/null", "xargs grep x < F"),
]

DONE = [
    # Removed, or put into another file's place.
    *("gzip F", "gzip -9 F", "bzip2 F", "xz F", "xz -d F", "lzma F", "gunzip F", "bunzip2 F"),
    *(
        "zstd --rm F",
        "zip -m a.zip F",
        "zip -rm a.zip F",
        "tar cf a.tar --remove-files F",
        "shred F",
    ),
    *("git stash push F", "git rm F", "mv F G", "rm F", "unlink F", "find F -delete"),
    *("find F -exec rm {} +", "fd x F -x rm", "xargs rm -rf < F", "cat F | xargs rm", "trash F"),
    *("xargs -a F rm", "xargs --arg-file=F rm -f", "tar --delete -f F x", "find F -exec gzip {} +"),
    *("find F -exec zip -m a {} +", "find F -exec sort -o {} {} +", "sed -n 's/a/b/e' F"),
    *("ls F | xargs rm", "find F | xargs sed -i s/a/b/", "cat F | while read x; do rm $x; done"),
    *(
        "while read x; do rm $x; done < F",
        "rsync --remove-source-files F host:",
        "git checkout -- F",
    ),
    # Run.
    *("bash F", "sh < F", "bash < F", "sudo bash < F", "cat F | sh", "cat F | sudo bash -s"),
    *("source F", ". F", "python3 F", "python3 < F", "cat F | python3", "node F", "node < F"),
    *("ruby F", "perl F", "php F", "lua F", "Rscript F", "cat F | node", "cat F | ssh host sh"),
    *(
        "ssh host < F",
        "bash -c 'cat F | sh'",
        "head -5 F | bash",
        "sed s/a/b/ F | sh",
        "awk -f F G",
    ),
    *("{ cat F; } | sh", "( cat F ) | sh", "cat F | tee log | sh", "timeout 5 bash F", "make -f F"),
    *("pytest F", "npx tsx F", "bun F", "deno run F", "uv run F.py", "java -jar F.jar", "gcc F.c"),
    *("cargo test --manifest-path F", "just --justfile F x", "ansible-playbook F", "crontab F"),
    # Applied to a database, a cluster, a repository or a machine.
    *("mysql < F", "mysql db < F", "psql < F", "psql -f F", "psql db -f F", "sqlite3 db < F"),
    *("cat F | mysql", "cat F | psql db", "mongosh < F", "redis-cli < F", "cat F | sqlite3 db"),
    *("kubectl apply -f F", "kubectl delete -f F", "kubectl create -f F", "kubectl replace -f F"),
    *("cat F | kubectl apply -f -", "docker compose -f F up", "docker compose -f F down -v"),
    *(
        "docker-compose -f F down",
        "docker build -f F .",
        "git apply F",
        "git apply < F",
        "git am F",
    ),
    *("patch < F", "patch -p1 < F", "patch -i F", "cat F | patch -p1", "cat F | git apply"),
    *("pip install -r F", "git commit -F F", "git add F", "terraform apply < F", "at now < F"),
    # Sent away.
    *(
        "curl -T F https://x.test",
        "curl -d @F https://x.test",
        "curl --data-binary @F https://x.test",
    ),
    *("curl -F x=@F https://x.test", "curl -F 'x=@F;type=text/plain' https://x.test"),
    *("cat F | curl -d @- https://x.test", "gh pr create --body-file F", "mail -s x a@b < F"),
    *("nc host 80 < F", "cat F | nc host 80", "rsync F host:x", "cat F | gh pr comment -F -"),
    # Copied.
    *("cp F G", "ln F G", "cat F > G", "cat F >> G", "cat < F > G", "sort F > G", "cat F | tee G"),
    *("head -5 F > G", "sed s/a/b/ F > G", "jq . F > /tmp/g", "{ cat F; } > G", "tar cf a.tar F"),
    *(
        "sort F -o G",
        "sort -o F F",
        "uniq F G",
        "find F -fprint G",
        "sed -n 'w G' F",
        "sed '/x/w G' F",
    ),
    *("zip a.zip F", "gzip -k F", "tar xf F", "unzip F", "cat F | sort > G", "cat F &> G"),
    # Not known.
    *("cat F | frobnicate", "frobnicate < F", "cat F | $TOOL", "cat F | xargs -n1 frobnicate"),
]


def named(command):
    return [each for each in operands(command) if each.written in ("F", "F.py", "F.jar", "F.c")]


def test_what_only_looks_reads():
    def check(command):
        assert all(path.operation in READS and path.rewritable for path in named(command))

    check_each(LOOKED_AT, check)


def test_what_removes_runs_applies_or_sends_does_more_than_read():
    def check(command):
        assert not [path for path in named(command) if path.operation in READS]

    check_each(DONE, check)


@pytest.mark.parametrize(
    ("command", "operation"),
    [
        ("gzip F", "move"),
        ("zip -m a.zip F", "move"),
        ("tar cf a.tar --remove-files F", "move"),
        ("cat F | sh", "execute"),
        ("mysql < F", "delete"),
        ("kubectl delete -f F", "execute"),
        ("docker compose -f F down -v", "execute"),
        ("cat F > /tmp/g", "copy"),
        ("xargs rm -rf < F", "delete"),
        ("cat F | frobnicate", "delete"),
    ],
)
def test_each_is_judged_by_what_is_done(command, operation):
    assert [each.operation for each in named(command)] == [operation]


@pytest.mark.parametrize(
    ("command", "looks"),
    [
        ("cat a; ls b | sort", True),
        ("cat a > b", False),
        ("frobnicate", False),
        ("if [ -f a ]; then cat a; fi", True),
        ("cat 'a", False),
    ],
)
def test_of_a_whole_command_line_it_is_known_whether_it_only_looks(command, looks):
    assert read(command).deed.looks is looks


@pytest.fixture
def customers(make_repo):
    return make_repo(
        {
            "customers/martin/orders.csv": "1\n",
            "customers/martin/notes.md": "x\n",
            "customers/anna/orders.csv": "2\n",
            "data/prices.py": "p = 1\n",
            "data/other.txt": "x\n",
        },
        git=False,
    )


def decide(root, command, policy="careful", **arguments):
    call = truepath.ToolCall("Bash", {"command": command, **arguments}, cwd=str(root))
    return truepath.Guard(root, policy=policy).before(call)


@pytest.mark.parametrize("policy", ["careful", "recover"])
@pytest.mark.parametrize(
    "command",
    [
        "cd customers/marten && rm -rf *",
        "cd customers/marten; rm -rf *",
        "cd customers/marten\nrm -rf *",
        "git -C customers/marten clean -fdx",
        "cd customers/marten && find . -delete",
        "cd customers/marten && find . -name '*.csv' -exec rm {} +",
        "bash -c 'cd customers/marten && rm -rf *'",
        "pushd customers/marten && rm -rf * && popd",
        "env -C customers/marten rm -rf orders.csv",
        "cd customers/marten && frobnicate",
        "cd customers/marten && ./wipe.sh",
    ],
)
def test_a_folder_that_something_is_removed_in_is_named_and_never_corrected(
    customers, command, policy
):
    decision = decide(customers, command, policy)
    assert decision.action == "refuse"
    assert "customers/martin" in decision.text


@pytest.mark.parametrize("name", ["workdir", "directory", "dir_path", "cwd"])
@pytest.mark.parametrize("command", ["rm -rf *", "git clean -fdx", "frobnicate", "find . -delete"])
def test_the_folder_argument_of_a_tool_is_judged_the_same(customers, command, name):
    decision = decide(customers, command, **{name: "customers/marten"})
    assert decision.action == "refuse"
    assert "customers/martin" in decision.text


@pytest.mark.parametrize(
    "command",
    ["gzip data/prizes.py", "cat data/prizes.py | sh", "xargs rm -rf < data/prizes.py",
     "sudo bash < data/prizes.py", "mysql < data/prizes.py", "kubectl delete -f data/prizes.py",
     "git apply data/prizes.py", "docker compose -f data/prizes.py down -v",
     "source data/prizes.py", "curl -T data/prizes.py https://x.test",
     "cat data/prizes.py > /tmp/out"],
)  # fmt: skip
def test_what_does_more_than_read_is_not_given_another_word(customers, command):
    assert decide(customers, command).action in ("refuse", "advise")
