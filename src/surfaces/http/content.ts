import { sendPieces, startPieces } from './pieces.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ContentAnswer } from '../../kernel/door/answer.ts';

/** Types that browsers may show inline; others are always saved, so that no stored file can run as a page. */
const showable = new Set([
  'application/pdf',
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'text/plain',
]);
/** Types of documents that the platform itself writes, such as a schema. No stored file is shown as one of them. */
const ownTypes = new Set(['text/xml', 'application/xml', 'application/json']);

/** Content security policy of a displayed file: no origin, script or loading; framed by the platform's pages only. */
const SANDBOX_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; frame-ancestors 'self'";
/**
 * Policy for PDF: browsers show none in a sandbox, and their viewers style themselves and embed the file; scripts in it
 * never run as the page's.
 */
const INLINE_PDF_POLICY = "default-src 'none'; style-src 'unsafe-inline'; object-src 'self'; frame-ancestors 'self'";

/**
 * Streams a file: whole, the requested part, or nothing if the caller has it (RFC 9110, 13 and 14). A request for
 * several parts, or with an outdated `If-Range`, gets the whole. Throws what opening the file throws: nothing is sent,
 * and no header is set, before the first bytes are read.
 */
export async function sendContent(request: FastifyRequest, reply: FastifyReply, content: ContentAnswer): Promise<void> {
  if (isNotModified(request, content)) {
    setContentHeaders(reply, content);
    return void reply.code(304).send();
  }
  const range = requestedRange(request, content);
  if (range === 'beyond') {
    sendBeyond(reply, content);
    return;
  }
  const { bytes } = range === 'whole' ? content : { bytes: content.part?.(range.start, range.end) ?? '' };
  if (request.method === 'HEAD') {
    setRangeHeaders(reply, content, range);
    return void reply.send();
  }
  const opened = typeof bytes === 'string' || bytes instanceof Uint8Array ? bytes : await startPieces(bytes);
  setRangeHeaders(reply, content, range);
  if (typeof opened === 'string') void reply.send(opened);
  else if (opened instanceof Uint8Array) void reply.send(Buffer.from(opened.buffer, opened.byteOffset, opened.length));
  else sendPieces(reply, opened);
}

function sendBeyond(reply: FastifyReply, content: ContentAnswer): void {
  setContentHeaders(reply, content);
  void reply
    .code(416)
    .header('Content-Range', `bytes */${content.length}`)
    .removeHeader('Content-Disposition')
    .type('text/plain; charset=utf-8')
    .send('The range is beyond the end of the file.\n');
}

/** Sets the status and all headers of a file, or of a part of it. */
function setRangeHeaders(reply: FastifyReply, content: ContentAnswer, range: Range | 'whole'): void {
  setContentHeaders(reply, content);
  void reply.code(range === 'whole' ? 200 : 206).type(content.mime);
  if (range !== 'whole') void reply.header('Content-Range', `bytes ${range.start}-${range.end - 1}/${content.length}`);
  const size = range === 'whole' ? content.length : range.end - range.start;
  if (size !== undefined) void reply.header('Content-Length', String(size));
}

/** Sets the headers that describe the content, whether the response carries it or not. */
function setContentHeaders(reply: FastifyReply, content: ContentAnswer): void {
  const { fileName, tag, modified, part, length } = content;
  const shown = isShown(content);
  if (fileName !== undefined || !shown)
    void reply.header('Content-Disposition', `${shown ? 'inline' : 'attachment'}${dispositionFileName(fileName)}`);
  const policy = policyOf(content, shown);
  if (policy !== undefined) void reply.header('Content-Security-Policy', policy);
  if (tag !== undefined) void reply.header('ETag', `"${tag}"`);
  if (modified !== undefined) void reply.header('Last-Modified', new Date(modified).toUTCString());
  void reply.header('Accept-Ranges', part !== undefined && length !== undefined ? 'bytes' : 'none');
}

/** Whether browsers show the content instead of saving it. */
function isShown({ mime, disposition, framePolicy }: ContentAnswer): boolean {
  if (disposition === 'attachment') return false;
  const type = mime.split(';')[0] ?? '';
  return showable.has(type) || framePolicy !== undefined || (disposition === undefined && ownTypes.has(type));
}

/** Returns the content security policy of files and frames; undefined for documents of the platform itself. */
function policyOf({ mime, disposition, framePolicy }: ContentAnswer, shown: boolean): string | undefined {
  if (framePolicy !== undefined || disposition === undefined) return framePolicy;
  return shown && mime.startsWith('application/pdf') ? INLINE_PDF_POLICY : SANDBOX_POLICY;
}

/** Whether the caller has this content. A tag takes precedence over a date, which has whole seconds only. */
function isNotModified(request: FastifyRequest, { tag, modified }: ContentAnswer): boolean {
  const { headers } = request;
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  const tags = headers['if-none-match'];
  if (tags !== undefined)
    return (
      tag !== undefined && tags.split(',').some((each) => ['*', `"${tag}"`].includes(each.trim().replace(/^W\//, '')))
    );
  const since = Date.parse(headers['if-modified-since'] ?? '');
  return modified !== undefined && !Number.isNaN(since) && Math.floor(Date.parse(modified) / 1000) * 1000 <= since;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Returns the requested part. An invalid range is ignored, as the standard requires. */
function requestedRange(request: FastifyRequest, content: ContentAnswer): Range | 'whole' | 'beyond' {
  const { length } = content;
  if (length === undefined || content.part === undefined || request.method !== 'GET') return 'whole';
  const match = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/.exec(request.headers.range ?? '');
  const [, first = '', last = ''] = match ?? [];
  if (!match || `${first}${last}` === '' || !ifRangeHolds(request, content)) return 'whole';
  return first === '' ? suffixRange(Number(last), length) : boundedRange(Number(first), last, length);
}

/** `-500`: the last bytes. */
function suffixRange(count: number, length: number): Range | 'beyond' {
  return count === 0 || length === 0 ? 'beyond' : { start: Math.max(0, length - count), end: length };
}

/** `0-499`, or `500-` to the end. */
function boundedRange(start: number, last: string, length: number): Range | 'whole' | 'beyond' {
  if (last !== '' && Number(last) < start) return 'whole';
  if (start >= length) return 'beyond';
  return { start, end: last === '' ? length : Math.min(length, Number(last) + 1) };
}

/** Whether `If-Range` holds: a part is useful only if the caller's other parts are of the same content. */
function ifRangeHolds(request: FastifyRequest, { tag, modified }: ContentAnswer): boolean {
  const sent = request.headers['if-range'];
  if (typeof sent !== 'string') return true;
  if (sent.startsWith('"')) return sent === `"${tag}"`;
  return modified !== undefined && sent === new Date(modified).toUTCString();
}

/** Most characters of a file name sent; the longest stored is 255. */
const NAME_CHARACTERS_MAX = 255;

/**
 * Returns the file name for old and new clients (RFC 6266); quotes, line ends and path separators cannot leave the
 * header.
 */
function dispositionFileName(name: string | undefined): string {
  if (name === undefined) return '';
  const shortName = Array.from(name.toWellFormed()).slice(0, NAME_CHARACTERS_MAX).join('');
  const plain = shortName.replace(/[^\w. -]/g, '_').slice(0, 150);
  const percentEncoded = (c: string): string => `%${c.charCodeAt(0).toString(16).toUpperCase()}`;
  const extended = encodeURIComponent(shortName).replace(/['()*]/g, percentEncoded);
  return `; filename="${plain}"; filename*=UTF-8''${extended}`;
}
