import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { basename, isAbsolute, join } from "node:path";

// Calls after an answer that the client sees, because they show what the agent did next.
const STEPS = 5;

// Session -> how many of its next calls the client sees though their paths exist.
const waiting = new Map();

// Sessions that this process has seen a prompt of.
const met = new Set();

// Folder that a call runs in -> variables for the client, in addition to the agent's own.
const environments = new Map();

// Run a function; if it fails, the agent's call goes on unchanged.
async function safely(act) {
  try {
    return await act();
  } catch {
    return undefined;
  }
}

// Return the client's answer to a call that is about to run:
// {arguments?, refuse?, text?, notice?}.
async function before(call) {
  if (await safely(() => isQuiet(call))) return {};
  const answer = await ask({ event: "before", ...call });
  const left = waiting.get(call.session) ?? 0;
  waiting.set(call.session, Object.keys(answer).length ? STEPS : Math.max(0, left - 1));
  return answer;
}

// Return the text for a call that is over, by its error or else by what it printed; undefined for
// none. The client sees each end of a call that was `changed`.
async function over(call, error, output, changed) {
  const hidden = hidesFailure(call, output);
  if (SETUP.pathless.includes(call.tool) || !(error || hidden || changed)) return undefined;
  const said = error ? { error } : hidden ? { output } : {};
  const { text } = await ask({ event: "failure", ...call, ...said });
  // A failed edit is refused once if it is sent again, though nothing was said of it.
  const edits = SETUP.paths[call.tool]?.[1] === "edit";
  if (text || (error && edits)) waiting.set(call.session, STEPS);
  return text;
}

// Whether a command that ended well says that its folder lacks something.
function hidesFailure({ tool }, output) {
  if (!SETUP.commands.includes(tool) || typeof output !== "string") return false;
  const low = output.toLowerCase();
  return SETUP.lacks.some((words) => low.includes(words));
}

// Tell the client that the user typed something, which ends a streak of misses. A process before
// this one may have left misses in a session that was resumed.
async function prompted({ resumed, ...call }) {
  const left = resumed && !met.has(call.session);
  met.add(call.session);
  if (waiting.delete(call.session) || left) await ask({ event: "prompt", ...call });
}

// Change arguments in the host's own object.
function change(args, changed) {
  for (const [name, value] of Object.entries(changed ?? {})) args[name] = value;
}

// Return the text for the end of a call: from before it ran, and for its failure. What was to be
// said of a call that was `changed` is not so where it failed, was refused by the user, or there is
// more to say.
function words(said, more, error, changed) {
  // A suggestion that the host makes too is not repeated.
  const repeats = /did you mean/i.test(error ?? "") && said?.startsWith("PATH_NOT_FOUND");
  return [repeats || (changed && (more || error)) ? "" : said, more].filter(Boolean).join("\n\n");
}

// Whether a call passes unchecked: its only path exists, below the working directory.
function isQuiet({ tool, arguments: args, session, cwd }) {
  if (SETUP.pathless.includes(tool)) return true;
  if (waiting.get(session) || !Object.hasOwn(SETUP.paths, tool)) return false;
  const [argument, kind] = SETUP.paths[tool];
  const written = args[argument];
  // `docs/**/*.md` is searched below `docs`.
  if (kind === "folder" && `${args.pattern ?? ""}`.includes("/")) return false;
  if (written === undefined) return kind === "any" || kind === "folder";
  if (typeof written !== "string" || !written || written.split("/").includes("..")) return false;
  const path = isAbsolute(written) ? written : join(cwd, written);
  if (SETUP.documents.includes(basename(path))) return false; // the client notes it
  return `${path}/`.startsWith(`${cwd.replace(/\/$/, "")}/`) && isThere(path, kind);
}

// The twin of `_is_present` in `hook/presence.py`. What the disk does not tell (a circle of links)
// throws, and the client is asked.
function isThere(path, kind) {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return false; // the client looks at new files too
  return kind === "any" || kind === "entry" || found.isDirectory() === (kind === "folder");
}

// Send the client one event and return its answer; {} if it is missing, late or invalid.
function ask(event) {
  return new Promise((resolve) => {
    const line = JSON.stringify(event);
    const group = process.platform !== "win32"; // so that what the shell starts ends with it
    const client = spawn(SETUP.client, {
      shell: true,
      detached: group,
      windowsHide: true,
      stdio: ["pipe", "pipe", "ignore"],
      env: { ...process.env, ...environments.get(event.cwd) },
    });
    let said = "";
    const end = (status) => {
      clearTimeout(timer);
      resolve(status === 0 ? answerIn(said) : {});
    };
    const timer = setTimeout(() => {
      end();
      client.stdout.destroy();
      try {
        group ? process.kill(-client.pid, "SIGKILL") : client.kill();
      } catch {} // it ended just now
    }, SETUP.timeout);
    client.on("error", () => end());
    client.on("close", end);
    client.stdin.on("error", () => {}); // it may end without reading
    client.stdout.setEncoding("utf8").on("data", (part) => (said += part));
    client.stdin.end(line);
  }).catch(() => ({}));
}

function answerIn(said) {
  try {
    const answer = JSON.parse(said);
    const known = {};
    for (const name of ["refuse", "text", "notice"])
      if (answer[name] && typeof answer[name] === "string") known[name] = answer[name];
    const changed = answer.arguments;
    if (changed && typeof changed === "object") known.arguments = changed;
    return known;
  } catch {
    return {};
  }
}
