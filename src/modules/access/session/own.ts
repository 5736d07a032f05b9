import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { ownOpenSessions } from './lib/own-sessions.ts';

const sessions = {
  SessionID: required(f.id({ doc: 'The session.' })),
  Session: f.text({ doc: "The browser's User-Agent." }),
  Address: f.text({ doc: 'The network address of the sign-in.' }),
  SignedInDate: required(f.timestamp({ doc: 'When it was opened.' })),
  LastSeen: f.timestamp({ doc: 'When it was last used, to the minute.' }),
  Expires: f.timestamp({ doc: 'When it ends at the latest.' }),
  IsCurrent: required(f.boolean({ doc: 'Whether the call comes from it.' })),
};

export const operation = defineOperation({
  module: 'session',
  name: 'Own',
  method: 'GET',
  summary: "Returns the caller's own open browser sessions, the last used first.",
  effect: 'read',
  idempotent: true,
  access: 'signed-in',
  params: {},
  returns: 'list',
  answerName: 'OwnSession',
  rows: sessions,
  errors: [],
  source: 'checklist WEB-06',
});

export const run = handle(operation, async (ctx) => list('OwnSession', sessions, await ownOpenSessions(ctx)));
