import { PlatformError } from '../../kernel/door/errors.ts';
import { formatCount, RECORD_BYTES_MAX } from './limits.ts';

/** A row of a document as written. */
export interface JsonItem {
  /** Number of the row, from 1. */
  readonly line: number;
  /** Its bytes; undefined if it is too large, see `problem`. */
  readonly bytes: Buffer | undefined;
  readonly problem?: string;
  /**
   * Names of the members around it, outermost first; an empty name for a bare list. Undefined if each row is a
   * top-level value.
   */
  readonly around: readonly string[] | undefined;
}

const SPACES = new Uint8Array(256);
for (const byte of [9, 10, 13, 32]) SPACES[byte] = 1;
/** Bytes with a meaning outside and inside of a string. */
const STRUCTURE = new Uint8Array(256);
for (const sign of '"{}[]') STRUCTURE[sign.charCodeAt(0)] = 1;
const IN_TEXT = new Uint8Array(256);
for (const sign of '"\\') IN_TEXT[sign.charCodeAt(0)] = 1;
/** Bytes that end a number or a word. */
const ENDS = new Uint8Array(256);
for (const sign of ' \t\r\n,]}:') ENDS[sign.charCodeAt(0)] = 1;

/** Bytes that cannot start a value. */
const NOT_A_VALUE = new Uint8Array(256);
for (const sign of '}],:') NOT_A_VALUE[sign.charCodeAt(0)] = 1;

const QUOTE = 0x22,
  BACKSLASH = 0x5c,
  OPEN_OBJECT = 0x7b,
  CLOSE_OBJECT = 0x7d,
  OPEN_LIST = 0x5b,
  CLOSE_LIST = 0x5d,
  COMMA = 0x2c,
  COLON = 0x3a,
  LINE_FEED = 10;

/** Limit of an object's first member name, which shows whether the object is only a wrapper. */
const NAME_BYTES_MAX = 1024;
/** Most objects around the rows. */
const WRAPPERS_MAX = 8;
/** The first member of an object, up to the first byte of its value. */
const FIRST_MEMBER = /^\{[ \t\r\n]*"([^"\\]{0,255})"[ \t\r\n]*:[ \t\r\n]*([^ \t\r\n])/;

/** Position of the scan around rows: before or after a value, before or after the name of a member. */
type ScanPosition = 'value' | 'after' | 'name' | 'colon' | 'first name' | 'first value';

interface OpenContainer {
  readonly isList: boolean;
  readonly name: string;
}

/**
 * Finds the rows of a document: the elements of a list, each value of a document of lines, or the items within
 * `{"LoanCollection": {"LoanItem": […]}}`. Within a row only braces and quotes are inspected, so a malformed row fails
 * alone; in a document of lines a row always ends with its line.
 */
export class JsonScanner {
  private readonly isItems: (name: string) => boolean;
  private readonly frames: OpenContainer[] = [];
  private place: ScanPosition = 'value';
  /** Bytes of the value being read, from its first. */
  private held: Buffer[] = [];
  private heldBytes = 0;
  private reading: 'around' | 'name' | 'row' | 'passed' | 'scalar' | 'look' | 'line' = 'around';
  private isRowScalar = false;
  private depth = 0;
  private inText = false;
  private isEscaped = false;
  private isTooLong = false;
  private name = '';
  private count = 0;
  private linesBefore = 0;
  private isLines = false;
  private isSequence = false;
  private values = 0;
  private items: JsonItem[] = [];

  /** @param isItems whether a member with this name holds rows */
  constructor(isItems: (name: string) => boolean) {
    this.isItems = isItems;
  }

