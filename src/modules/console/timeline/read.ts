import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { entryFields, entryRows } from './lib/entry-rows.ts';
import { ENTRY_KINDS } from './lib/entry-sources.ts';
import { parseCursor, parseKinds } from './lib/parse-page.ts';
import { readTimeline } from './lib/read-timeline.ts';

/** Entries of a page, if the caller does not say how many, and most of them. */
const SIZE = 50;
const SIZE_MAX = 200;

export const operation = defineOperation({
  module: 'timeline',
  name: 'Read',
  method: 'GET',
  summary:
    'Returns what happened on a case, newest first: notes, mails, documents, steps, tasks, holds, events, imports ' +
    'and changes of fields. Only what the caller may search and see.',
  effect: 'read',
  idempotent: true,
  access: 'signed-in',
  names: { object: 'Object', id: 'ObjectID' },
  params: {
    Object: required(f.text({ doc: 'The record type of the case, such as Foreclosure.', max: 60, exact: true })),
    ObjectID: required(f.id({ doc: 'The case.' })),
    Kind: f.textList({ doc: `Kinds of entries: ${ENTRY_KINDS.join(', ')}. Empty: all.` }),
    Automatic: f.boolean({ doc: 'Whether to return what the platform did by itself.', default: true }),
    Before: f.text({ doc: 'The Cursor of the last entry of the page before.', max: 200, exact: true }),
    DisplaySize: f.integer({ doc: `How many entries to return, ${SIZE_MAX} at most.`, default: SIZE, max: SIZE_MAX }),
  },
  returns: 'list',
  answerName: 'Entry',
  rows: entryFields,
  errors: ['NOT_FOUND', 'BAD_PARAMETER'],
  source: 'WEB-01',
});

export const run = handle(operation, async (ctx, { Object: name, ObjectID, Kind, Automatic, Before, DisplaySize }) => {
  const entries = await readTimeline(ctx, ctx.registry.requireRecord(name, 'Object'), ObjectID, {
    kinds: parseKinds(Kind),
    isAutomaticShown: Automatic,
    before: parseCursor(Before),
    size: DisplaySize,
  });
  return list('Entry', entryFields, await entryRows(ctx, entries));
});
