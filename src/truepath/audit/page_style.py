"""How the audit's page looks, by day and by night, on a wide screen and on a narrow one."""

STYLE = """
:root { color-scheme: light dark; --ink: #1c2024; --dim: #60646c; --line: #e0e1e6;
  --paper: #f9f9fb; --card: #fff; --bar: #3e63dd; --soft: #e6edfe; --right: #30a46c;
  --wrong: #e5484d; --unknown: #b9bbc6; }
@media (prefers-color-scheme: dark) { :root { --ink: #edeef0; --dim: #b0b4ba; --line: #2e3135;
  --paper: #111113; --card: #18191b; --bar: #849dff; --soft: #1d2e62; --right: #3dd68c;
  --wrong: #ff9592; --unknown: #5a6169; } }
* { box-sizing: border-box }
body { font: 16px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; color: var(--ink);
  background: var(--paper); margin: 0 }
main { max-width: 68rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem }
h1 { font-size: 1rem; font-weight: 600; color: var(--dim); margin: 0 }
h2 { font-size: 1.05rem; font-weight: 600; margin: 0 0 1rem }
.lead { font-size: 1.6rem; line-height: 1.25; margin: .35rem 0 .5rem; letter-spacing: -.01em }
.lead b { font-size: 3.2rem; line-height: 1; font-weight: 700; color: var(--bar) }
.note { color: var(--dim); margin: .75rem 0 0; font-size: .9rem }
header .note { margin: 0 }
section, .facts { background: var(--card); border: 1px solid var(--line); border-radius: 12px;
  padding: 1.25rem; margin: 1.25rem 0 0; min-width: 0 }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: 1.25rem;
  list-style: none }
.facts li { color: var(--dim); font-size: .9rem; line-height: 1.35 }
.facts b { display: block; font-size: 1.6rem; line-height: 1.2; font-weight: 650; color: var(--ink);
  font-variant-numeric: tabular-nums }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr));
  gap: 0 1.25rem }
.scroll { overflow-x: auto }
.scroll:focus-visible, summary:focus-visible { outline: 2px solid var(--bar); outline-offset: 4px;
  border-radius: 4px }
table { border-collapse: collapse; width: 100% }
th, td { text-align: right; font-weight: 400; padding: .5rem 0 .5rem .9rem; vertical-align: top;
  font-variant-numeric: tabular-nums; white-space: nowrap }
tr > :first-child { text-align: left; padding-left: 0; width: 100%; white-space: normal;
  overflow-wrap: anywhere; min-width: 9rem }
tbody tr { border-top: 1px solid var(--line) }
thead th { color: var(--dim); font-size: .8rem; padding-top: 0 }
small { display: block; color: var(--dim); font-size: .8rem; line-height: 1.35 }
code { font: .85em ui-monospace, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere;
  white-space: normal }
.answer { display: inline-block; width: max-content; max-width: min(20rem, 40vw);
  white-space: normal; overflow-wrap: anywhere; text-align: left }
i { display: block; background: var(--bar) }
i.right { background: var(--right) } i.wrong { background: var(--wrong) }
i.unknown { background: var(--unknown) }
.bar { display: flex; height: 6px; margin-top: .35rem; border-radius: 3px; overflow: hidden }
.bar i { min-width: 2px } .bar i:last-child { border-radius: 0 3px 3px 0 }
details { margin-top: .75rem } summary { cursor: pointer; color: var(--bar); width: max-content }
@media (max-width: 40rem) { main { padding-top: 1.5rem } .lead { font-size: 1.25rem }
  .lead b { font-size: 2.6rem } section, .facts { padding: 1rem } th, td { padding-left: .55rem;
  font-size: .9rem } thead th, small { font-size: .72rem } tr > :first-child { min-width: 6.5rem } }
@media print { body { background: none } section { break-inside: avoid } }
"""
