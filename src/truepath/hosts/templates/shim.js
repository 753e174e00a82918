import { spawn } from "node:child_process";
import { lstatSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";

// Calls after an answer that the client is to see: they tell what the agent made of it.
const STEPS = 5;

// Session -> how many of its next calls the client is to see though their paths are there.
const waiting = new Map();

// Folder that a call runs in -> variables that the client is given beside the agent's own.
const environments = new Map();

// Run something of ours; whatever goes wrong in it, the agent's call goes on as it came.
async function safely(act) {
  try {
    return await act();
  } catch {
    return undefined;
  }
}

// Return the client's answer to a call that is about to run: {arguments?, refuse?, text?}.
async function before(call) {
  if (await safely(() => isQuiet(call))) return {};
  const answer = await ask({ event: "before", ...call });
  const left = waiting.get(call.session) ?? 0;
  waiting.set(call.session, Object.keys(answer).length ? STEPS : Math.max(0, left - 1));
  return answer;
}

// Return what the model is to be told of a call that failed; undefined for nothing.
async function failed(call, error) {
  if (SETUP.pathless.includes(call.tool)) return undefined;
  const { text } = await ask({ event: "failure", ...call, error });
  if (text) waiting.set(call.session, STEPS);
  return text;
}

// Tell the client that the user spoke: whatever streak of misses there was is over.
async function prompted(call) {
  if (waiting.delete(call.session)) await ask({ event: "prompt", ...call });
}

// Put changed arguments in the place of the old ones, in the very object that the host holds.
function change(held, changed) {
  for (const [name, value] of Object.entries(changed ?? {})) held[name] = value;
}

// Return the words for the end of a call that was let through, beside those for its failure.
function words(said, more, error) {
  // A suggestion of the host's own is not repeated; a correction or a shift of strategy is more.
  const repeats = /did you mean/i.test(error ?? "") && said?.startsWith("PATH_NOT_FOUND");
  return [repeats ? "" : said, more].filter(Boolean).join("\n\n");
}

// Whether a call needs no thought: its one path is there, below where the agent stands.
function isQuiet({ tool, arguments: held, session, cwd }) {
  if (SETUP.pathless.includes(tool)) return true;
  if (waiting.get(session) || !Object.hasOwn(SETUP.paths, tool)) return false;
  const [argument, kind] = SETUP.paths[tool];
  const written = held[argument];
  if (written === undefined) return kind === "any" || kind === "folder";
  if (typeof written !== "string" || !written || written.split("/").includes("..")) return false;
  const path = isAbsolute(written) ? written : join(cwd, written);
  return `${path}/`.startsWith(`${cwd.replace(/\/$/, "")}/`) && isThere(path, kind);
}

function isThere(path, kind) {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found) return kind === "any" || found.isDirectory() === (kind === "folder");
  // A new file by a plain name, in a folder that is there: no folder is made, none by a slip.
  const name = basename(path);
  if (kind !== "new" || !/^[^:\\%#?"'`<>]*[\p{L}\p{N}_+-]$/u.test(name)) return false;
  if (["None", "null", "undefined"].includes(name)) return false;
  if (lstatSync(path, { throwIfNoEntry: false })) return false;
  return statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory() ?? false;
}

// Give the client one event and return its answer; {} where it is gone, late or talks nonsense.
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
    for (const name of ["refuse", "text"])
      if (answer[name] && typeof answer[name] === "string") known[name] = answer[name];
    const changed = answer.arguments;
    if (changed && typeof changed === "object") known.arguments = changed;
    return known;
  } catch {
    return {};
  }
}
