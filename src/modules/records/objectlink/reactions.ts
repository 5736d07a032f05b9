import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { defineCheck } from '../../../kernel/declare/reaction.ts';
import { requireSide, type SideName } from './lib/link-sides.ts';
import { objectLink } from './objectlink.record.ts';
import { type Values, valueAfter } from '../../../kernel/declare/values.ts';
import { readColumns } from '../../../kernel/records/search/read.ts';
import type { Row } from '../../../kernel/door/answer.ts';

const columns = ['PrimaryObject', 'PrimaryObjectID', 'LinkedObject', 'LinkedObjectID'] as const;

export const checks = [
  defineCheck({
    on: objectLink,
    doc: 'Both records of a link exist, are visible to the user, are named by their concrete types, and differ.',
    async run(ctx, { values, id }) {
      if (!columns.some((name) => values[name] !== undefined)) return;
      const stored = id === undefined ? undefined : await readColumns(ctx.db, objectLink, id, columns);
      const primary = await checkSide(ctx, values, 'Primary', stored);
      const linked = await checkSide(ctx, values, 'Linked', stored);
      if (primary === linked)
        throw new PlatformError('BAD_PARAMETER', {
          field: 'LinkedObjectID',
          message: 'LinkedObjectID: expected a different record: a record cannot be linked to itself.',
        });
    },
  }),
];

async function checkSide(
  ctx: Context,
  values: Values<typeof objectLink>,
  side: SideName,
  stored: Partial<Row<typeof objectLink>> | undefined,
): Promise<string> {
  const className = valueAfter(values, stored, `${side}Object`);
  const found = await requireSide(ctx, side, className, valueAfter(values, stored, `${side}ObjectID`));
  values[`${side}Object`] = found.name;
  return `${found.name}:${found.id}`;
}
