// Stands in for a host that has loaded one of our plugins, as far as the plugin can tell: plays the
// steps of a file and prints what came of each.
//
//   {begin: id, tool, args}   a call is about to run -> {args} or {refused}
//   {end: id, output}         it went well -> what the model reads
//   {end: id, error}          it failed -> what the model reads
//   {say: text}               the user spoke
//   {resume: true}            the session has an answer of the model already
//   {rules: settings}         OpenCode has read its settings
//   {shown: true}             -> the lines that the user was shown

import { readFileSync } from "node:fs";

const { host, file, steps } = JSON.parse(readFileSync(process.argv[2]));
const module = await import(file);
const calls = new Map();
const SESSION = "s";
// No turn of a process has the name of one in another process.
const BEGAN = Date.now();

// The lines that the user was shown. A window may be gone, so showing one fails.
const lines = [];
const show = (line) => {
  lines.push(line);
  throw new Error("no window");
};

const hosts = {
  async opencode() {
    const hooks = await Object.values(module)[0]({
      directory: process.cwd(),
      client: { tui: { showToast: async ({ body }) => show(body.message) } },
    });
    const messages = [];
    const add = (role, ...parts) =>
      messages.push({ info: { id: `m${BEGAN + messages.length}`, role, sessionID: SESSION }, parts });
    const request = () => hooks["experimental.chat.messages.transform"]({}, { messages });
    return {
      async begin({ begin: callID, tool, args }) {
        calls.set(callID, { tool, args });
        const output = { args };
        try {
          await hooks["tool.execute.before"]({ tool, sessionID: SESSION, callID }, output);
        } catch (error) {
          return { refused: error.message };
        }
        return { args: output.args };
      },
      async end({ end: callID, output, error, exit }) {
        const { tool, args } = calls.get(callID);
        if (error === undefined) {
          const held = { output, metadata: { exit } };
          await hooks["tool.execute.after"]({ tool, sessionID: SESSION, callID, args }, held);
          return held.output;
        }
        add("assistant", { type: "tool", callID, tool, state: { status: "error", error } });
        await request();
        const once = messages.at(-1).parts[0].state.error;
        // OpenCode reads its messages anew for each request, without what was added to them.
        messages.at(-1).parts[0].state = { status: "error", error };
        await request();
        if (messages.at(-1).parts[0].state.error !== once) throw new Error("told otherwise");
        return once;
      },
      resume: () => add("assistant", { type: "text", text: "answer" }),
      async say({ say }) {
        add("user", { type: "text", text: say }, { type: "text", text: "x", synthetic: true });
        await request();
      },
      rules: ({ rules }) => hooks.config(rules),
    };
  },

  async pi() {
    const on = {};
    module.default({ on: (name, act) => (on[name] = act) });
    const entries = [{ type: "session" }];
    const sessionManager = { getSessionId: () => SESSION, getEntries: () => entries };
    const context = { cwd: process.cwd(), sessionManager, ui: { notify: show } };
    return {
      async begin({ begin: toolCallId, tool, args }) {
        calls.set(toolCallId, { tool, args });
        on.turn_start({ turnIndex: 1, timestamp: BEGAN + calls.size }, context);
        const event = { toolName: tool, toolCallId, input: args };
        const answer = await on.tool_call(event, context);
        return answer?.block ? { refused: answer.reason } : { args: event.input };
      },
      async end({ end: toolCallId, output, error }) {
        const content = [{ type: "text", text: error ?? output }];
        const isError = error !== undefined;
        const event = { ...calls.get(toolCallId), toolCallId, content, isError };
        const changed = await on.tool_result(event, context);
        return (changed?.content ?? content).map((part) => part.text).join("\n");
      },
      resume: () => entries.push({ type: "message", message: { role: "assistant" } }),
      say: ({ say }) => on.input({ text: say, source: "interactive" }, context),
    };
  },
};

const played = { shown: () => lines, ...(await hosts[host]()) };
const results = [];
for (const step of steps) {
  // A model takes its time for a call; what follows within 0.3 s counts as one turn.
  if (step.begin) await new Promise((resolve) => setTimeout(resolve, 400));
  results.push((await played[Object.keys(step)[0]](step)) ?? null);
}
console.log(JSON.stringify(results));
