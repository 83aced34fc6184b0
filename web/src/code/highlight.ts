// Colours for source code: comments, strings, numbers, words of the language. A tokenizer for reading, not a parser: what it does not know
// stays plain, and all of it goes into the page as text.

export type Kind = "plain" | "comment" | "string" | "number" | "keyword";

export interface Token {
  kind: Kind;
  text: string;
}

interface Language {
  comment: RegExp;
  string: RegExp;
  keywords: Set<string>;
}

const words = (text: string): Set<string> => new Set(text.split(" "));
const c_comment = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y;
const hash_comment = /#[^\n]*/y;
const plain_string = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/y;
const nothing = /(?!)/y;

const c_words = "auto break case char const constexpr continue default do double else enum extern false float for if inline int long namespace return short signed sizeof static struct switch template this true typedef typename unsigned using void while";

const languages: Record<string, Language> = {
  c: { comment: c_comment, string: plain_string, keywords: words(c_words) },
  cpp: { comment: c_comment, string: plain_string, keywords: words(`${c_words} class public private noexcept nullptr operator std array`) },
  javascript: {
    comment: c_comment, string: /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/y,
    keywords: words("const let var function return if else for while new throw true false null undefined export import class of in typeof"),
  },
  python: {
    comment: hash_comment, string: /[rbf]?(?:"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')/y,
    keywords: words("and as assert break class continue def del elif else except False finally for from global if import in is lambda None not or pass raise return True try while with yield"),
  },
  julia: {
    comment: hash_comment, string: /"""[\s\S]*?(?:"""|$)|"(?:\\.|[^"\\\n])*"/y,
    keywords: words("module end function return if else elseif for while const struct export using import let begin true false nothing do"),
  },
  fortran: {
    comment: /![^\n]*/y, string: plain_string,
    keywords: words("module contains subroutine function end use only implicit none real integer logical character parameter intent in out inout if then else do while return call allocate pure elemental result private public type dimension"),
  },
  matlab: {
    comment: /%[^\n]*/y, string: /"(?:[^"\n])*"|(?<![\w)\]'.])'(?:[^'\n])*'/y,
    keywords: words("function end if else elseif for while return switch case otherwise global persistent break continue"),
  },
  modelica: {
    comment: c_comment, string: plain_string,
    keywords: words("model function package end equation algorithm input output parameter Real Integer Boolean protected public if then else elseif for loop in within import extends annotation constant initial"),
  },
  toml: { comment: hash_comment, string: /"""[\s\S]*?(?:"""|$)|"(?:\\.|[^"\\\n])*"|'[^'\n]*'/y, keywords: words("true false") },
};

const aliases: Record<string, string> = { js: "javascript", "c++": "cpp", py: "python", jl: "julia", f90: "fortran", m: "matlab", octave: "matlab", mo: "modelica" };
const number = /(?:\d+\.?\d*|\.\d+)(?:[eEdD][+-]?\d+)?(?:_\w+|[fFlLuU]+)?/y;
const word = /[A-Za-z_]\w*/y;
const space = /\s+/y;

function match(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}

/** The text in pieces; together they are the text again. */
export function tokens(text: string, language: string): Token[] {
  const name = language.toLowerCase();
  const l = languages[aliases[name] ?? name] ?? { comment: nothing, string: nothing, keywords: new Set<string>() };
  const list: Token[] = [];
  const add = (kind: Kind, piece: string): void => {
    const last = list[list.length - 1];
    if (last && last.kind === kind) last.text += piece;
    else list.push({ kind, text: piece });
  };
  for (let at = 0; at < text.length; ) {
    const [kind, piece] = next(text, at, l);
    add(kind, piece);
    at += piece.length;
  }
  return list;
}

function next(text: string, at: number, l: Language): [Kind, string] {
  const blank = match(space, text, at);
  if (blank) return ["plain", blank];
  const comment = match(l.comment, text, at);
  if (comment) return ["comment", comment];
  const string = match(l.string, text, at);
  if (string) return ["string", string];
  const name = match(word, text, at);
  if (name) return [l.keywords.has(name) ? "keyword" : "plain", name];
  const digits = match(number, text, at);
  if (digits) return ["number", digits];
  return ["plain", text[at]!];
}
