// truepath's plugin for OpenCode: checks the paths of tool calls. Written by
// `truepath install opencode`, removed by `truepath uninstall opencode`. Only an answer that refuses
// a call can stop it.

// Session -> the model's turn, what the user typed last, and the message it is in.
const sessions = new Map();

// Sessions of sub-agents, whose user messages come from another agent.
const children = new Set();

// Call -> the call as it began, and what to add at its end.
const running = new Map();

// Call -> what was added to its error, because errors are read again for each request to the model.
const added = new Map();

const key = (session, id) => `${session} ${id}`;

export const Truepath = async ({ directory, client }) => ({
  // Refusals are thrown: OpenCode shows the model the message unchanged.
  "tool.execute.before": async (input, output) => {
    const refusal = await safely(() => begin(input, output.args, directory, client));
    if (refusal) throw new Error(refusal);
  },

  // Only for calls that succeeded, and commands that failed.
  "tool.execute.after": (input, output) => safely(() => finish(input, output)),

  "experimental.chat.messages.transform": (_, { messages }) =>
    safely(() => begun(messages, directory)),

  config: (settings) =>
    safely(() => {
      const agents = Object.values(settings.agent ?? {});
      const rules = [settings, ...agents].map((each) => each?.permission ?? {});
      environments.set(directory, { TRUEPATH_HOST_RULES: JSON.stringify(rules) });
    }),

  event: ({ event }) =>
    safely(() => {
      const { info } = event.properties;
      if (event.type === "session.created" && info.parentID) children.add(info.id);
    }),
});

async function begin({ tool, sessionID: session, callID: id }, args, cwd, client) {
  const { turn, prompt } = sessions.get(session) ?? {};
  const call = { tool, arguments: args, session, call: id, turn, prompt, cwd };
  const answer = await before(call);
  const body = { message: answer.notice, variant: "info" };
  if (answer.notice) safely(() => client.tui.showToast({ body })); // the call need not wait for it
  if (answer.refuse) return answer.refuse;
  change(args, answer.arguments); // a new object would have no effect
  const changed = Boolean(answer.arguments);
  running.set(key(session, id), { call, said: answer.text, changed });
  return undefined;
}

async function finish({ sessionID, callID }, output) {
  const { call, said, changed } = taken(key(sessionID, callID));
  const printed = output.metadata?.output ?? output.output;
  const error = output.metadata?.exit ? printed : "";
  const more = call ? await over(call, error, printed, changed) : "";
  const text = words(said, more, error, changed);
  if (!text) return;
  if (typeof output.output === "string") output.output += `\n\n${text}`;
  else output.content?.push({ type: "text", text }); // a tool of an MCP server
}

function taken(name) {
  const found = running.get(name) ?? {};
  running.delete(name);
  return found;
}

// Before each request to the model: note the turn, and add texts to errors.
async function begun(messages, cwd) {
  const { id, sessionID: session } = messages.at(-1).info;
  const typed = messages.findLast(({ info, parts }) => info.role === "user" && textOf(parts));
  const known = sessions.get(session);
  const now = { turn: id, from: known?.from, prompt: known?.prompt };
  if (typed && !children.has(session)) {
    now.from = typed.info.id;
    now.prompt = textOf(typed.parts);
  }
  sessions.set(session, now);
  const resumed = messages.some(({ info }) => info.role === "assistant");
  // Calls that the user refused ended before the prompt.
  for (const part of messages.flatMap(({ parts }) => parts))
    if (part.type === "tool" && part.state?.status === "error") await explain(part, session);
  if (now.from !== known?.from) await prompted({ session, prompt: now.prompt, cwd, resumed });
}

function textOf(parts) {
  const typed = parts.filter((part) => part.type === "text" && !part.synthetic && !part.ignored);
  return typed.map((part) => part.text).join("\n");
}

async function explain(part, session) {
  const name = key(session, part.callID);
  const { error } = part.state;
  const { call, said, changed } = taken(name);
  if (call) added.set(name, words(said, await over(call, error, "", changed), error, changed));
  const text = added.get(name);
  if (text && !error.includes(text)) part.state = { ...part.state, error: `${error}\n\n${text}` };
}
