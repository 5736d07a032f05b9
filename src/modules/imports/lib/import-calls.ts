import type { ConfiguredCall } from '../../../kernel/declare/call-source.ts';
import type { Context } from '../../../kernel/door/context.ts';
import type { Row } from '../../../kernel/door/answer.ts';
import { readRecord } from '../../../kernel/records/search/read.ts';
import type { importFileTemplate } from '../importfiletemplate/importfiletemplate.record.ts';
import type { importFileMap } from '../records/importfilemap.record.ts';

/** An import type as far as it names calls. */
type ImportType = Pick<
  Row<typeof importFileTemplate>,
  | 'AppliesTo'
  | 'ParameterString'
  | 'ImportStatement'
  | 'ResultMethod'
  | 'ValidateStatement'
  | 'EndImportMethod'
  | 'DecisionTemplateID'
>;

/** An ImportStatement may be SQL for the staging tables instead. */
const SIGNATURE = /^\s*\/?(?:api\/)?[A-Za-z]\w*\/[A-Za-z]/;

/** Returns the calls of an import type: that of each row, its methods, and the start of its workflow. */
export function importTypeCalls(_ctx: Context, row: ImportType): readonly ConfiguredCall[] {
  const calls: ConfiguredCall[] = [];
  const route = rowRoute(row);
  if (route !== undefined) calls.push({ field: 'AppliesTo', signature: route });
  for (const field of ['ResultMethod', 'ValidateStatement', 'EndImportMethod', 'ImportStatement'] as const) {
    const text = row[field] ?? '';
    if (text.trim() !== '' && (field !== 'ImportStatement' || SIGNATURE.test(text)))
      calls.push({ field, signature: text });
  }
  if (row.DecisionTemplateID !== null)
    calls.push({ field: 'DecisionTemplateID', signature: 'decision/save', basis: String(row.DecisionTemplateID) });
  return calls;
}

/** Returns the call of an import type's rows, with the parameter that a map fills in. */
export async function importMapCalls(ctx: Context, row: Row<typeof importFileMap>): Promise<readonly ConfiguredCall[]> {
  const { ImportFileTemplateID: templateId, Destination: destination } = row;
  if ((destination ?? '') === '') return [];
  const route = rowRoute(await readRecord(ctx.db, ctx.registry.recordType('ImportFileTemplate'), templateId));
  if (route === undefined) return [];
  const signature = `${route}?${encodeURIComponent(destination ?? '')}=`;
  return [{ field: 'Destination', signature, basis: row.Translation ?? '' }];
}

/** Returns what each row calls; undefined where the engine, or each row of a batch, decides. */
function rowRoute({ AppliesTo, ParameterString }: ImportType): string | undefined {
  const options = new Map(
    [...new URLSearchParams(ParameterString ?? '')].map(([name, value]) => [name.trim().toLowerCase(), value]),
  );
  const module = (options.get('classname') ?? AppliesTo ?? '').trim();
  const operation = (options.get('operation') ?? '').trim();
  return /^\w+$/.test(module) ? `${module}/${operation === '' ? 'save' : operation}` : undefined;
}
