import type { OptionValues } from '../../../contracts/provider-options.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import type { ParameterFields } from '../../../kernel/declare/field-types.ts';
import { priceOptions } from '../prices.ts';

/** Options of a mail house that takes letters from a folder. */
export const folderMailHouseOptions = {
  Location: required(f.text({ doc: 'The storage location that the mail house reads, by name.', max: 100 })),
  Path: f.text({ doc: 'The folder of submissions.', max: 500, exact: true, default: '/outbox' }),
  AcknowledgmentPath: f.text({
    doc: 'The folder in which the mail house acknowledges a submission before it removes it.',
    max: 500,
    exact: true,
    default: '/acknowledged',
  }),
  ...priceOptions,
} as const satisfies ParameterFields;

/** Options of a saved mail house of this kind. */
export type FolderMailHouseOptions = OptionValues<typeof folderMailHouseOptions>;
