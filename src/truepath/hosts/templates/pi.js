// truepath's extension for pi: checks the paths of tool calls. Written by `truepath install pi`,
// removed by `truepath uninstall pi`. Only an answer that refuses a call can stop it.

export default function (pi) {
  // Call -> the call as it began, and what to add to its result.
  const running = new Map();
  let turn = "";
  let prompt = "";

  const place = ({ cwd, sessionManager }) => ({ cwd, session: sessionManager.getSessionId() });

  pi.on("input", (event, context) =>
    safely(async () => {
      if (event.source === "extension") return;
      prompt = event.text;
      const entries = context.sessionManager.getEntries?.() ?? [];
      const resumed = entries.some(({ message }) => message?.role === "assistant");
      await prompted({ prompt, resumed, ...place(context) });
    }),
  );

  pi.on("turn_start", (event) =>
    safely(() => {
      turn = String(event.timestamp ?? "");
    }),
  );

  // pi does not validate the input again: what is changed here is what runs.
  pi.on("tool_call", (event, context) =>
    safely(async () => {
      const { toolName: tool, toolCallId: id, input } = event;
      const call = { tool, arguments: input, call: id, turn, prompt, ...place(context) };
      const answer = await before(call);
      if (answer.refuse) return { block: true, reason: answer.refuse };
      change(input, answer.arguments);
      running.set(id, { call, said: answer.text, changed: Boolean(answer.arguments) });
      if (answer.notice) context.ui.notify(answer.notice, "info");
      return undefined;
    }),
  );

  // After every call that has run, successful or not.
  pi.on("tool_result", (event) =>
    safely(async () => {
      const { call, said, changed } = running.get(event.toolCallId) ?? {};
      running.delete(event.toolCallId);
      const texts = event.content.filter((part) => part.type === "text").map((part) => part.text);
      const output = texts.join("\n");
      const error = event.isError ? output : "";
      const more = call ? await over(call, error, output, changed) : "";
      const text = words(said, more, error, changed);
      if (!text) return undefined;
      return { content: [...event.content, { type: "text", text: `\n${text}` }] };
    }),
  );
}
