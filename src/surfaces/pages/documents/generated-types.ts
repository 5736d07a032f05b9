import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import type { RecordType } from '../../../kernel/declare/record.ts';
import type { Choice } from '../design/field.ts';
import type { PageCall } from '../page-call.ts';

export type TypeRow = RowNamed<'AttachmentTemplate'>;

/** Types to choose from. */
const TYPES_MAX = 200;

/** Returns the active document types that are generated, and apply to a record or, of a list of cases, to some. */
export async function generatedTypes(call: PageCall, record: RecordType): Promise<readonly TypeRow[]> {
  const { answer } = await call.call('attachmenttemplate/search', {
    OrderBy: 'AttachmentTemplate',
    DisplaySize: TYPES_MAX,
    RecordCount: 'false',
  });
  const { registry } = call.platform;
  const fits = new Set<unknown>([null, '']);
  for (let at: RecordType | undefined = record; at; at = at.base) fits.add(at.name);
  const isAnyCase = record.name === 'CaseSummary' || record.name === 'Process';
  if (isAnyCase) for (const { name } of registry.family(registry.recordType('Process'))) fits.add(name);
  return answer.rows.filter(
    (row) => (row.AttachmentService ?? '') !== '' && row.Status !== 'Inactive' && fits.has(row.AppliesTo),
  );
}

/** Returns document types as the choices of a field. */
export function typeChoices(types: readonly TypeRow[]): Choice[] {
  return types.map((row) => ({
    value: String(row.AttachmentTemplateID),
    text: row.AttachmentTemplate ?? `Type ${row.AttachmentTemplateID}`,
  }));
}
