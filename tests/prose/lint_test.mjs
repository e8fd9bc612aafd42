// The linter can fail: wrong sentences are found at their lines, and code is not read as prose.
import assert from "node:assert/strict";
import test from "node:test";
import { createProseLinter } from "./lint.mjs";

const lint = await createProseLinter(process.env.FOLDPROOF_PROSE_PACKAGES);
const advice = 'write "depends on" instead of "hangs on".';

test("a sentence of a page is reported at its line, also across a line break", async () => {
  const page = "# Title\n\nRight.\nThe result hangs\non the *input*.\n";
  assert.deepEqual(await lint("page.md", page), [`page.md:4: ${advice}`]);
});

test("links and quotations of a page are prose; code blocks and inline code are not", async () => {
  const code = "```\nit hangs on the input\n```\n\nThe message `it hangs on the input` is code.\n";
  assert.deepEqual(await lint("page.md", code), []);
  assert.deepEqual(await lint("page.md", "> [It hangs on it](x.md)\n"), [`page.md:1: ${advice}`]);
});

test("comments are reported at their lines; consecutive line comments are one text", async () => {
  const source = "int a;  // one\n\n// The result hangs\n// on the input.\n/* one\n * hangs on\n */\n/// It hangs on it.\n";
  assert.deepEqual(
    await lint("a.cu", source),
    [3, 6, 8].map((line) => `a.cu:${line}: ${advice}`),
  );
});

test("string literals are reported at their lines; adjacent literals are one text", async () => {
  const source = 'f("one",\n  "it hangs "\n  "on\\n{}");\nR"(one\n\nit hangs on two)";\nR"x(it hangs on ")" x)x";\n';
  assert.deepEqual(
    await lint("a.cpp", source),
    [2, 6, 7].map((line) => `a.cpp:${line}: ${advice}`),
  );
});

test("code, names, inline code and quotes in characters and numbers are not prose", async () => {
  const source = [
    "int hangs, on; hangs on;",
    'char c = \'"\'; hangs on; c = \'"\';',
    "int n = 1'000; hangs on; n = 1'000;",
    '#include "law.h"',
    'key("law");',
    "// `it hangs on`",
    "// it hangs",
    "",
    "// on",
    '"it hangs", "on"',
  ].join("\n");
  assert.deepEqual(await lint("a.h", source), []);
});

test("a message contains the reason of a rule and the text of its groups", async () => {
  assert.deepEqual(await lint("page.md", "It has 256 threads a\nblock that nobody reads.\n"), [
    'page.md:1: write "threads per block" instead of "threads a block".',
    'page.md:2: write "never" instead of "nobody". Say it in the passive: "memory that was never written".',
  ]);
});

test("differences are stated as such, and processes are terminated by signals", async () => {
  assert.deepEqual(await lint("page.md", "Another order gives other bits.\nIt was ended by a signal.\n"), [
    'page.md:1: write "gives different bits" instead of "gives other bits".',
    'page.md:2: write "terminated by a signal" instead of "ended by a signal".',
  ]);
  assert.deepEqual(await lint("page.md", "It agrees with the other results, and with other values of the row.\n"), []);
});
