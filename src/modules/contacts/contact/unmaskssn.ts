import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { requireColumn } from '../../../kernel/declare/values.ts';
import { protectionPurpose } from '../../../kernel/records/save/protect.ts';

/** Most numbers that one call unmasks: more take further calls, each recorded in the security log. */
const UNMASK_MAX = 100;

const rows = {
  ContactID: required(f.id({ doc: 'The contact.' })),
  USSSN: f.personal({
    doc: 'The Social Security number in the clear, as 123-45-6789. Absent if the contact has none.',
    max: 11,
  }),
};

export const operation = defineOperation({
  module: 'contact',
  name: 'UnmaskSSN',
  method: 'GET',
  summary:
    'Returns Social Security numbers of contacts in the clear, at most 100 per call. Writes each contact to ' +
    'the security log.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  permission: 'UnmaskSSN',
  names: 'ID',
  params: { ID: required(f.idList({ doc: 'The contacts.', max: UNMASK_MAX })) },
  secretAnswer: true,
  returns: 'list',
  answerName: 'Contact',
  rows,
  errors: ['NO_PERMISSION', 'NOT_FOUND', 'TOO_LARGE'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, { ID }) => {
  // Log first, each entry in its own transaction: whatever happens to the call, no number is returned that is not
  // logged.
  const { address } = ctx;
  for (const id of ID) await ctx.security({ event: 'SSNUnmasked', object: 'Contact', objectId: id, address });
  const column = requireColumn(ctx.record, 'USSSN');
  const stored = await ctx.db.query<{ id: number; sealed: Uint8Array | null }>(
    'select contactid as id, usssncipher as sealed from contact where contactid = any($1::bigint[])',
    [`{${ID.join(',')}}`],
  );
  const byId = new Map(stored.map((row) => [row.id, row.sealed]));
  return list(
    'Contact',
    rows,
    ID.map((id) => ({
      ContactID: id,
      USSSN: plainNumber(byId.get(id), (sealed) => ctx.cipher.open(protectionPurpose(column), sealed).toString()),
    })),
  );
});

function plainNumber(sealed: Uint8Array | null | undefined, open: (sealed: Uint8Array) => string): string | null {
  return sealed ? open(sealed).replace(/^(\d{3})(\d{2})(\d{4})$/, '$1-$2-$3') : null;
}
