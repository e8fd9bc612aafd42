// Checks the wording of this repository against words.yml: Markdown pages, and the comments and string literals of C++
// and CUDA sources. Usage: node lint.mjs PACKAGES [FILE...], where PACKAGES contains the installed package.json.
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { proseOf } from "./source_prose.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const markdown = /\.md$/;
const source = /\.(cpp|h|def|inc|cu|cuh)$/;

/** A function from a file's name and text to its messages; `packages` is where npm installed textlint. */
export async function createProseLinter(packages) {
  const { createLinter, loadTextlintrc } = createRequire(join(resolve(packages), "package.json"))("textlint");
  const linter = createLinter({
    descriptor: await loadTextlintrc({
      configFilePath: fileURLToPath(new URL(".textlintrc.json", import.meta.url)),
      node_modulesDirectory: join(resolve(packages), "node_modules"),
    }),
  });
  return async (file, text) => {
    const isPage = markdown.test(file);
    const { messages } = await linter.lintText(isPage ? text : proseOf(text), isPage ? "page.md" : "source.txt");
    return messages.map(({ message, range }) => {
      // textlint-rule-prh writes: found => better, and the rule's `prh` on the next line.
      const [, found, better, reason] = /^([^]*?) => (.*)(?:\n(.*))?$/.exec(message);
      const line = text.slice(0, range[0]).split("\n").length;
      const advice = better ? `write "${better}" instead of` : "leave out";
      return `${file}:${line}: ${advice} "${found.replace(/\s+/g, " ").trim()}".${reason ? ` ${reason}` : ""}`;
    });
  };
}

function* filesBelow(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (/^(\.|build|foldproof-cases)/.test(entry.name)) continue; // Not in the repository.
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (markdown.test(path) || source.test(path)) yield path;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [packages, ...files] = process.argv.slice(2);
  const lint = await createProseLinter(packages);
  let count = 0;
  for (const path of files.length > 0 ? files : [...filesBelow(root)].sort()) {
    const messages = await lint(relative(root, resolve(path)), readFileSync(path, "utf8"));
    messages.forEach((message) => console.log(message));
    count += messages.length;
  }
  if (count > 0) process.exitCode = 1;
}
