import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { changedConfiguration, listedConfiguration } from '../../../kernel/records/history/changed-configuration.ts';
import { maySearch } from './lib/may-search.ts';
import { readNames } from './lib/read-names.ts';

/** Most records that are listed. */
const RECORDS_MAX = 200;

const rows = {
  Object: required(f.text({ doc: 'The record type.' })),
  ObjectID: required(f.id({ doc: 'The record.' })),
  Name: f.text({ doc: 'Its name; empty if it was deleted.' }),
  At: required(f.timestamp({ doc: 'Its latest change in the span.' })),
  Change: required(f.text({ doc: 'That change: insert, update, delete or undelete.' })),
  PersonID: f.id({ doc: 'Who made it.', to: 'Person' }),
  ChangeCount: required(f.integer({ doc: 'How many changes it had in the span.' })),
};

export const operation = defineOperation({
  module: 'configuration',
  name: 'Changes',
  method: 'GET',
  summary:
    'Lists the records of configuration that were created, changed or deleted in a period, the latest first, at ' +
    'most 200, of the types that the user may search. The history of a record has its changed fields, and the ' +
    'versions of a matrix its changed cells.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: {
    Since: required(f.timestamp({ doc: 'The beginning.' })),
    Until: f.timestamp({ doc: 'The end. Empty: now.' }),
  },
  returns: 'list',
  answerName: 'Change',
  rows,
  errors: ['BAD_PARAMETER'],
  source: 'WEB-05',
});

export const run = handle(operation, async (ctx, { Since: since, Until: until }) => {
  // The role under which firms read cannot read history.
  const records = ctx.user.universal ? listedConfiguration(ctx.registry).filter((each) => maySearch(ctx, each)) : [];
  const changed = await changedConfiguration(ctx.db, records, { since, until: until ?? undefined }, RECORDS_MAX);
  const names = await readNames(
    ctx,
    changed.map(({ record, id }) => ({ object: record.name, objectId: id })),
  );
  return list(
    'Change',
    rows,
    changed.map(({ record, id, at, change, personId, count }) => ({
      Object: record.name,
      ObjectID: id,
      Name: names.get(record.name)?.get(id) ?? null,
      At: at,
      Change: change,
      PersonID: personId,
      ChangeCount: count,
    })),
  );
});
