"""The table of the programs every Unix has, and their common replacements. Data alone."""

from __future__ import annotations

from collections.abc import Mapping

from truepath.calls.shell.commands import Command, Role, same

READ = Role("read", "file")
READ_ANY = Role("read")
LIST = Role("list")
SEARCH = Role("search")
EDIT = Role("edit", "file")
EDIT_ANY = Role("edit")
WRITE = Role("write", "file", creates=True)
WRITE_ANY = Role("write", creates=True)
MAKE = Role("mkdir", "folder", creates=True)
INTO = Role("write", "folder", creates=True)
RUN = Role("execute", "file")
_JUMP = Role("read", "file", form="jump")
COPY = Role("copy")
MOVE = Role("move")
DELETE = Role("delete")
ENTER = Role("list", "folder", enters=True)

_GREP_TAKES = (
    "-A -B -C -m -d -D --after-context --before-context --context --max-count --label --color:0"
    " --binary-files --exclude --exclude-dir --include --include-dir --devices --directories"
    " -e --regexp"
)
_GREP = Command(
    SEARCH,
    skip=1,
    skip_unless="-e --regexp -f --file",
    valued=_GREP_TAKES,
    paths={"-f": READ, "--file": READ, "--exclude-from": READ},
)
_RG = Command(
    SEARCH,
    skip=1,
    skip_unless="-e --regexp -f --file --files --type-list",
    valued="-e -g -t -T -A -B -C -d -E -j -m -M -r --regexp --glob --iglob --type --type-not"
    " --type-add --type-clear --after-context --before-context --context --max-depth --maxdepth"
    " --encoding --engine --threads --max-count --max-columns --max-filesize --replace --color"
    " --colors --sort --sortr --context-separator --field-context-separator"
    " --field-match-separator --path-separator --pre --pre-glob --dfa-size-limit"
    " --regex-size-limit --hostname-bin --hyperlink-format --generate --stop-on-nonmatch:0",
    paths={"-f": READ, "--file": READ, "--ignore-file": READ},
)
_PACK_FLAGS = (
    "-d -k -f -c -v -q -t -l -1 -2 -3 -4 -5 -6 -7 -8 -9 -e -n -N -r --keep --force --stdout"
    " --to-stdout --test --list --best --fast --decompress --verbose --quiet --recursive"
)
_COPY_TAKES = "-S --suffix --backup:0 --sparse --reflink:0 --preserve:0 --no-preserve --context:0"
_SED = Command(
    READ,
    skip=1,
    skip_unless="-e --expression -f --file",
    valued="-e --expression -l --line-length -i:0 --in-place:0",
    paths={"-f": RUN, "--file": RUN},
    backup_suffix=True,
    edit_options="-i --in-place",
    special="sed",
)
_AWK = Command(
    Role("read", "file", form="assigned"),
    skip=1,
    skip_unless="-f --file -e --source -E --exec",
    valued="-F -v -e -i -l --field-separator --assign --source --include --load",
    paths={"-f": RUN, "--file": RUN, "-E": RUN, "--exec": RUN},
    special="awk",
)

