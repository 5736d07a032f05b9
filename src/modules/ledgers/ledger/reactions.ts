import { bad } from '../../../kernel/parameters/parse-value.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { defineCheck, defineGuard, defineReaction } from '../../../kernel/declare/reaction.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { rulesOf } from '../lib/ledger-template.ts';
import { assertLedgerMonthOpen, CLOSE_MONTH, lockClosedMonths } from '../lib/closed-months.ts';
import { assertLedgerChanges } from '../lib/ledger-locks.ts';
import { addTemplateLines, calculateLedger } from '../lib/save-projection.ts';
import { settingName } from '../../system/public/setting-name.ts';
import { setting } from '../../system/setting/setting.record.ts';
import { isCurrency, ledgerClosedThrough, ledgerCurrency } from './settings.ts';
import { ledger } from './ledger.record.ts';

/** Most ledgers above a ledger, each of which is read and locked when the ledger is moved. */
const PARENTS_MAX = 100;

export const checks = [
  defineCheck({
    on: ledger,
    doc: 'A ledger does not belong to itself, directly or through others.',
    async run(ctx, { values, id }) {
      const { Object: object, ObjectID: parentId } = values;
      if (id === undefined || typeof parentId !== 'number' || object?.toLowerCase() !== 'ledger') return;
      await assertNoCircle(ctx, id, parentId);
    },
  }),
  defineCheck({
    on: ledger,
    doc: "A new ledger has its template's currency. The currency of a ledger with lines does not change.",
    async run(ctx, { values, id }) {
      const sent = values.Currency?.trim().toUpperCase() ?? '';
      if (sent !== '' && !isCurrency(sent)) throw bad('Currency', 'three letters, such as USD');
      const usual = ctx.settings.get(ledgerCurrency);
      if (id === undefined) {
        const template = await rulesOf(ctx, values.LedgerTemplateID ?? null);
        values.Currency = sent === '' ? (template?.currency ?? usual) : sent;
      } else if (values.Currency !== undefined) {
        values.Currency = sent === '' ? usual : sent;
        await assertCurrencyStays(ctx, id, values.Currency);
      }
    },
  }),
];

/**
 * Throws BAD_PARAMETER if a ledger would belong to itself, directly or through others, or to more ledgers than are
 * checked. Locks the ledgers that it would belong to, so that two concurrent calls cannot create a circle.
 */
async function assertNoCircle(ctx: Context, id: number, parentId: number): Promise<void> {
  const seen = new Set<number>();
  for (let at: number | null = parentId; at !== null && !seen.has(at);) {
    if (at === id) throw bad('ObjectID', `another ledger: ledger ${id} would belong to itself`);
    if (seen.size === PARENTS_MAX) throw bad('ObjectID', `a ledger below fewer than ${PARENTS_MAX} others`);
    seen.add(at);
    // Also ledgers that the caller does not see.
    const rows: { parent: number | null }[] = await ctx.transaction().elevated((db) =>
      db.query<{ parent: number | null }>(
        `select case when object = 'Ledger' then objectid end as parent from ledger
         where ledgerid = $1::bigint for no key update`,
        [at],
      ),
    );
    at = rows[0]?.parent ?? null;
  }
}

async function assertCurrencyStays(ctx: Context, id: number, currency: string): Promise<void> {
  const [other] = await ctx.db.query(
    `select 1 from ledger l where l.ledgerid = $1::bigint and l.currency <> $2::text and (
       exists (select from ledgeritem i where i.ledgerid = l.ledgerid)
       or exists (select from ledgeritem i where i.childledgerid = l.ledgerid))`,
    [id, currency],
  );
  if (other)
    throw new PlatformError('STATE_REFUSES', {
      field: 'Currency',
      message: `Currency: ledger ${id} has lines, so its currency cannot be changed.`,
    });
}

export const guards = [
  defineGuard({
    on: ledger,
    decidesBy: 'record',
    changes: ['update', 'delete'],
    doc: 'A locked ledger is unlocked, moved or deleted only by users with the permission LedgerUpdateLocked.',
    before: (ctx, { id, columns }) => assertLedgerChanges(ctx, id, columns),
  }),
  defineGuard({
    on: ledger,
    decidesBy: 'record',
    doc: 'No ledger is posted in a closed month; one that was is not deleted or posted in another.',
    before: assertLedgerMonthOpen,
    after: assertLedgerMonthOpen,
  }),
  defineGuard({
    on: setting,
    decidesBy: 'rights',
    doc: 'Only users with the permission LedgerCloseMonth close months of ledgers, and reopen them.',
    before: assertMayCloseMonth,
    after: assertMayCloseMonth,
  }),
];

async function assertMayCloseMonth(ctx: Context, { id }: { readonly id: number }): Promise<void> {
  const name = await settingName(ctx.db, id);
  if (name?.toLowerCase() !== ledgerClosedThrough.name.toLowerCase()) return;
  await lockClosedMonths(ctx);
  if (ctx.user.permissions.has(CLOSE_MONTH)) return;
  throw new PlatformError('NO_PERMISSION', {
    field: 'Setting',
    message: `Setting: changing ${ledgerClosedThrough.name} needs the permission ${CLOSE_MONTH}.`,
  });
}

export const reactions = [
  defineReaction({
    on: ledger,
    after: ['insert'],
    changesRow: true,
    doc: "A new ledger gets its template's lines whose ManualInsert is not 1, and is calculated with RefreshOnInsert.",
    async run(ctx, row, _change, changed) {
      // A ledger that is restored has its lines.
      if (row.LedgerTemplateID === null || !changed.has('LedgerTemplateID')) return row;
      await addTemplateLines(ctx, row);
      if ((await rulesOf(ctx, row.LedgerTemplateID))?.refreshOnInsert)
        await calculateLedger(ctx, row, { projects: true });
      return undefined;
    },
  }),
];
