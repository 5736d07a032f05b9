import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { isConfiguration } from '../../../kernel/declare/record.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { configurationUses } from '../../../kernel/records/references/configuration-uses.ts';
import { maySearch } from './lib/may-search.ts';
import { readNames } from './lib/read-names.ts';

const rows = {
  Object: required(f.text({ doc: 'The type of the record that uses it.' })),
  ObjectID: required(f.id({ doc: 'That record.' })),
  Name: f.text({ doc: 'Its name.' }),
  ParentObject: f.text({ doc: 'For a part of a template, such as a step: the type of the template.' }),
  ParentID: f.id({ doc: 'The template.' }),
  Field: required(f.text({ doc: 'The field that names it.' })),
  ByName: required(
    f.boolean({ doc: 'Whether it refers to the record by name, so that renaming the record breaks it.' }),
  ),
};

export const operation = defineOperation({
  module: 'configuration',
  name: 'UsedIn',
  method: 'GET',
  summary:
    'Lists the configuration that uses a record of configuration, such as a template: fields that refer to it, and ' +
    'calls that name it. Calls whose parameters are computed are not found. Only records that the user may search ' +
    'are listed.',
  effect: 'read',
  on: 'configuration',
  idempotent: true,
  access: 'signed-in',
  names: { object: 'Object', id: 'ObjectID' },
  params: {
    Object: required(f.text({ doc: 'The record type, such as MessageTemplate.', max: 60, exact: true })),
    ObjectID: required(f.id({ doc: 'The record.' })),
  },
  returns: 'list',
  answerName: 'Use',
  rows,
  errors: ['BAD_PARAMETER', 'NOT_FOUND'],
  source: 'WEB-05',
});

export const run = handle(operation, async (ctx, { Object: object, ObjectID: id }) => {
  const record = ctx.registry.requireRecord(object, 'Object');
  if (!isConfiguration(record)) throw bad('Object', 'a type of configuration, such as MessageTemplate');
  const names = await readNames(ctx, [{ object: record.name, objectId: id }]);
  const name = names.get(record.name)?.get(id) ?? '';
  const isMatrix = record.name === ctx.registry.recordType('Matrix').name;
  // Cells of other matrices name matrices too.
  const uses = isMatrix
    ? (await ctx.call('matrix/usedin', { ID: id })).rows
    : await configurationUses(ctx, { record, id, name });
  return list(
    'Use',
    rows,
    uses.filter((use) => maySearch(ctx, ctx.registry.requireRecord(use.Object, 'Object'))),
  );
});
