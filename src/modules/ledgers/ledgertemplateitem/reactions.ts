import { PlatformError } from '../../../kernel/door/errors.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { defineCheck, defineGuard } from '../../../kernel/declare/reaction.ts';
import { keepClosedLines } from '../lib/closed-months.ts';
import { ledgerTemplateItem } from './ledgertemplateitem.record.ts';

export const checks = [
  defineCheck({
    on: ledgerTemplateItem,
    doc: 'ManualInsert is 0, 1 or 2, and no ledger template is below itself.',
    async run(ctx, { values, id }) {
      const { ManualInsert: manual, ChildLedgerTemplateID: child } = values;
      if (typeof manual === 'number' && ![0, 1, 2].includes(manual)) throw bad('ManualInsert', '0, 1 or 2');
      if (typeof child === 'number')
        await assertNotBelowItself(ctx, child, { id, templateId: values.LedgerTemplateID });
    },
  }),
];

export const guards = [
  defineGuard({
    on: ledgerTemplateItem,
    decidesBy: 'record',
    changes: ['update'],
    doc: 'Lines in closed months keep what they took from their template line before it changes.',
    async before(ctx, { id, columns }) {
      if (columns.has('IsDebit') || columns.has('IsTotaled')) await keepClosedLines(ctx, id);
    },
  }),
];

async function assertNotBelowItself(
  ctx: Context,
  child: number,
  { id, templateId }: { readonly id: number | undefined; readonly templateId: number | null | undefined },
): Promise<void> {
  const [circle] = await ctx.db.query<{ path: readonly string[] }>(
    `with recursive own (templateid) as (
       select coalesce($2::bigint,
         (select ledgertemplateid from ledgertemplateitem where ledgertemplateitemid = $3::bigint))
     ), below (templateid, path) as (
       select $1::bigint, array[$1::bigint]
       union all
       select i.childledgertemplateid, b.path || i.childledgertemplateid
       from below b join ledgertemplateitem i on i.ledgertemplateid = b.templateid
       where i.childledgertemplateid is not null and not i.childledgertemplateid = any(b.path)
     )
     select array_to_json(array(select t.ledgertemplate::text from unnest(b.path) with ordinality p (id, n)
         join ledgertemplate t on t.ledgertemplateid = p.id order by n)) as path
     from below b join own o on o.templateid = b.templateid limit 1`,
    [child, templateId ?? null, id ?? null],
  );
  if (circle)
    throw new PlatformError('BAD_PARAMETER', {
      field: 'ChildLedgerTemplateID',
      message: `ChildLedgerTemplateID: the template would be below itself: ${circle.path.join(', then ')}.`,
    });
}
