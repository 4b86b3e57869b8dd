import { longestRow, malformed, type Reading, shown, tooLong } from './reading.ts';

type Awaited = 'array' | 'first' | 'comma' | 'next' | 'nothing';

const spoken = {
  array: '"[" of an array of objects',
  first: 'an object or "]"',
  comma: '"," or "]"',
  next: 'an object',
  nothing: 'nothing more',
} as const;

/** What may come at a place, and what is awaited behind it; `object` is read whole first. */
const grammar: Readonly<Record<Awaited, Readonly<Record<string, Awaited | 'object'>>>> = {
  array: { '[': 'first' },
  first: { '{': 'object', ']': 'nothing' },
  comma: { ',': 'next', ']': 'nothing' },
  next: { '{': 'object' },
  nothing: {},
};

/**
 * Cuts the text of a JSON array of objects into the texts of its objects, however it arrives in pieces, and keeps only
 * the object that isn't whole yet. The array itself is checked here, what is inside an object by `JSON.parse`.
 */
export class JsonArray {
  readonly #reading: Reading;
  #awaited: Awaited = 'array';
  #text = '';
  #at = 0;
  #object: ObjectEnd | undefined;

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  /** The texts of the objects that end in `piece`. @throws Failure `dataset-malformed` */
  *take(piece: string): Generator<string> {
    this.#text = this.#text.slice(this.#at) + piece;
    this.#at = 0;
    for (;;) {
      const object = this.#object === undefined ? this.#step() : this.#whole();
      if (object === undefined) break;
      if (object !== '') yield object;
    }
    if (this.#text.length - this.#at > longestRow) throw tooLong(this.#reading);
  }

  /** Nothing more comes. @throws Failure `dataset-malformed` for an array that isn't closed */
  end(): void {
    if (this.#awaited === 'nothing') return;
    const where =
      this.#object === undefined
        ? `where ${spoken[this.#awaited]} was expected`
        : `inside row ${this.#reading.rows + 1}`;
    throw malformed(this.#reading, `it ends ${where}`);
  }

  /** Passes one character of the array; undefined when more text is needed. */
  #step(): '' | undefined {
    this.#at = skipped(this.#text, this.#at);
    const char = this.#text[this.#at];
    if (char === undefined) return undefined;
    const next = grammar[this.#awaited][char];
    if (next === undefined) throw this.#unexpected();
    if (next === 'object') this.#object = new ObjectEnd();
    else {
      this.#awaited = next;
      this.#at += 1;
    }
    return '';
  }

  #whole(): string | undefined {
    const length = this.#object?.lengthIn(this.#text, this.#at);
    if (length === undefined) return undefined;
    const object = this.#text.slice(this.#at, this.#at + length);
    this.#at += length;
    this.#object = undefined;
    this.#awaited = 'comma';
    return object;
  }

  #unexpected(): Error {
    const found = shown(this.#text.slice(this.#at, this.#at + 60).trimEnd());
    const { rows } = this.#reading;
    const behind = rows === 0 ? '' : ` behind row ${rows}`;
    return malformed(this.#reading, `${spoken[this.#awaited]} was expected${behind}, got ${found}`);
  }
}

/** Finds where an object ends, over any number of pieces, looking at each character once. */
class ObjectEnd {
  #depth = 0;
  #quoted = false;
  #seen = 0;

  /** The length of the object that begins at `start`, or undefined when it goes on behind `text`. */
  lengthIn(text: string, start: number): number | undefined {
    for (let at = start + this.#seen; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (this.#quoted) at += this.#inString(code);
      else if (this.#closes(code)) return at + 1 - start;
      this.#seen = at + 1 - start;
    }
    return undefined;
  }

  /** How many characters to pass over: the one behind a backslash. */
  #inString(code: number): 0 | 1 {
    if (code === quote) this.#quoted = false;
    return code === backslash ? 1 : 0;
  }

  #closes(code: number): boolean {
    if (code === quote) this.#quoted = true;
    else if (code === brace || code === bracket) this.#depth += 1;
    else if (code === braceEnd || code === bracketEnd) this.#depth -= 1;
    else return false;
    return this.#depth === 0 && !this.#quoted;
  }
}

const [quote, backslash, brace, braceEnd, bracket, bracketEnd] = [34, 92, 123, 125, 91, 93];
const space = /[ \t\r\n]*/y;

function skipped(text: string, from: number): number {
  space.lastIndex = from;
  space.test(text);
  return space.lastIndex;
}
