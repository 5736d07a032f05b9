import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { f } from '../../../kernel/declare/field.ts';
import { memberPage, memberFields, readAllMembers, pageFields } from './lib/collection-members.ts';

export const operation = defineOperation({
  module: 'collection',
  name: 'MemberList',
  method: 'GET',
  summary:
    'Lists the members of a collection that count today, lowest Priority first. Leaves out records that were ' +
    'deleted or that you cannot see.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: {
    CollectionID: f.id({ doc: 'The collection.', to: 'Collection' }),
    Collection: f.text({ doc: 'The collection by name, if CollectionID is not sent.', max: 100 }),
    SourceObject: f.text({
      doc: 'With a name: the record type of the members, if collections of several types have that name.',
      max: 60,
    }),
    AsOf: f.date({
      doc: "The day for which members count. Default: today in the installation's time zone.",
    }),
    ...pageFields,
  },
  returns: 'list',
  answerName: 'CollectionMember',
  rows: memberFields,
  readWhole: (ctx, params, _rest, take) => readAllMembers(ctx, params, take),
  errors: ['MISSING_PARAMETER', 'NOT_FOUND', 'BAD_PARAMETER'],
  source: '1-core §4',
});

export const run = handle(operation, (ctx, params) => memberPage(ctx, params));
