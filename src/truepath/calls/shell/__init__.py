"""Shell commands: the paths in a line, what the line does, and the line with other
paths.

- `path_uses.survey(text) -> Survey | None`: the paths, each with its operation, what
  the whole line does, and whether every program is in `programs.txt`; None if the line
  cannot be read.
- `quick_look.must_exist(text, cwd)`: the quick check of a hook.
- `rewrite.rewrite(text, {use: path}) -> str | None`: the line with other paths.
- `reader.read(text, dialect) -> Line | None`: words with spans.
- `dialect.POSIX`, `powershell.POWERSHELL`: the signs of a shell's language.
- `programs.txt`: the table of programs.
"""
