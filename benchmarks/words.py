"""Make the list of words by which a typo is told from another word.

    apt-get install scowl
    python benchmarks/words.py > src/truepath/resolve/words.txt

The words are those of the Spell Checker Oriented Word Lists up to size 60, which is that of common
dictionaries, in American and British spelling, with proper names and hackers' jargon; and those of
computing that dictionaries lack. `src/truepath/resolve/words.LICENSE` is SCOWL's notice.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

SCOWL = Path("/usr/share/dict/scowl")

LISTS = re.compile(
    r"(english|american|british|british_z)-(words|upper|proper-names)|special-hacker"
)
LARGEST = 60

WORD = re.compile(r"[a-z]{3,14}")

COMPUTING = """
    adapters adb addon addons agentic allowlist api apis arg args argv asgi ast astro async auth
    authn authz backend backends backfill backoff backport bazel biome blocklist bool bugfix
    bytecode callee changelog charset checkbox chmod cjs cli cmake cmd codebase codec codecs
    codegen codeowners compat conf config configs conftest const contrib conv cors cpp cpu cron
    crypto csharp csproj css csv cuda cwd cython dao datagrid datasets datetime datepicker deno dep
    deps dequeue deserialize deserializer dev devcontainer devtools diff diffs dict dir dirs dist
    dns docker dockerfile dockerignore docx dotenv dotfile dotfiles dotnet dropdown dto ebook
    ecommerce editorconfig elixir encoder encoders endian endpoint endpoints entrypoint enum enums
    env eslint eval evals exe executor executors exec ext fastapi favicon favicons fcntl
    filename filenames filesystem filesystems fixme flake fmt formatter formatters fortran
    frontend frontmatter func funcs getter getters gif gitattributes gitignore gitlab gitmodules
    golang gpt gpu gradle graphql grid grpc gui handoff hashmap healthcheck heatmap helm hostname
    hotfix href html http https hyperlink ico ide img impl inbox ini init inits inline inlined
    int ints ios ipython iter iterable iterables iterator iterators java jinja jpeg jpg jpgs json
    jsonc jsonl jsx junit jupyter jwt kanban keycloak keyring keystore kotlin kube kubectl
    kubernetes lang lerna lib libs lifecycle linter linters linting llm llms localhost lockfile
    login logins logout logouts lookup lookups lru lsp lua macos makefile manpage markdownlint
    matcher matchers mcp mdx metadata middleware min misc mixin mixins mjs mkdocs mocha modal
    modals mongo mongodb monorepo msg msgs multiline mutex mutexes mypy mysql namespace namespaces
    nav navbar neovim nextjs nginx noop npm npmrc numpy nvm oauth observability ollama
    onboarding openai openapi opencode orchestrator org orm otel packager pandas param params
    parser parsers passthrough pdf pem perf perms php pid pkg pki pluggable png pnpm podman popup
    popups postcss postgres postgresql posthog powershell prd pre preflight prefs preload
    preprocess preprocessor prettier prisma profiler profilers proc procs proto protobuf protoc
    protos pubsub pydantic pyi pypi pyproject pytest qwen queryset quickstart rabbitmq rasterizer
    readme readmes readonly recv redis redux refactor regex regexes regexp regexps renderer
    renderers repl repo repos reranker resize resizer restart retriever rollout rollouts
    roundtrip router routers rpc rst ruff runbook runtime runtimes rust scala schema schemas scm
    scraper scrapers scss sdk sdks sed seo serializable serialize serializer serializers serverless
    setter setters settimeout setup setups sha shader shaders sidebar signin signout signup
    singleton skeleton sklearn skim slug slugs smtp snapshotter sql sqlite sqlx src srv sse ssh ssl
    standalone startup stderr stdin stdlib stdout storybook str strategies struct structs stub
    stubs subagent subagents subcommand subdir subdomain subgraph submodule submodules subprocess
    subtask subtasks subtree sudo supabase svelte svg svgs swagger symlink symlinks sys sysctl
    tailwind tauri tcp tech teardown telemetry templating tensor tensors terraform testcase
    testcases testdata textarea timeline timestamp timestamps tls tmp tmux todo todos tokenize
    tokenizer tokenizers toml toolbar toolbars toolchain toolchains toolkit tooltip tooltips tox
    tracker trackers tsconfig tsx ttl tty tui tuple tuples txt typedef typings ubuntu udp uint
    unary uninstall unicode unittest unittests unix untracked unzip uploader uri uris url urls
    usb username usernames utf util utils uuid uuids uvicorn validator validators vars venv
    verifier vite vitest vlan vscode vue walkthrough wasm webapp webhook webhooks webpack
    webserver website websocket websockets whitelist whitespace widget widgets wiki woff workaround
    workflow workflows workspace workspaces worktree worktrees wsgi xcode xhtml xls xlsx xml xslt
    yaml yarn yml zig zip zipped zod zsh amqp argocd axios clickhouse esbuild etcd grafana kafka
    lodash mariadb mssql nats neo nestjs nuxt preact rollup turbopack vuex zeromq
"""
"""Of the words in 122 projects' names that dictionaries lack, those that are no product of a
single maker's and no code, and their like."""


def scowl() -> Iterator[str]:
    """Yield the words of the lists; their files are in Latin-1."""
    for file in SCOWL.iterdir():
        lists, _, size = file.name.rpartition(".")
        if LISTS.fullmatch(lists) and int(size) <= LARGEST:
            for line in file.read_text("latin-1").splitlines():
                yield line.strip().lower().removesuffix("'s")


def main() -> None:
    words = {word for word in (*scowl(), *COMPUTING.split()) if WORD.fullmatch(word)}
    sys.stdout.write("\n".join(sorted(words)) + "\n")


if __name__ == "__main__":
    main()
