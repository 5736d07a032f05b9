import { SaxesParser } from 'saxes';
import { PROLOG_BYTES_MAX, toUtf8Stream } from '../../kernel/xml/prolog.ts';
import { CELL_BYTES_MAX, formatCount } from './limits.ts';

/** What is told of a document as it is read. Names stand as they do in it, prefixes included. */
export interface XmlHandler {
  open(name: string, attributes: Readonly<Record<string, string>>, line: number): void;
  close(name: string): void;
  /** Character data, CDATA included, in one or several pieces. */
  text(text: string): void;
  /** Makes the error for what is wrong with the document. */
  fail(message: string, line: number, column: number): Error;
}

/** The deepest nesting that is read: that of a document of the interfaces is 12. */
const XML_DEPTH_MAX = 100;
/** As much is parsed at once, so that rows are handed on and not gathered. */
const PARSED_BYTES = 32 * 1024;

/**
 * Reads a document as a stream, telling `handler` what comes. It yields after every piece, so that who listens can hand on what it
 * has gathered. No DOCTYPE, no entities but those of XML itself; encodings are those of `prolog.ts`.
 */
export async function* xmlEvents(
  source: AsyncIterable<Uint8Array>,
  handler: XmlHandler,
): AsyncGenerator<void, void, undefined> {
  const parser = new SaxesParser({ position: true, xmlns: false, forceXMLVersion: true, defaultXMLVersion: '1.0' });
  // Seven listeners and no more: with the eighth the engine turns the parser's object into a table of names, and reading takes six times as
  // long. So comments and instructions count as part of what stands before them.
  // The parser gathers a text, a tag or a comment until it ends, however long it is.
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
  // It says so after the character behind the name, which may be a line end.
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
      throw fail('it holds bytes that are not of its encoding');
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
 * The bytes of a document in UTF-8, without a mark. What is answered is good until the next is asked for.
 * @throws BAD_XML for an encoding that is none of those of `prolog.ts`, or for bytes that are not of it
 */
export function utf8Bytes(source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  return toUtf8Stream(copyingHead(source));
}

/** The beginning is held until the declaration is whole, while a source may use the memory of a piece again. */
async function* copyingHead(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  let held = 0;
  for await (const piece of source) {
    yield held < PROLOG_BYTES_MAX ? Buffer.from(piece) : piece;
    held += piece.length;
  }
}

/** A name without its prefix. */
export function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
