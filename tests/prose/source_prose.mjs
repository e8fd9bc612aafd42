// The prose of a C++ or CUDA source: its comments and string literals.

// Numbers and characters are matched so that their quotes ('"', 1'000) do not begin a string.
const token = new RegExp(
  [
    /R"(?<delimiter>[^()\\\s]*)\((?<raw>[^]*?)\)\k<delimiter>"/,
    /"(?<string>(?:[^"\\\n]|\\[^])*)"/,
    /\/\/[\/!]?<?(?<line>.*)/,
    /\/\*(?<block>[^]*?)\*\//,
    /'(?:[^'\\\n]|\\.[^'\n]*)'/,
    /\b\d[\w.']*/,
  ].map((part) => part.source).join("|"),
  "dg",
);

const blank = (text) => text.replace(/[^]/g, " ");

function withoutCode(text) {
  return text
    .replace(/\\[^]/g, blank)
    .replace(/`[^`]*`/g, (code) => "`".repeat(code.length))
    .replace(/\n\s*\*?/g, blank);
}

/**
 * A text of the same length as `source`, so that positions agree, in which everything but prose is blank. Each
 * comment and each literal is one line of it, because textlint matches within a line; adjacent literals and line
 * comments on consecutive lines are one sentence, so they are one line.
 */
export function proseOf(source) {
  let prose = "";
  let previous = { kind: "", end: 0 };
  for (const match of source.matchAll(token)) {
    const kind = ["raw", "string", "line", "block"].find((name) => match.groups[name] !== undefined);
    if (!kind) continue;
    const [start, end] = match.indices.groups[kind];
    const between = source.slice(previous.end, match.index);
    const continues = kind === previous.kind && /^[^\S\n]*\n?[^\S\n]*$/.test(between);
    if (kind === "string" && !continues && !/\s/.test(match[0])) continue; // A single word is a name or a key.
    prose += (continues ? " " : "\n").padEnd(start - prose.length) + withoutCode(source.slice(start, end));
    previous = { kind, end: match.index + match[0].length };
  }
  return prose;
}
