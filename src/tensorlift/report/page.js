// Lines that belong together light up, under the pointer and at the focus.  In a block of code the arrow keys go from
// one such line to the next.
const rangesOf = element => element.dataset.of.split(" ").map(range => range.split("-").map(Number));
const isWithin = (number, ranges) => ranges.some(([first, last]) => first <= number && number <= last);

function whenAt(element, enter, leave) {
  for (const event of ["mouseenter", "focus"]) element.addEventListener(event, enter);
  for (const event of ["mouseleave", "blur"]) element.addEventListener(event, leave);
}

// Make lines reachable by keyboard: one of a block by Tab, the others from there.
function reachable(lines) {
  const blocks = new Map();
  for (const line of lines) {
    line.classList.add("matched");
    const block = line.closest(".code") ?? line;
    line.tabIndex = blocks.has(block) ? -1 : 0;
    blocks.set(block, [...(blocks.get(block) ?? []), line]);
  }
  for (const [block, own] of blocks) {
    block.addEventListener("keydown", event => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key], next = own[own.indexOf(document.activeElement) + step];
      if (!step || !own.includes(document.activeElement) || !next) return;
      event.preventDefault();
      next.focus();
    });
  }
}

// Link elements to lines of the source, of which `lightSource` lights ranges.  `at` lights what belongs to one line.
function linked(elements, lightSource) {
  const parts = elements.map(element => [element, rangesOf(element)]);
  function show(isLit, ranges) {
    for (const [element, own] of parts) element.classList.toggle("lit", isLit(element, own));
    lightSource(ranges);
  }
  const clear = () => show(() => false, []);
  for (const [element, ranges] of parts) whenAt(element, () => show(other => other === element, ranges), clear);
  reachable(elements);
  return { at: number => show((_, ranges) => isWithin(number, ranges), [[number, number]]), clear, parts };
}

// The same where the source is on the page.
function linkLines(root) {
  const lines = [...root.querySelectorAll(".source .code")].flatMap(code =>
    [...code.children].map((line, k) => [Number(code.dataset.first) + k, line]));
  const { at, clear, parts } = linked([...root.querySelectorAll("[data-of]")], ranges => {
    for (const [number, line] of lines) line.classList.toggle("lit", isWithin(number, ranges));
  });
  const matched = lines.filter(([number]) => parts.some(([, ranges]) => isWithin(number, ranges)));
  for (const [number, line] of matched) whenAt(line, () => at(number), clear);
  reachable(matched.map(([, line]) => line));
}

// Tabs with their panels: chosen by a click, or by arrow keys.  Blocks of stages are shown one at a time, and code is
// copied.  `chosen` is told the name of each tab that is chosen.
function tabs(chosen = () => {}) {
  const all = [...document.querySelectorAll("[role=tab]")];
  function choose(name, focus = false) {
    for (const tab of all) {
      const isIt = tab.id === `tab-${name}`;
      tab.setAttribute("aria-selected", isIt);
      tab.tabIndex = isIt ? 0 : -1;
      document.getElementById(tab.getAttribute("aria-controls")).hidden = !isIt;
      if (isIt && focus) tab.focus();
    }
    chosen(name);
  }
  all.forEach((tab, k) => {
    const name = tab.id.slice("tab-".length);
    tab.addEventListener("click", () => choose(name));
    tab.addEventListener("keydown", event => {
      const to = { ArrowRight: k + 1, ArrowLeft: k - 1, Home: 0, End: -1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      choose(all.at(to % all.length).id.slice("tab-".length), true);
    });
  });
  document.addEventListener("change", event => {
    if (event.target.matches("[data-stages]")) showStage(event.target.value);
  });
  document.addEventListener("click", async event => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    await navigator.clipboard.writeText(button.parentNode.querySelector(".code").textContent);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  widen(document.querySelector(".divider"));
  showStage();
  choose(all[0].id.slice("tab-".length));
  return choose;
}

function showStage(title) {
  const select = document.querySelector("[data-stages]");
  if (!select) return;
  if (title && [...select.options].some(option => option.value === title)) select.value = title;
  for (const block of document.querySelectorAll("[data-stage]")) block.hidden = block.dataset.stage !== select.value;
}

// The line between source and results moves with the pointer, or by arrow keys.
function widen(divider) {
  const set = share => {
    const kept = Math.round(Math.min(85, Math.max(15, share)));
    divider.setAttribute("aria-valuenow", kept);
    divider.parentNode.style.setProperty("--left", `${kept}%`);
  };
  divider.addEventListener("pointerdown", event => divider.setPointerCapture(event.pointerId));
  divider.addEventListener("pointermove", event => {
    const { left, width } = divider.parentNode.getBoundingClientRect();
    if (divider.hasPointerCapture(event.pointerId)) set((event.clientX - left) / width * 100);
  });
  divider.addEventListener("keydown", event => {
    const step = { ArrowLeft: -2, ArrowRight: 2 }[event.key];
    if (step) set(Number(divider.getAttribute("aria-valuenow")) + step);
  });
}
