import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { defineChecks } from '../../../kernel/declare/reaction.ts';
import { requireSide, type SideName } from './lib/link-sides.ts';

const columns = ['primaryobject', 'primaryobjectid', 'linkedobject', 'linkedobjectid'] as const;

type Sides = Readonly<Record<(typeof columns)[number], unknown>>;

export const checks = defineChecks([
  {
    on: 'ObjectLink',
    doc: 'Both records of a link exist, are visible to the user, are named by their concrete types, and differ.',
    async run(ctx, _record, values, id) {
      if (!columns.some((name) => values.has(name))) return;
      const [stored] =
        id === undefined
          ? []
          : await ctx.db.query(`select ${columns.join(', ')} from objectlink where objectlinkid = $1::bigint`, [id]);
      const sides = Object.fromEntries(
        columns.map((name) => [name, values.has(name) ? values.get(name) : stored?.[name]]),
      ) as Sides;
      const primary = await checkSide(ctx, values, 'Primary', sides);
      const linked = await checkSide(ctx, values, 'Linked', sides);
      if (primary === linked)
        throw new PlatformError('BAD_PARAMETER', {
          field: 'LinkedObjectID',
          message: 'LinkedObjectID: expected another record than the first; a record is not linked to itself.',
        });
    },
  },
]);

async function checkSide(ctx: Context, values: Map<string, unknown>, side: SideName, sides: Sides): Promise<string> {
  const [className, id] =
    side === 'Primary' ? [sides.primaryobject, sides.primaryobjectid] : [sides.linkedobject, sides.linkedobjectid];
  const found = await requireSide(ctx, side, className, id);
  values.set(`${side.toLowerCase()}object`, found.name);
  return `${found.name}:${found.id}`;
}
