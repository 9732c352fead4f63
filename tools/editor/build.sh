#!/usr/bin/env bash
# Makes the editor of `tensorlift explore` anew: CodeMirror, in the pinned versions of package.json, as one file without
# anything that is loaded when it runs, with the licences of what is in it.  Needs Node and npm, and the network.
set -euo pipefail
cd "$(dirname "$0")"
out=../../src/tensorlift/serve
npm ci --silent --ignore-scripts
node_modules/.bin/esbuild editor.js --bundle --minify --format=iife --global-name=editor --target=chrome123,firefox120,safari17.5 \
  --legal-comments=none --metafile=node_modules/meta.json --log-level=warning --outfile=$out/editor.js
node -e '
const fs = require("fs"), path = require("path");
const inputs = Object.keys(JSON.parse(fs.readFileSync("node_modules/meta.json")).inputs);
const names = [...new Set(inputs.map(one => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(one)?.[1]).filter(Boolean))].sort();
const texts = new Map();
for (const name of names) {
  const folder = path.join("node_modules", name), { version } = JSON.parse(fs.readFileSync(path.join(folder, "package.json")));
  const text = fs.readFileSync(path.join(folder, "LICENSE"), "utf8").trim();
  texts.set(text, [...(texts.get(text) ?? []), `${name} ${version}`]);
}
process.stdout.write([...texts].map(([text, own]) => `${own.join("\n")}\n\n${text}\n`).join(`\n${"-".repeat(72)}\n\n`));
' > $out/editor.LICENSE.txt
