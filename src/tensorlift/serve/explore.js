// The page of `tensorlift explore`: an editor, choices, and views of what the source lifts to.  All of it is one state,
// which the link holds.  One request is under way at a time; what changed meanwhile is asked for after it.
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const by = id => document.getElementById(id);
const choices = ["language", "target", "sizes", "engine"].map(by);
const guards = by("guards"), status = by("status");
const TYPING = 60, SAVING = 300; // milliseconds

const shown = {}, links = {}; // by view: the state that it shows, and what lights up in it
let view = "program", stage = "", functions = [], lit = null, isOpening = false, isBusy = false, later = 0, saving = 0;

const text = editor.create(by("source"), {
  label: "Source",
  changed() { if (!isOpening) lift(TYPING); },
  atLine(number) { lit = number; light(); },
});

function state() {
  return {
    source: text.text, ...Object.fromEntries(choices.map(one => [one.id, one.value])), guards: guards.checked, view, stage,
    ...(data.file && { file: data.file }),
  };
}

function open({ source, language, target, sizes, engine, guards: isGuarded, view: wanted, stage: wantedStage }) {
  isOpening = true;
  text.open(source, language);
  isOpening = false;
  const given = { language, target, sizes, engine };
  for (const one of choices) if (given[one.id] !== undefined) one.value = given[one.id];
  if (isGuarded !== undefined) guards.checked = isGuarded;
  stage = wantedStage ?? stage;
  if (wanted && by(`tab-${wanted}`)) choose(wanted);
  else lift();
}

// Lift, after a while or at once.
function lift(wait = 0) {
  clearTimeout(later);
  later = setTimeout(run, wait);
  clearTimeout(saving);
  saving = setTimeout(save, SAVING);
}

// What lifts and their views depend on.
function keyOf({ view: _, stage: __, ...all }) {
  return JSON.stringify(all);
}

async function run() {
  if (isBusy) return;
  const wanted = state(), key = keyOf(wanted);
  if (shown[view] === key) return light();
  isBusy = true;
  const start = performance.now(), found = await ask("lift", wanted);
  isBusy = false;
  if (!found) return;
  const isCurrent = keyOf(state()) === key;
  shown[wanted.view] = key;
  show(wanted.view, found);
  if (isCurrent) tell(found, performance.now() - start);
  if (!isCurrent || view !== wanted.view) run();
}

async function ask(kind, body) {
  try {
    const reply = await fetch(`/${kind}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
    if (!reply.ok) throw new Error(await reply.text());
    return await reply.json();
  } catch (error) {
    status.textContent = error instanceof TypeError ? "The server does not answer: start tensorlift explore again." : error.message;
    return null;
  }
}

function show(name, found) {
  functions = found.functions;
  if (name === "run") return showRun();
  const panel = by(`view-${name}`), { scrollTop } = panel;
  panel.innerHTML = found.html;
  panel.scrollTop = scrollTop;
  showStage(stage);
  links[name] = linked([...panel.querySelectorAll("[data-of]")], ranges => text.light(ranges));
  light();
}

// Findings stand under their lines; what is about none, and how long it took, stands at the end of the page.
function tell(found, spent) {
  text.show(found.findings.filter(finding => finding.line));
  const loose = found.findings.filter(finding => !finding.line).map(finding => `${finding.message} [${finding.code}]`);
  const took = `${found.verdict}, lifted in ${Math.round(found.seconds * 1000)} ms, shown after ${Math.round(spent)} ms`;
  status.textContent = loose[0] ?? (found.seconds === undefined ? "" : took);
}

function light() {
  lit === null ? links[view]?.clear() : links[view]?.at(lit);
}

const choose = tabs(name => {
  view = name;
  lift();
});

for (const one of [...choices, guards]) one.addEventListener("input", () => {
  if (one.id === "language") text.setLanguage(one.value);
  lift(one.id === "sizes" ? 4 * TYPING : 0);
});
by("example").addEventListener("change", event => {
  const example = data.examples[event.target.value];
  event.target.value = "";
  if (!example) return;
  data.file = ""; // it is no longer the one that was opened
  open(example);
  text.focus();
});
document.addEventListener("click", event => {
  const place = event.target.closest("a[href^='#line-']");
  if (!place) return;
  event.preventDefault(); // the link holds the state
  text.goTo(Number(place.hash.slice("#line-".length)));
});
document.addEventListener("change", event => {
  if (event.target.matches("[data-stages]")) { stage = event.target.value; save(); }
});

// The state in the link, compressed; of this nothing is sent to the server.
async function through(stream, bytes) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

async function linkOf(wanted) {
  const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(JSON.stringify(wanted)));
  const coded = btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  return `#${coded}`;
}

async function stateOf(hash) {
  try {
    const bytes = Uint8Array.from(atob(hash.slice(1).replaceAll("-", "+").replaceAll("_", "/")), one => one.charCodeAt(0));
    const found = JSON.parse(new TextDecoder().decode(await through(new DecompressionStream("deflate-raw"), bytes)));
    return typeof found.source === "string" ? found : null;
  } catch {
    return null; // a link that was cut off
  }
}

async function save() {
  const { file, ...kept } = state();
  history.replaceState(null, "", await linkOf(kept));
}

by("link").addEventListener("click", async event => {
  await save();
  await navigator.clipboard.writeText(`${location.origin}/${location.hash}`);
  event.target.textContent = "Copied";
  setTimeout(() => { event.target.textContent = "Copy link"; }, 1500);
});
by("export").addEventListener("click", async () => {
  status.textContent = "exporting";
  const found = await ask("export", state());
  if (!found) return;
  const link = Object.assign(document.createElement("a"), {
    href: URL.createObjectURL(new Blob([found.html], { type: "text/html" })), download: `${functionOf(found)}.html`,
  });
  link.click();
  URL.revokeObjectURL(link.href);
  status.textContent = `exported ${link.download}`;
});
const functionOf = found => found.functions?.[0] ?? "explore";

// Running, where the server allows it: a button for each function.
function showRun() {
  const buttons = functions.map(name => {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: `Run and time ${name}` });
    button.addEventListener("click", async () => {
      by("ran").textContent = "running";
      const found = await ask("run", { ...state(), function: name, key: data.key });
      if (found) by("ran").innerHTML = found.html;
    });
    return button;
  });
  document.querySelector(".view.run").replaceChildren(...buttons, by("ran"));
}

addEventListener("hashchange", async () => {
  const found = await stateOf(location.hash);
  if (found) open(found);
});
stateOf(location.hash).then(found => open(found ?? data.first));
