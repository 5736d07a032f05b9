/*
 * The process in which files are read: hostile files can exhaust its memory or its time, and nothing else. It may read
 * the program's own files and write none.
 */
import { UnreadableFile, type OpenText } from '../../contracts/text-reader.ts';
import { formats } from './formats/formats.ts';
import type { ReaderReply, ReaderRequest } from './reader-messages.ts';

type OpenRequest = Extract<ReaderRequest, { kind: 'open' }>;

let arriving: { readonly request: OpenRequest; readonly bytes: Uint8Array; received: number } | undefined;
let opened: OpenText | undefined;
let queue: Promise<void> = Promise.resolve();

process.on('message', (request: ReaderRequest) => {
  queue = queue.then(() => handleRequest(request));
});
// The parent has ended, however that came about.
process.on('disconnect', () => process.exit());

async function handleRequest(request: ReaderRequest): Promise<void> {
  try {
    const reply = await answerTo(request);
    if (reply) process.send?.(reply);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    process.send?.({ kind: error instanceof UnreadableFile ? 'unreadable' : 'failed', message } satisfies ReaderReply);
  }
}

async function answerTo(request: ReaderRequest): Promise<ReaderReply | undefined> {
  switch (request.kind) {
    case 'open':
      arriving = { request, bytes: new Uint8Array(request.size), received: 0 };
      return request.size === 0 ? openArrived() : undefined;
    case 'bytes':
      if (!arriving) return undefined;
      arriving.bytes.set(request.piece, arriving.received);
      arriving.received += request.piece.length;
      return arriving.received < arriving.request.size ? undefined : openArrived();
    case 'pages':
      return { kind: 'pages', pages: await file().pages(request.first, request.count) };
    case 'picture':
      return { kind: 'picture', picture: await file().picture(request.page) };
    case 'image':
      return { kind: 'image', image: await file().image?.(request.page, request.width) };
    case 'close':
      arriving = undefined;
      await opened?.close();
      opened = undefined;
      return { kind: 'closed', memory: process.memoryUsage.rss() };
  }
}

async function openArrived(): Promise<ReaderReply> {
  if (!arriving) throw new Error('no file has arrived');
  const { request, bytes } = arriving;
  arriving = undefined;
  opened = await formats[request.format].open({ name: request.name, bytes });
  const { pageCount, isPaged } = opened;
  return { kind: 'opened', pageCount, isPaged, hasImages: 'image' in opened };
}

function file(): OpenText {
  if (!opened) throw new Error('no file is open');
  return opened;
}
