#!/bin/sh
# After a tool failed on a missing path, tell the agent how to search for it.
# Claude Code's hook event on stdin, an answer or nothing on stdout.
# For machines with neither the native client nor Python: truepath-hook.sh runs it, and sets `jq`.

for switch in "${TRUEPATH-}" "${CLAUDE_RESOLVE_PATH-}"; do
    case $switch in
        0 | [Ff][Aa][Ll][Ss][Ee] | [Nn][Oo] | [Oo][Ff][Ff]) exit 0 ;;
    esac
done

"$jq" -c '
    # A name is hostile text: no invisible characters, no end of a quotation, at most 160 characters.
    def shown: .[:160] | gsub("[\\p{C}\\p{Zl}\\p{Zp}`]"; "?");
    # Special characters of patterns, and the end of a quotation, become `?`.
    def globbed: gsub("[*?\\[\\]{}()!\"\u0027\\\\]"; "?");

    # Claude Code has no Glob by default, and tells the model to use find.
    def steps($root):
        ltrimstr($root + "/") | .[-4096:]  # PATH_MAX of Linux; what is longer is no path
        | (split("/") | map(select(. != "" and . != ".") | shown | globbed)) as $parts
        | ($parts[-1] // "*" | "`find . -name \u0027\(.)\u0027`") as $by_name
        | if ($parts | length) < 2 then $by_name
          else "`find . -path \u0027*/\($parts[-2])/\($parts[-1])\u0027`, then \($by_name)" end;

    def guidance($root):
        "PATH_NOT_FOUND: `\(shown)` does not exist.\n"
        + "Search before giving up: \(steps($root)). "
        + "One match: read it. Several: list them and ask which one is meant. None: ask the user. "
        + "Never skip a file that was referred to without saying so.";

    def path:
        .tool_input | objects | .file_path // .notebook_path // .path
        | strings | select(. != "");
    def missing: strings | test("does not exist") and (test("Did you mean") | not);

    . as $event
    | [
        if .hook_event_name == "PostToolUseFailure" then select(.error | missing) | path
        elif .hook_event_name == "PostToolBatch" then
            .tool_calls | arrays | .[] | objects
            | select(.tool_response | strings | startswith("<tool_use_error>") and missing) | path
        else empty end
        | guidance([$event.cwd | strings][0] // "" | rtrimstr("/"))
    ]
    | select(length > 0)
    | {hookSpecificOutput: {
        hookEventName: $event.hook_event_name,
        additionalContext: (.[:3] | join("\n\n"))
    }}
' 2>/dev/null
