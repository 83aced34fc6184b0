// Values of expressions as model files have them, of parameters alone: numbers, names, + − * / ^, parentheses, functions of one argument or
// two. Nothing is ever run: what is not of this kind has no value.

const functions: Record<string, (...x: number[]) => number> = {
  sin: Math.sin, cos: Math.cos, tan: Math.tan, asin: Math.asin, acos: Math.acos, atan: Math.atan, atan2: Math.atan2,
  sqrt: Math.sqrt, exp: Math.exp, log: Math.log, abs: Math.abs, sinh: Math.sinh, cosh: Math.cosh, tanh: Math.tanh,
  min: Math.min, max: Math.max,
};
const constants: Record<string, number> = { pi: Math.PI, deg: Math.PI / 180 };

/** What a name stands for; undefined where it is not known. */
export type Lookup = (name: string) => number | undefined;

class Reader {
  private at = 0;
  private readonly tokens: string[];

  constructor(text: string, private readonly lookup: Lookup) {
    this.tokens = text.match(/\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|[A-Za-z_][\w.]*|\*\*|\S/g) ?? [];
  }

  read(): number | null {
    const value = this.sum();
    return this.at === this.tokens.length && Number.isFinite(value) ? value : null;
  }

  private take(...wanted: string[]): string | null {
    const token = this.tokens[this.at];
    if (token === undefined || !wanted.includes(token)) return null;
    ++this.at;
    return token;
  }

  private sum(): number {
    let value = this.product();
    for (let op = this.take("+", "-"); op; op = this.take("+", "-")) value = op === "+" ? value + this.product() : value - this.product();
    return value;
  }

  private product(): number {
    let value = this.signed();
    for (let op = this.take("*", "/"); op; op = this.take("*", "/")) value = op === "*" ? value * this.signed() : value / this.signed();
    return value;
  }

  /** −x^2 is −(x^2), x^−2 is a power too. */
  private signed(): number {
    const sign = this.take("+", "-");
    if (sign) return sign === "-" ? -this.signed() : this.signed();
    const base = this.atom();
    return this.take("^", "**") ? base ** this.signed() : base;
  }

  private atom(): number {
    const token = this.tokens[this.at++];
    if (token === undefined) return NaN;
    if (token === "(") return this.closed(this.sum());
    if (/^[\d.]/.test(token)) return Number(token);
    if (!/^[A-Za-z_]/.test(token)) return NaN;
    if (this.take("(")) return this.call(token);
    return this.lookup(token) ?? constants[token] ?? NaN;
  }

  private call(name: string): number {
    const list = [this.sum()];
    while (this.take(",")) list.push(this.sum());
    return this.closed(Object.hasOwn(functions, name) ? functions[name]!(...list) : NaN);
  }

  private closed(value: number): number {
    return this.take(")") ? value : NaN;
  }
}

/** The value, or null where there is none. */
export function evaluate(text: string, lookup: Lookup): number | null {
  return text.length > 2000 ? null : new Reader(text, lookup).read();
}
