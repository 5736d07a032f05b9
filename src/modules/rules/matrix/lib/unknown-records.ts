import { arrayLiteral } from '../../../../kernel/database/store.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { FINDINGS_MAX, type Finding } from './finding.ts';
import { isClear } from './outputs.ts';
import type { Table } from './table.ts';

/** The records that texts reference, by the place of the text: one of them, and how many have this name. */
export interface ReferencedRecords {
  readonly record: RecordType;
  readonly byCode: ReadonlyMap<number, { readonly id: number; readonly count: number }>;
}

/** Looks up the records that texts reference: each is a record's id or its label. */
export async function referencedRecords(
  ctx: Context,
  texts: readonly string[],
  objectType: string,
): Promise<ReferencedRecords> {
  const record = ctx.registry.requireRecord(objectType, 'ObjectType');
  const { table } = record.root;
  const found = await ctx.db.query<{ code: number; id: number; count: number }>(
    `select t.code::integer as code, min(r.${table}id) as id, count(*)::integer as count
      from unnest($1::text[]) with ordinality t(text, code)
      join ${table} r on r.${table} = t.text collate casewright_text or r.${table}id::text = t.text where t.text <> ''
      group by t.code`,
    [arrayLiteral(texts)],
  );
  return { record, byCode: new Map(found.map((row) => [row.code - 1, row])) };
}

/** Finds cells of Object outputs that name no record, or more than one. */
export async function findUnknownRecords(ctx: Context, { outputs, rowNumbers }: Table): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { name, type, objectType, cells } of outputs) {
    if (type !== 'Object' || objectType === undefined || cells.texts.length <= 1) continue;
    const { record, byCode } = await referencedRecords(ctx, cells.texts, objectType);
    for (const [code, text] of cells.texts.entries()) {
      const count = byCode.get(code)?.count ?? 0;
      if (code === 0 || count === 1 || isClear(text) || findings.length >= FINDINGS_MAX) continue;
      const Row = rowNumbers[cells.codes.indexOf(code)] ?? 0;
      findings.push({
        Finding: 'Unreadable',
        Severity: 'Error',
        Row,
        Output: name,
        Title: `Row ${Row}, ${name}, cannot be read`,
        Description:
          `"${text.slice(0, 60)}": expected the name or ID of one ${record.name}; ` +
          `${count > 1 ? `${count} have this name` : 'there is none'}.`,
      });
    }
  }
  return findings;
}
