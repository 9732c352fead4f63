// The editor of the page of `tensorlift explore`, behind a small interface: text in and out, lines that are lit,
// findings under their lines.  Its highlighting has the classes of `report/highlight.py`, and so the page's colours.
import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { cpp } from "@codemirror/lang-cpp";
import { python } from "@codemirror/lang-python";
import { bracketMatching, indentOnInput, indentUnit, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { Compartment, EditorState, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration, drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap,
  lineNumbers, WidgetType,
} from "@codemirror/view";
import { tagHighlighter, tags } from "@lezer/highlight";

const fortranWords = `allocatable allocate associate bind block call case common concurrent contains contiguous continue cycle data deallocate default dimension do elemental else
  elseif elsewhere end enddo endfunction endif endinterface endmodule endprogram endselect endsubroutine endwhere entry exit external forall function goto if implicit
  import in inout intent interface intrinsic kind module none only optional out parameter pointer procedure program pure recursive result return save select stop subroutine target then use value where while`.split(/\s+/).join("|");
const fortranKeyword = new RegExp(`^(${fortranWords})\\b(?!\\s*=[^=])|^\\.(and|or|not|eqv|neqv|eq|ne|lt|le|gt|ge|true|false)\\.`, "i");
const mlir = StreamLanguage.define({
  token(stream) {
    if (stream.match(/^\/\/.*/)) return "comment";
    if (stream.match(/^"[^"]*"?/)) return "string";
    if (stream.match(/^%[\w$.-]+/)) return "variableName.special";
    if (stream.match(/^[@#!^][\w$.-]+/)) return "labelName";
    if (stream.match(/^(index|memref|tensor|vector|none|b?f\d+|[usi]*i\d+)\b/)) return "typeName";
    if (stream.match(/^[a-z_]\w*(\.\w+)+/) || stream.match(/^(to|step|iter_args|loc|affine_map|affine_set|dense|true|false)\b/)) return "keyword";
    if (stream.match(/^\d+(\.\d*)?(e[+-]?\d+)?/i)) return "number";
    stream.match(/^\w+/) || stream.next();
    return null;
  },
  languageData: { commentTokens: { line: "//" } },
});
const fortran = StreamLanguage.define({
  token(stream) {
    const atStart = stream.sol();
    if (stream.match(/^!(\$(omp|acc|dec|dir)|dir)\b.*/i)) return "meta";
    if (stream.match(/^!.*/) || (atStart && stream.match(/^(\*|[cC](?![\w(]|\s*[=(%])).*/))) return "comment";
    if (stream.match(/^"[^"]*"?/) || stream.match(/^'[^']*'?/)) return "string";
    if (stream.match(/^(double\s+precision|integer|real|logical|complex|character|type)\b/i)) return "typeName";
    if (stream.match(fortranKeyword)) return "keyword";
    if (stream.match(/^(\d+(\.(?![a-z]+\.)\d*)?|\.\d+)([ed][+-]?\d+)?(_\w+)?/i)) return "number";
    stream.match(/^\w+/) || stream.next();
    return null;
  },
  languageData: { commentTokens: { line: "!" } },
});
const languages = { c: cpp(), cpp: cpp(), fortran, python: python(), mlir };

const colours = tagHighlighter([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier, tags.bool, tags.null], class: "k" },
  { tag: tags.typeName, class: "t" },
  { tag: [tags.function(tags.variableName), tags.function(tags.definition(tags.variableName)), tags.labelName], class: "f" },
  { tag: [tags.string, tags.character], class: "s" },
  { tag: tags.number, class: "n" },
  { tag: tags.comment, class: "c" },
  { tag: [tags.processingInstruction, tags.meta], class: "m" },
  { tag: tags.special(tags.variableName), class: "v" },
]);

// A finding stands under its line: what is wrong, and the edit that helps.
class Finding extends WidgetType {
  constructor(finding) { super(); this.finding = finding; }
  eq(other) { return JSON.stringify(other.finding) === JSON.stringify(this.finding); }
  toDOM() {
    const { severity, code, message, remedy } = this.finding, around = document.createElement("div");
    const box = around.appendChild(document.createElement("div")); // a margin of the outer one would shift line numbers
    around.className = "around-finding";
    box.className = `finding ${severity}`;
    const said = box.appendChild(document.createElement("div"));
    said.append(`${message} `, Object.assign(document.createElement("span"), { className: "code-of", textContent: code }));
    if (remedy) box.appendChild(document.createElement("div")).append(Object.assign(document.createElement("b"), { textContent: "edit: " }), remedy);
    return around;
  }
}

const setLit = StateEffect.define(), setFindings = StateEffect.define();
const decorations = effect => StateField.define({
  create: () => Decoration.none,
  update(value, transaction) {
    for (const one of transaction.effects) if (one.is(effect)) return one.value;
    return value.map(transaction.changes);
  },
  provide: field => EditorView.decorations.from(field),
});

export function create(parent, { label, changed, atLine }) {
  const language = new Compartment();
  const view = new EditorView({
    parent,
    state: EditorState.create({
      extensions: [
        lineNumbers(), highlightActiveLine(), highlightActiveLineGutter(), highlightSpecialChars(), history(), drawSelection(),
        indentUnit.of("    "), EditorState.tabSize.of(4), indentOnInput(), bracketMatching(), closeBrackets(),
        keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap]),
        language.of([]), syntaxHighlighting(colours), decorations(setLit), decorations(setFindings),
        EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", autocorrect: "off" }),
        EditorView.updateListener.of(update => {
          if (update.docChanged) changed();
          if (update.selectionSet && !update.docChanged) atLine(update.state.doc.lineAt(update.state.selection.main.head).number);
        }),
        EditorView.domEventHandlers({
          mousemove: (event, view) => {
            const at = view.posAtCoords({ x: event.clientX, y: event.clientY });
            atLine(at === null ? null : view.state.doc.lineAt(at).number);
          },
          mouseleave: () => atLine(null),
        }),
      ],
    }),
  });
  const lineFrom = number => view.state.doc.line(Math.max(1, Math.min(number, view.state.doc.lines)));
  return {
    get text() { return view.state.doc.toString(); },
    focus: () => view.focus(),
    goTo(number) {
      view.dispatch({ selection: { anchor: lineFrom(number).from }, scrollIntoView: true });
      view.focus();
    },
    open(text, name) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, effects: language.reconfigure(languages[name] ?? []) });
    },
    setLanguage: name => view.dispatch({ effects: language.reconfigure(languages[name] ?? []) }),
    light(ranges) {
      const numbers = new Set();
      for (const [first, last] of ranges) for (let n = first; n <= Math.min(last, view.state.doc.lines); n++) numbers.add(n);
      const lit = [...numbers].sort((a, b) => a - b).map(n => Decoration.line({ class: "lit" }).range(lineFrom(n).from));
      view.dispatch({ effects: setLit.of(Decoration.set(lit)) });
    },
    show(findings) {
      const shown = [];
      for (const finding of findings) {
        const line = lineFrom(finding.line), at = Math.min(line.from + Math.max(finding.column - 1, 0), line.to);
        const word = /^\w+/.exec(line.text.slice(at - line.from))?.[0].length ?? 1, end = Math.min(at + word, line.to);
        if (at < end) shown.push(Decoration.mark({ class: `marked ${finding.severity}` }).range(at, end));
        shown.push(Decoration.widget({ widget: new Finding(finding), block: true, side: 1 }).range(line.to));
      }
      view.dispatch({ effects: setFindings.of(Decoration.set(shown, true)) });
    },
  };
}
