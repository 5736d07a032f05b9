import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ContentAnswer } from '../../kernel/answer.ts';
import type { Rendered } from '../../kernel/idempotency.ts';

/** Sends a rendered answer. */
export function sendRendered(reply: FastifyReply, rendered: Rendered): void {
  void reply.code(rendered.status).headers(rendered.headers).send(rendered.body === '' ? undefined : rendered.body);
}

/** Types that a browser may show as they are; others are always saved, so that no stored file can run in the page's place. */
const showable = new Set(['application/pdf', 'image/png', 'image/jpeg', 'image/gif', 'text/plain', 'text/xml', 'application/xml', 'application/json']);

/** Sends a file, streaming. */
export function sendContent(reply: FastifyReply, content: ContentAnswer): void {
  const shown = content.disposition !== 'attachment' && showable.has(content.mime.split(';')[0] ?? '');
  void reply.code(200).type(content.mime);
  if (content.length !== undefined) void reply.header('Content-Length', String(content.length));
  if (content.fileName !== undefined || !shown) void reply.header('Content-Disposition', `${shown ? 'inline' : 'attachment'}${fileNameOf(content.fileName)}`);
  const { bytes } = content;
  if (typeof bytes === 'string') void reply.send(bytes);
  else if (bytes instanceof Uint8Array) void reply.send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  else void reply.send(Readable.from(bytes, { objectMode: false }));
}

/** A file name for old and new clients; quotes, line ends and path signs cannot leave the header. */
function fileNameOf(name: string | undefined): string {
  if (name === undefined) return '';
  const plain = name.replace(/[^\w. -]/g, '_').slice(0, 150);
  return `; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name.slice(0, 200)).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)}`;
}

/**
 * How a missing sign-in is told: an automated caller (no User-Agent, or any SOAPAction) gets the Basic challenge; a browser
 * that asks for a page goes to the sign-in page. Answers true where the reply is complete.
 */
export function refuseUnsigned(request: FastifyRequest, reply: FastifyReply): boolean {
  const { headers } = request;
  const automated = headers['user-agent'] === undefined || (headers['soapaction'] ?? '') !== '';
  const carriesCredentials = headers.authorization !== undefined || headers['x-apikey'] !== undefined;
  if (automated) void reply.header('WWW-Authenticate', 'Basic realm="Casewright", charset="UTF-8"');
  else if (request.method === 'GET' && !carriesCredentials && prefersHtml(headers.accept)) {
    void reply.redirect(`/signin?returnTo=${encodeURIComponent(request.raw.url ?? '/')}`, 302);
    return true;
  }
  return false;
}

/** Whether HTML stands before every other type that the platform answers. */
function prefersHtml(accept: string | undefined): boolean {
  const first = (accept ?? '').split(',')[0]?.split(';')[0]?.trim().toLowerCase();
  return first === 'text/html' || first === 'application/xhtml+xml';
}