  /**
   * Scans the next bytes; {@link takeItems} returns the completed rows.
   * @throws BAD_JSON if the document around the rows is malformed; rows before the fault can still be taken
   */
  write(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) at = this.step(chunk, at);
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, end + 1)) this.linesBefore++;
  }

  /** Returns the rows completed since the last call. */
  takeItems(): JsonItem[] {
    const { items } = this;
    this.items = [];
    return items;
  }

  /**
   * Ends the document.
   * @throws BAD_JSON if it is incomplete
   */
  end(): void {
    const nothing = Buffer.alloc(0);
    if (this.reading === 'look') this.decideFirstObject(true);
    if (this.reading === 'scalar') this.endScalar();
    if (this.reading === 'line') this.endLine();
    if (this.reading !== 'around' || this.frames.length > 0) throw this.fail('it ends too early', nothing, 0);
    if (this.values === 0) throw this.fail('it is empty', nothing, 0);
  }

  private step(chunk: Buffer, from: number): number {
    switch (this.reading) {
      case 'around':
        return this.scanBetween(chunk, from);
      case 'look': {
        // Byte by byte: few bytes decide what an object is, and only the first object is inspected.
        this.append(chunk.subarray(from, from + 1));
        this.decideFirstObject(this.heldBytes >= NAME_BYTES_MAX);
        return from + 1;
      }
      case 'line': {
        const end = chunk.indexOf(LINE_FEED, from);
        this.append(chunk.subarray(from, end < 0 ? chunk.length : end));
        if (end < 0) return chunk.length;
        this.endLine();
        return end + 1;
      }
      case 'scalar': {
        let at = from;
        while (at < chunk.length && ENDS[chunk[at] as number] === 0) at++;
        this.append(chunk.subarray(from, at));
        if (at < chunk.length) this.endScalar();
        return at;
      }
      default:
        return this.scanValueBody(chunk, from);
    }
  }

  /** Scans a row, a name or a skipped value: only braces and quotes count. */
  private scanValueBody(chunk: Buffer, from: number): number {
    let at = from;
    let { depth, inText, isEscaped } = this;
    while (at < chunk.length) {
      if (isEscaped) {
        isEscaped = false;
        at++;
        continue;
      }
      const table = inText ? IN_TEXT : STRUCTURE;
      while (at < chunk.length && table[chunk[at] as number] === 0) at++;
      if (at >= chunk.length) break;
      const byte = chunk[at++];
      if (byte === QUOTE) inText = !inText;
      else if (byte === BACKSLASH) isEscaped = true;
      else depth += byte === OPEN_OBJECT || byte === OPEN_LIST ? 1 : -1;
      if (depth <= 0 && !inText) break;
    }
    this.depth = depth;
    this.inText = inText;
    this.isEscaped = isEscaped;
    this.keepValueBody(chunk.subarray(from, at));
    return at;
  }

  private keepValueBody(bytes: Buffer): void {
    if (this.reading !== 'passed') this.append(bytes);
    if (this.depth <= 0 && !this.inText) this.endWithin();
  }

  private endWithin(): void {
    const { reading } = this;
    this.reading = 'around';
    if (reading === 'name') {
      this.name = this.isTooLong ? '' : memberName(Buffer.concat(this.held));
      this.place = 'colon';
    } else {
      if (reading === 'row') this.add();
      this.endValue();
    }
    this.release();
  }

  /** Scans between values: white space, commas, and opening and closing brackets. */
  private scanBetween(chunk: Buffer, from: number): number {
    let at = from;
    while (at < chunk.length && SPACES[chunk[at] as number] === 1) at++;
    if (at >= chunk.length) return at;
    const byte = chunk[at] as number;
    if (this.isLines) {
      this.reading = 'line';
      return at;
    }
    if (this.isSequence && this.place === 'after' && byte === OPEN_OBJECT) this.place = 'value';
    switch (this.place) {
      case 'after':
        return this.afterValue(byte, chunk, at);
      case 'first name':
      case 'name':
        return this.beforeName(byte, chunk, at);
      case 'colon':
        if (byte !== COLON) throw this.fail('expected a colon', chunk, at);
        this.place = 'value';
        return at + 1;
      case 'first value':
        if (byte === CLOSE_LIST) {
          this.leave();
          return at + 1;
        }
        return this.value(byte, chunk, at);
      default:
        return this.value(byte, chunk, at);
    }
  }

  private afterValue(byte: number, chunk: Buffer, at: number): number {
    const frame = this.frames.at(-1);
    if (!frame) throw this.fail('there is content after its end', chunk, at);
    if (byte === COMMA) this.place = frame.isList ? 'value' : 'name';
    else if (byte === (frame.isList ? CLOSE_LIST : CLOSE_OBJECT)) this.leave();
    else throw this.fail(`expected a comma or ${frame.isList ? ']' : '}'}`, chunk, at);
    return at + 1;
  }

  private beforeName(byte: number, chunk: Buffer, at: number): number {
    if (byte === CLOSE_OBJECT && this.place === 'first name') {
      this.leave();
      return at + 1;
    }
    if (byte !== QUOTE) throw this.fail('expected the name of a member in double quotes', chunk, at);
    this.begin('name');
    return at;
  }

  private value(byte: number, chunk: Buffer, at: number): number {
    if (NOT_A_VALUE[byte] === 1) throw this.fail('expected a value', chunk, at);
    const frame = this.frames.at(-1);
    return frame ? this.innerValue(frame, byte, chunk, at) : this.topValue(byte, chunk, at);
  }

  private topValue(byte: number, chunk: Buffer, at: number): number {
    if (byte === OPEN_LIST) return this.enter(true, chunk, at);
    if (byte !== OPEN_OBJECT) throw this.fail('expected a list of objects, or objects', chunk, at);
    this.begin(this.isSequence ? 'row' : 'look');
    return at;
  }

  private innerValue(frame: OpenContainer, byte: number, chunk: Buffer, at: number): number {
    const isRow = frame.isList || this.isItems(this.name);
    const isCollection = !frame.isList && this.name.endsWith('Collection');
    if (byte === OPEN_LIST && !frame.isList && (isRow || isCollection)) return this.enter(true, chunk, at);
    if (byte === OPEN_OBJECT && isCollection && !isRow) return this.enter(false, chunk, at);
    if (byte === OPEN_OBJECT || byte === OPEN_LIST || byte === QUOTE) this.begin(isRow ? 'row' : 'passed');
    else {
      this.begin('scalar');
      this.isRowScalar = isRow;
    }
    return at;
  }

  private begin(reading: JsonScanner['reading']): void {
    this.reading = reading;
    this.depth = 0;
    this.inText = this.isEscaped = false;
  }

  private enter(isList: boolean, chunk: Buffer, at: number): number {
    if (this.frames.length >= WRAPPERS_MAX) throw this.fail('its rows are nested too deeply', chunk, at);
    this.frames.push({ isList, name: this.frames.length === 0 ? '' : this.name });
    this.name = '';
    this.place = isList ? 'first value' : 'first name';
    return at + 1;
  }

  private leave(): void {
    this.frames.pop();
    this.endValue();
  }

  private endValue(): void {
    this.place = 'after';
    if (this.frames.length === 0) this.values++;
  }

  /** Decides whether a top-level object is a row, or a wrapper by its first member. */
  private decideFirstObject(isLast: boolean): void {
    const text = Buffer.concat(this.held).toString('latin1');
    const member = FIRST_MEMBER.exec(text);
    const known = member !== null || /^\{[ \t\r\n]*(?:[^" \t\r\n]|"[^"\\]*\\)/.test(text);
    if (!known && !isLast) return;
    const held = Buffer.concat(this.held);
    this.release();
    const isWrapper =
      member !== null &&
      (member[2] === '{' || member[2] === '[') &&
      (member[1] === 'Alerts' || (member[1] ?? '').endsWith('Collection') || this.isItems(member[1] ?? ''));
    this.reading = 'around';
    if (isWrapper) {
      this.frames.push({ isList: false, name: '' });
      this.place = 'first name';
      this.replay(held.subarray(1));
      return;
    }
    this.begin('row');
    this.replay(held);
  }

  private replay(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length) at = this.step(bytes, at);
  }

  private endScalar(): void {
    this.reading = 'around';
    if (this.isRowScalar) this.add();
    this.release();
    this.endValue();
  }

  private endLine(): void {
    this.reading = 'around';
    const isBlank = !this.isTooLong && this.held.every((part) => part.every((byte) => SPACES[byte] === 1));
    if (!isBlank) this.add();
    this.release();
  }

  private add(): void {
    const line = ++this.count;
    const isAlone = this.frames.length === 0;
    const around = isAlone
      ? undefined
      : [...this.frames.slice(1).map((frame) => frame.name), ...(this.frames.at(-1)?.isList ? [] : [this.name])];
    if (this.isTooLong) {
      this.items.push({
        line,
        bytes: undefined,
        problem: `it is longer than ${formatCount(RECORD_BYTES_MAX)} bytes`,
        around,
      });
      return;
    }
    const bytes = Buffer.concat(this.held);
    this.items.push({ line, bytes, around });
    // Top-level objects of which the first is on one line are a document of lines; otherwise objects may also follow
    // each other across lines.
    this.isLines ||= isAlone && line === 1 && !bytes.includes(LINE_FEED);
    this.isSequence ||= isAlone;
  }

  private append(bytes: Buffer): void {
    if (this.isTooLong || bytes.length === 0) return;
    this.heldBytes += bytes.length;
    if (this.heldBytes > RECORD_BYTES_MAX) {
      this.held = [];
      this.isTooLong = true;
    } else this.held.push(Buffer.from(bytes));
  }

  private release(): void {
    this.held = [];
    this.heldBytes = 0;
    this.isTooLong = false;
  }

  private fail(message: string, chunk: Buffer, at: number): PlatformError {
    let line = this.linesBefore + 1;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0 && end < at; end = chunk.indexOf(LINE_FEED, end + 1)) line++;
    return new PlatformError('BAD_JSON', {
      message: `Line ${line}: the document cannot be read: ${message}.`,
      details: { line },
    });
  }
}

function memberName(bytes: Buffer): string {
  try {
    return JSON.parse(bytes.toString()) as string;
  } catch {
    return '';
  }
}
