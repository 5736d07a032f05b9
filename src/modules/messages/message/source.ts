import type { ContentAnswer } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { sourceHeaders, sourceOf } from '../lib/reading/message-source.ts';

export const operation = defineOperation({
  module: 'message',
  name: 'Source',
  method: 'GET',
  summary:
    'Returns the raw mail of a received message: all of it as an .eml file, or only its headers as text. ' +
    'For users with universal access.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: {
    ID: required(f.id({ doc: 'The message.' })),
    HeadersOnly: f.boolean({ doc: 'Whether only the headers are sent.', default: false }),
  },
  returns: 'content',
  errors: ['NO_PERMISSION', 'NOT_FOUND', 'UNAVAILABLE', 'DOCUMENT_NOT_SCANNED', 'DOCUMENT_INFECTED'],
  source: 'checklist MSG-05',
});

export const run = handle(operation, async (ctx, { ID, HeadersOnly }): Promise<ContentAnswer> => {
  // The raw mail names recipients of blind copies and the servers that it passed.
  if (!ctx.user.universal)
    throw new PlatformError('NO_PERMISSION', {
      message: 'Only users with universal access can download the raw mail.',
    });
  const file = await sourceOf(ctx, ID);
  if (!HeadersOnly) return file;
  return {
    kind: 'content',
    mime: 'text/plain; charset=utf-8',
    disposition: 'inline',
    bytes: await sourceHeaders(file),
  };
});
