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
