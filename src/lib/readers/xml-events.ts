import { SaxesParser } from 'saxes';
import { PROLOG_BYTES_MAX, toUtf8Stream } from '../../kernel/xml/prolog.ts';
import { CELL_BYTES_MAX, formatCount } from './limits.ts';

/** Receives the parts of a document as it is read. Names are as written, with prefixes. */
export interface XmlHandler {
  open(name: string, attributes: Readonly<Record<string, string>>, line: number): void;
  close(name: string): void;
  /** Character data, CDATA included, in one or more pieces. */
  text(text: string): void;
  /** Returns the error for a fault of the document. */
  fail(message: string, line: number, column: number): Error;
}

/** Deepest nesting; documents of the interfaces have 12 levels. */
const XML_DEPTH_MAX = 100;
/** Bytes parsed at once, so that rows are yielded instead of accumulated. */
const PARSED_BYTES = 32 * 1024;

/**
 * Parses a document as a stream and calls `handler`. Yields after every chunk, so that the caller can pass on what it
 * has collected. Rejects DOCTYPE and entities other than XML's own; supports the encodings of `prolog.ts`.
 */
export async function* xmlEvents(
  source: AsyncIterable<Uint8Array>,
  handler: XmlHandler,
): AsyncGenerator<void, void, undefined> {
  const parser = new SaxesParser({ position: true, xmlns: false, forceXMLVersion: true, defaultXMLVersion: '1.0' });
  // Exactly seven listeners: with an eighth the engine turns the parser's object into a dictionary, and reading takes
  // six times as long. So comments and instructions count as part of what precedes them. The parser accumulates a text,
  // tag or comment of any length until it ends.
  let gathered = 0;
  let depth = 0;
  const fail = (message: string): Error => handler.fail(message, parser.line, parser.column);
  parser.on('error', (error) => {
    throw fail(
      `it is not well-formed: ${error.message
        .replace(/^\d+:\d+: /, '')
        .replace(/\.$/, '')
        .slice(0, 200)}`,
    );
  });
  parser.on('doctype', () => {
    throw fail('it has a DOCTYPE, which is not accepted');
  });
  let startLine = 1;
  // The event comes after the character that follows the name, which may be a line end.
  parser.on('opentagstart', () => (startLine = parser.line - (parser.column === 0 ? 1 : 0)));
  parser.on('opentag', (tag) => {
    gathered = 0;
    if (++depth > XML_DEPTH_MAX) throw fail(`its elements are nested deeper than ${XML_DEPTH_MAX} levels`);
    handler.open(tag.name, tag.attributes, startLine);
  });
  parser.on('closetag', (tag) => {
    gathered = 0;
    depth--;
    handler.close(tag.name);
  });
  parser.on('text', (text) => {
    gathered = 0;
    handler.text(text);
  });
  parser.on('cdata', (text) => {
    gathered = 0;
    handler.text(text);
  });
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const feed = (bytes?: Uint8Array): void => {
    let text: string;
    try {
      text = bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode();
    } catch {
      throw fail('it contains bytes that are invalid in its encoding');
    }
    gathered += text.length;
    parser.write(text);
    if (gathered > CELL_BYTES_MAX)
      throw fail(`a text, tag or comment in it is longer than ${formatCount(CELL_BYTES_MAX)} characters`);
  };
  for await (const chunk of utf8Bytes(source)) {
    for (let at = 0; at < chunk.length; at += PARSED_BYTES) {
      feed(chunk.subarray(at, at + PARSED_BYTES));
      yield;
    }
  }
  feed();
  parser.close();
  yield;
}

/**
 * Returns the bytes of a document in UTF-8, without a byte order mark. A piece is valid only until the next is read.
 * @throws BAD_XML for an encoding that `prolog.ts` does not support, or for invalid bytes
 */
export function utf8Bytes(source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  return toUtf8Stream(copyingHead(source));
}

/**
 * Copies the start, which is held until the declaration is complete, because a source may reuse the memory of a piece.
 */
async function* copyingHead(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  let held = 0;
  for await (const piece of source) {
    yield held < PROLOG_BYTES_MAX ? Buffer.from(piece) : piece;
    held += piece.length;
  }
}

/** Returns a name without its prefix. */
export function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
