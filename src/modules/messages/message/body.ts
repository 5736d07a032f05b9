import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { frameDocument, framePolicy } from '../../../lib/html-sanitizer/frame-document.ts';
import { messageFrame } from '../lib/reading/message-frame.ts';

export const operation = defineOperation({
  module: 'message',
  name: 'Body',
  method: 'GET',
  summary:
    "Sends a message's body as a page for a sandboxed frame: HTML without scripts, forms, external content or names, " +
    'or its text. Pictures that came with it are included; those of other servers only with Images.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  permission: 'MessageSelect',
  names: 'ID',
  reach: 'row',
  params: {
    ID: required(f.id({ doc: 'The message.' })),
    Images: f.boolean({
      doc: 'Whether pictures of other servers are shown, which then learn that the message is read.',
      default: false,
    }),
  },
  returns: 'content',
  errors: ['NOT_FOUND'],
  source: 'checklist MSG-15',
});

export const run = handle(operation, async (ctx, { Images }) => {
  const frame = await messageFrame(ctx, namedRow(ctx, ctx.record), { remoteImages: Images });
  return {
    kind: 'content',
    mime: 'text/html; charset=utf-8',
    framePolicy: framePolicy(frame),
    bytes: frameDocument(frame),
  } as const;
});
