/** The rules that templates define for ledgers and lines, cached until configuration changes. */
import type { Context } from '../../../kernel/door/context.ts';
import { isAddedToNew } from '../public/stored-ledgers.ts';
import type { LineDefaults } from './project-line.ts';

/** The rules that a template defines for its ledgers. Texts are trimmed; null if empty. */
export interface LedgerRules {
  readonly id: number;
  readonly name: string;
  readonly currency: string | null;
  readonly refreshOnInsert: boolean;
  readonly calculateMethod: string | null;
  readonly projectMethod: string | null;
  readonly invoiceTemplateId: number | null;
  readonly invoiceMatrixId: number | null;
}

/** Returns the rules that a template defines for its ledgers; undefined for a ledger without one. */
export async function rulesOf(ctx: Context, templateId: number | null): Promise<LedgerRules | undefined> {
  if (templateId === null) return undefined;
  return ctx.configuration.get(`ledger template ${templateId}`, async () => {
    const [row] = await ctx.configuration.db.query<LedgerRules>(
      `select ledgertemplateid as id, ledgertemplate as name, nullif(currency, '') as currency,
         coalesce(refreshoninsert, false) as "refreshOnInsert",
         nullif(btrim(calculatemethod), '') as "calculateMethod", nullif(btrim(projectmethod), '') as "projectMethod",
         invoicetemplateid as "invoiceTemplateId", invoicematrixid as "invoiceMatrixId"
       from ledgertemplate where ledgertemplateid = $1::bigint`,
      [templateId],
    );
    return row;
  });
}

/** Returns the templates whose CalculateMethod decides the totals of their ledgers. */
export function templatesWithMethod(ctx: Context): Promise<ReadonlySet<number>> {
  return ctx.configuration.get('ledger templates with a method', async () => {
    const rows = await ctx.configuration.db.query<{ id: number }>(
      `select ledgertemplateid as id from ledgertemplate where btrim(calculatemethod) <> ''`,
    );
    return new Set(rows.map(({ id }) => id));
  });
}

/** A line of a template. */
export interface LineRules {
  readonly id: number;
  readonly childTemplateId: number | null;
  readonly matrixId: number | null;
  readonly isDebit: boolean | null;
  readonly isTotaled: boolean | null;
  readonly canExclude: boolean | null;
  readonly canRefresh: boolean | null;
  /** Whether a new ledger gets the line. */
  readonly isAdded: boolean;
  readonly defaults: LineDefaults;
}

interface StoredLineRules extends Omit<LineRules, 'isAdded' | 'defaults'> {
  readonly manualInsert: number | null;
  readonly name: string;
  readonly sequence: number | null;
  readonly amountMoney: string | null;
  readonly units: string | null;
  readonly unitCount: string | null;
  readonly rate: string | null;
}

/** Returns the lines of a template in their order. */
export async function lineRulesOf(ctx: Context, templateId: number | null): Promise<readonly LineRules[]> {
  if (templateId === null) return [];
  return ctx.configuration.get(`ledger template lines ${templateId}`, async () => {
    const rows = await ctx.configuration.db.query<StoredLineRules>(
      `select ledgertemplateitemid as id, childledgertemplateid as "childTemplateId", matrixid as "matrixId",
         isdebit as "isDebit", istotaled as "isTotaled", canexclude as "canExclude",
         canrefresh as "canRefresh",
         manualinsert as "manualInsert", ledgertemplateitem as name, sequence,
         amountmoney as "amountMoney", units, unitcount as "unitCount", rate
       from ledgertemplateitem where ledgertemplateid = $1::bigint
       order by sequence nulls last, ledgertemplateitemid`,
      [templateId],
    );
    return rows.map(({ name, sequence, amountMoney, units, unitCount, rate, manualInsert, ...line }) => ({
      ...line,
      isAdded: isAddedToNew(manualInsert),
      defaults: {
        LedgerItem: name,
        Sequence: sequence,
        AmountMoney: amountMoney,
        Units: units,
        UnitCount: unitCount,
        Rate: rate,
      },
    }));
  });
}
