// @i-know-the-amp-plugin-api-is-wip-and-very-experimental-right-now
// The plugin of truepath for Amp. Written by `truepath install amp`, taken away by
// `truepath uninstall amp`. It checks the paths of tool calls; nothing in it can stop a call but an
// answer that refuses it. Plain JavaScript, in a file of the name that Amp looks for.

export default function (amp) {
  // Call -> the call as it began, and what its result is to tell.
  const running = new Map();
  const prompts = new Map();

  amp.on("agent.start", (event) =>
    safely(async () => {
      const session = event.thread.id;
      prompts.set(session, event.message);
      await prompted({ session, prompt: event.message, cwd: process.cwd() });
      return undefined;
    }),
  );

  // Never `error`, which ends the run; to allow is to have no opinion.
  amp.on("tool.call", async (event) => {
    const answer = await safely(() => begin(event));
    return answer ?? { action: "allow" };
  });

  // After every call, refused ones too, which are not in `running`.
  amp.on("tool.result", (event) =>
    safely(async () => {
      const { call, said } = running.get(event.toolUseID) ?? {};
      running.delete(event.toolUseID);
      const error = event.status === "error" ? String(event.error ?? "") : "";
      const text = words(said, call && error ? await failed(call, error) : "", error);
      if (!text) return undefined;
      if (event.status === "error") return { status: "error", error: `${error}\n\n${text}` };
      if (event.status !== "done") return undefined;
      return { status: "done", output: added(event.output, text) };
    }),
  );

  async function begin({ thread, toolUseID: id, tool, input }) {
    const place = { session: thread.id, cwd: process.cwd() };
    const call = { tool, arguments: input, call: id, prompt: prompts.get(thread.id), ...place };
    const answer = await before(call);
    if (answer.refuse) return { action: "reject-and-continue", message: answer.refuse };
    const changed = { ...input, ...answer.arguments };
    running.set(id, { call: { ...call, arguments: changed }, said: answer.text });
    return answer.arguments ? { action: "modify", input: changed } : undefined;
  }
}

// Return a tool's output with words for the model at its end, in the shape that it came in.
function added(output, text) {
  if (typeof output === "string") return `${output}\n\n${text}`;
  if (Array.isArray(output)) return [...output, { type: "text", text }];
  return { ...output, note: text };
}
