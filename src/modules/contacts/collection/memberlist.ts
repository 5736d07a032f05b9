import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { f } from '../../../kernel/declare/field.ts';
import { memberPage, memberFields, readAllMembers, pageFields } from './lib/collection-members.ts';

export const operation = defineOperation({
  module: 'collection',
  name: 'MemberList',
  method: 'GET',
  summary:
    'Lists the members of a collection that count today, those of the lowest Priority first. Records that are out of reach or gone are left out.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: {
    CollectionID: f.id({ doc: 'The collection.', to: 'Collection' }),
    Collection: f.text({ doc: 'The collection by its name, where CollectionID is not sent.', max: 100 }),
    SourceObject: f.text({
      doc: 'With a name: the record type of the members, where collections of several types have that name.',
      max: 60,
    }),
    AsOf: f.date({
      doc: "The day for which members count; today in the installation's time zone where it is not sent.",
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