UNIX: Mapping[str, Command] = {
    # Programs that look at nothing by path, or whose arguments may as well be absent.
    **same(
        "pwd echo printf true false : date whoami id uname hostname env printenv export set"
        " unset sleep test [ type which whereis hash ps kill pkill killall jobs wait fg bg df"
        " free uptime top lsof netstat ss ping seq tr yes basename dirname realpath readlink"
        " read shift return exit break continue ulimit umask getopts let local"
        " declare typeset readonly expr bc nproc arch tty stty clear history man info help"
        " groups users w who last cal tput column ssh-add openssl_version lscpu vmstat pgrep",
        Command(),
    ),
    # What they are told now runs later.
    **same("trap alias", Command(does="delete")),
    **same("cat tac rev zcat bzcat xzcat zless zmore lesspipe", Command(READ)),
    **same(
        "head tail",
        Command(
            _JUMP,
            valued="-n -c -s --lines --bytes --pid --sleep-interval --max-unchanged-stats",
            special="tail",
        ),
    ),
    "less": Command(_JUMP, valued="-p -P -j -x -y -z -b -h -o -O -t -T -D", flags=None),
    "more": Command(_JUMP, valued="-n --lines"),
    **same(
        "bat batcat",
        Command(
            READ,
            valued="-l -r -H -m -A:0 --language --line-range --highlight-line --style --theme"
            " --paging --color --wrap --tabs --terminal-width --file-name --map-syntax"
            " --decorations --italic-text --diff-context --pager --binary"
            " --nonprintable-notation",
            special="bat",
        ),
    ),
    "nl": Command(
        READ,
        valued="-b -d -f -h -i -l -n -s -v -w --body-numbering --section-delimiter"
        " --footer-numbering --header-numbering --line-increment --join-blank-lines"
        " --number-format --number-separator --starting-line-number --number-width",
    ),
    "wc": Command(READ_ANY, valued="--total", paths={"--files0-from": READ}),
    "cut": Command(
        READ,
        valued="-b -c -d -f --bytes --characters --delimiter --fields --output-delimiter",
    ),
    "paste": Command(READ, valued="-d --delimiters", compares=True),
    "join": Command(READ, valued="-1 -2 -a -e -j -o -t -v", compares=True),
    "comm": Command(READ, valued="--output-delimiter", compares=True),
    "sort": Command(
        READ,
        valued="-k -t -S -T --key --field-separator --buffer-size --parallel --sort --batch-size"
        " --compress-program --temporary-directory",
        paths={"-o": WRITE, "--output": WRITE, "--files0-from": READ},
    ),
    "uniq": Command(
        READ,
        limit=1,
        valued="-f -s -w --skip-fields --skip-chars --check-chars --group:0 --all-repeated:0",
        special="output",
    ),
    "fold": Command(READ, valued="-w --width"),
    "fmt": Command(READ, valued="-w -p -g --width --prefix --goal"),
    "expand": Command(READ, valued="-t --tabs"),
    "od": Command(
        READ, valued="-A -j -N -S -t -w:0 --address-radix --skip-bytes --read-bytes --format"
    ),
    "xxd": Command(READ, limit=1, valued="-c -g -l -o -s -n -R -cols -len -seek", special="output"),
    "hexdump": Command(READ, valued="-e -n -s", paths={"-f": READ}),
    "strings": Command(READ, valued="-n -t -e -T --bytes --radix --encoding"),
    "base64": Command(READ, valued="-w --wrap", paths={"-i": READ, "-o": WRITE}),
    **same(
        "md5sum sha1sum sha256sum sha512sum b2sum cksum shasum md5",
        Command(READ, valued="-a", compares=True),
    ),
    "file": Command(READ_ANY, valued="-F -P -e", paths={"-f": READ, "-m": READ}),
    "stat": Command(
        READ_ANY, valued="-c --format --printf", flags="-L -t -x -r --terse --dereference"
    ),
    "ls": Command(
        LIST,
        valued="-I -w -T --ignore --hide --width --tabsize --block-size --time-style --sort"
        " --time --format --indicator-style --quoting-style",
    ),
    **same("ll la dir_", Command(LIST)),
    **same(
        "eza exa lsd",
        Command(
            LIST,
            valued="-L -s -t -I -w --level --sort --time --ignore-glob --depth --icon",
            flags="-l -a -T -h -r -1 -la -al -lah --tree --all --long",
        ),
    ),
    "tree": Command(
        LIST,
        valued="-L -I -P -H -T --filelimit --timefmt --charset --sort --metafirst:0",
        paths={"-o": WRITE, "--gitfile": READ},
    ),
    "du": Command(
        LIST,
        valued="-d -B -t --max-depth --block-size --threshold --exclude --time:0 --time-style",
        paths={"-X": READ, "--exclude-from": READ},
    ),
    **same("grep egrep fgrep zgrep", _GREP),
    **same("rg ripgrep", _RG),
    "ag": Command(
        SEARCH,
        skip=1,
        valued="-A -B -C -G -m --depth --ignore --ignore-dir --file-search-regex",
        flags="-i -l -n -r -s -w -Q -S -u -a -v -c --nocolor --hidden --nogroup",
    ),
    "ack": Command(
        SEARCH,
        skip=1,
        valued="-A -B -C -m --type --ignore-dir --ignore-file",
        flags="-i -l -n -r -w -Q -v -c -h -H --nocolor",
    ),
    **same(
        "fd fdfind",
        Command(
            Role("search", "folder"),
            skip=1,
            valued="-e -t -d -E -S -x:9 -X:9 --exec:9 --exec-batch:9 -c -j -o --extension"
            " --type --max-depth --min-depth --exact-depth --exclude --size --color --threads"
            " --changed-within --changed-before --owner --format --max-results",
            paths={"--search-path": Role("search", "folder"), "--base-directory": ENTER},
            special="fd",
        ),
    ),
    "find": Command(SEARCH, special="find"),
    "sed": _SED,
    "gsed": _SED,
    **same("awk gawk mawk nawk", _AWK),
    "diff": Command(
        READ_ANY,
        valued="-U -C -W -x -I -F -L -S --unified:0 --context:0 --width --exclude --label --color:0"
        " --ignore-matching-lines --show-function-line --starting-file --palette --horizon-lines"
        " --tabsize --strip-trailing-cr:0",
        paths={"-X": READ, "--exclude-from": READ, "--from-file": READ, "--to-file": READ},
        compares=True,
    ),
    "colordiff": Command(READ_ANY, valued="-U -C -W", compares=True),
    "cmp": Command(READ, limit=2, valued="-i -n --ignore-initial --bytes", compares=True),
    "touch": Command(
        WRITE_ANY,
        valued="-t -d --date --time",
        paths={"-r": READ_ANY, "--reference": READ_ANY},
    ),
    "mkdir": Command(MAKE, valued="-m --mode -Z:0 --context:0"),
    "rmdir": Command(Role("delete", "folder")),
    **same("rm unlink", Command(DELETE, special="rm")),
    "shred": Command(Role("delete", "file"), valued="-n -s --iterations --size", special="rm"),
    "trash": Command(DELETE),
    "mv": Command(
        MOVE,
        last=WRITE_ANY,
        valued=_COPY_TAKES,
        paths={"-t": INTO, "--target-directory": INTO},
        special="transfer",
    ),
    "cp": Command(
        COPY,
        last=WRITE_ANY,
        valued=_COPY_TAKES,
        paths={"-t": INTO, "--target-directory": INTO},
        special="transfer",
    ),
    "install": Command(may_create=True),
    "rsync": Command(
        COPY,
        last=WRITE_ANY,
        valued="-e -f -T -B -M --rsh --exclude --include --filter --bwlimit --port --timeout"
        " --max-size --min-size --chmod --chown --info --out-format --block-size --backup-dir"
        " --suffix --partial-dir --log-file",
        paths={"--exclude-from": READ, "--include-from": READ, "--files-from": READ},
        special="transfer",
    ),
    "ln": Command(
        COPY,
        last=WRITE_ANY,
        valued="-S --suffix --backup:0",
        paths={"-t": INTO, "--target-directory": INTO},
        special="ln",
    ),
    "tee": Command(WRITE, valued="--output-error:0"),
    "truncate": Command(WRITE, valued="-s --size", paths={"-r": READ, "--reference": READ}),
    **same(
        "chmod",
        Command(
            EDIT_ANY,
            skip=1,
            skip_unless="-r -w -x -X -s -t --reference",
            paths={"--reference": READ_ANY},
        ),
    ),
    **same(
        "chown chgrp",
        Command(
            EDIT_ANY,
            skip=1,
            skip_unless="--reference",
            valued="--from",
            paths={"--reference": READ_ANY},
        ),
    ),
    "dos2unix": Command(EDIT, flags="-q -k -n"),
    "tar": Command(special="tar"),
    "zip": Command(
        COPY,
        skip=1,
        valued="-i -x -n -s -t -tt -P -b:9",
        special="zip",
    ),
    "unzip": Command(READ, limit=1, valued="-P -x:9 -d", special="unzip"),
    **same("zipinfo", Command(READ, limit=1)),
    **same(
        "gzip gunzip bzip2 bunzip2 xz unxz lzma unlzma",
        Command(READ, valued="-S --suffix -T --threads", flags=_PACK_FLAGS, special="pack"),
    ),
    **same(
        "zstd unzstd",
        Command(
            READ,
            valued="-o -T -D",
            flags=_PACK_FLAGS + " --rm",
            may_create=True,
            special="zstd",
        ),
    ),
    "patch": Command(
        paths={"-i": READ, "--input": READ, "-d": ENTER, "--directory": ENTER}, may_create=True
    ),
    **same("source .", Command(RUN, limit=1, special="source")),
    "jq": Command(
        READ,
        skip=1,
        skip_unless="-f --from-file",
        valued="--arg:2 --argjson:2 --argfile:2 --slurpfile:2 --rawfile:2 --indent -L --args:99"
        " --jsonargs:99",
        paths={"-f": READ, "--from-file": READ},
    ),
    "xmllint": Command(
        READ,
        valued="--xpath --encode --pattern",
        paths={"--schema": READ, "--output": WRITE},
    ),
    "shellcheck": Command(
        READ,
        valued="-s -e -f -i -o -S -x:0 -W -C:0 --shell --exclude --format --include --severity"
        " --enable",
    ),
    "dot": Command(READ, valued="-K", paths={"-o": WRITE}, flags="-v", may_create=True),
    "tokei": Command(
        LIST, valued="-e -s -t -o -c --exclude --sort --type --output", flags="-f --files"
    ),
    "cloc": Command(LIST, flags="--by-file --quiet --json", may_create=True),
    "pandoc": Command(
        READ,
        valued="-f -t -V -M --from --to --pdf-engine --toc-depth",
        paths={"-o": WRITE, "--output": WRITE},
        flags="-s --standalone --toc",
        may_create=True,
    ),
    "curl": Command(
        paths={
            **dict.fromkeys(("-o", "--output", "-c", "--cookie-jar", "-D", "--dump-header"), WRITE),
            # What is sent away cannot be had back.
            **dict.fromkeys(("-T", "--upload-file"), RUN),
            **dict.fromkeys(
                ("-d", "--data", "--data-binary", "--data-ascii", "--json"),
                Role("execute", "file", form="sent"),
            ),
            **dict.fromkeys(("-F", "--form"), Role("execute", "file", form="field")),
        },
        valued="-A -b -e -E -H -K -m -u -U -w -x -X -Y -y -z --header --max-time"
        " --request --url --user --user-agent --write-out --retry --connect-timeout",
        special="curl",
    ),
}
