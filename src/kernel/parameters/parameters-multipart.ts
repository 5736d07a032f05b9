import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { PlatformError } from '../door/errors.ts';
import { ParameterCollector, type Parameters } from './parameters.ts';

/** A part of a form: a text, or a file of bytes. */
type Part =
  | { readonly name: string; readonly text: string }
  | { readonly name: string; readonly bytes: Buffer; readonly fileName: string };

/**
 * Returns the parameters of a form with files, as browsers and `curl -F` send it. A file is a parameter of its bytes as
 * base64; the name of the first is the parameter FileName, unless that is sent.
 * @throws BAD_PARAMETER for a body that is no such form, or that is not UTF-8 outside of files
 */
export async function parametersFromMultipart(bytes: Buffer, contentType: string): Promise<Parameters> {
  const collector = new ParameterCollector();
  let fileName: string | undefined;
  let hasFileName = false;
  for (const part of await partsOf(bytes, contentType)) {
    collector.visit();
    hasFileName ||= part.name.toLowerCase() === 'filename';
    if ('text' in part) collector.add(utf8(part.name), utf8(part.text));
    else {
      fileName ??= part.fileName;
      collector.add(utf8(part.name), part.bytes.toString('base64'));
    }
  }
  if (fileName !== undefined && !hasFileName) collector.add('FileName', utf8(fileName));
  return collector.all();
}

function partsOf(bytes: Buffer, contentType: string): Promise<readonly Part[]> {
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown): void => {
      reject(
        new PlatformError('BAD_PARAMETER', {
          message: 'The body is not a complete multipart/form-data document with the boundary of its Content-Type.',
          cause,
        }),
      );
    };
    let parser: BusboyInstance;
    try {
      // The whole body is bounded already, so that no part of it need be.
      parser = new Busboy({
        headers: { 'content-type': contentType },
        limits: { fieldSize: bytes.length, fieldNameSize: bytes.length },
      });
    } catch (error) {
      fail(error);
      return;
    }
    const parts: Part[] = [];
    // The parser has no name where the part has none, whatever its types say.
    const named = (name: string | undefined): name is string => {
      if (name === undefined) fail(new Error('a part without a name'));
      return name !== undefined;
    };
    parser.on('field', (name, text) => {
      if (named(name)) parts.push({ name, text });
    });
    parser.on('file', (name, stream, fileName) => {
      if (!named(name)) return void stream.resume();
      const pieces: Buffer[] = [];
      stream.on('data', (piece: Buffer) => pieces.push(piece));
      stream.on('error', fail);
      stream.on('end', () => parts.push({ name, bytes: Buffer.concat(pieces), fileName }));
    });
    parser.on('error', fail);
    parser.on('finish', () => {
      resolve(parts);
    });
    parser.end(bytes);
  });
}

/** Refuses text in which the decoder has replaced invalid bytes: it would store something else than was sent. */
function utf8(text: string): string {
  if (!text.includes('\uFFFD')) return text;
  throw new PlatformError('BAD_PARAMETER', { message: 'The body is not UTF-8 text.' });
}
