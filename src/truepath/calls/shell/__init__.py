"""Shell commands: the paths in a line, its strictest operation, and the line with other paths.

- `reader.read(text, dialect) -> Line | None`: words with spans; None if the line is not understood.
- `dialect.POSIX`, `powershell.POWERSHELL`: the signs of a shell's language.
- `path_uses.survey(line) -> Survey`: the paths, the strictest operation, and whether every program
  is in `programs.txt`.
- `quick_look.must_exist(text, cwd)`: the quick check of a hook.
- `rewrite.rewrite(text, {use: path}) -> str | None`: the line with other paths.
- `programs.txt`: the table of programs.
"""
