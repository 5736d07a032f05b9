import { createHash } from 'node:crypto';
import { f } from '../../../../kernel/declare/field.ts';
import { listedRows, type NamedMatrix } from './missing-matrices.ts';
import type { Table } from './table.ts';

/** Most findings of one kind that are returned. */
export const FINDINGS_MAX = 100;

/** The kinds of findings. */
const findingKinds = [
  'Unreadable',
  'Contradiction',
  'Read as text',
  'Odd one out',
  'Missing matrix',
  'Circle',
  'Duplicate',
  'Unreachable',
  'Tie',
  'Overlap',
  'Gap',
] as const;

/** The columns of a finding. */
export const findingFields = {
  Finding: f.choice(findingKinds, {
    doc:
      'Unreadable: a cell of a draft that cannot be read. Contradiction: a cell that nothing can match. Read as ' +
      'text: a cell that looks like a range, date, list or operator, but is compared as text. Odd one out: a text in ' +
      'an input that is mostly numbers or days. ' +
      'Missing matrix: a cell that names a matrix which does not exist. Circle: a cell that names a matrix which ' +
      'leads back to this one. Duplicate: rows with the same conditions, of which the first decides. ' +
      'Unreachable: a row that a row before it always beats. Tie: rows with different outputs that can match equally ' +
      'well, so that their order decides. Overlap: rows with different outputs that can both match, of which the one ' +
      'with more weight decides; not of a row and a wider one. Gap: values for which no row is eligible.',
  }),
  Severity: f.choice(['Error', 'Warning'], { doc: 'Error: a draft with it cannot be published.' }),
  Row: f.integer({ doc: 'The row. Empty for a gap.' }),
  OtherRow: f.integer({ doc: 'The row that beats it or ties with it.' }),
  Input: f.text({ doc: 'The input, for a finding about one cell and for a gap of a single input.' }),
  Output: f.text({ doc: 'The output, for a missing matrix and a circle.' }),
  Title: f.text({ doc: 'The finding in a few words: Rows 7 and 8 tie.' }),
  Description: f.text({ doc: 'The finding.' }),
  Cells: f.json({ doc: 'Of a gap: the cells of a row that would fill it, by input.' }),
  Key: f.text({ doc: 'Identifies the finding as long as its rows stay the same. A warning is accepted by it.' }),
};

/** One finding. */
export interface Finding {
  readonly Finding: (typeof findingKinds)[number];
  readonly Severity: 'Error' | 'Warning';
  readonly Title: string;
  readonly Cells?: Readonly<Record<string, string>>;
  readonly Row?: number;
  readonly OtherRow?: number;
  readonly Input?: string;
  readonly Output?: string;
  readonly Description: string;
}

/** Returns findings about cells that name a matrix. */
export function toFindings(
  kind: 'Missing matrix' | 'Circle',
  cells: readonly NamedMatrix[],
  describe: (name: string) => string,
): Finding[] {
  return cells.slice(0, FINDINGS_MAX).map(({ output, name, rows }) => ({
    Finding: kind,
    Severity: kind === 'Circle' ? 'Error' : 'Warning',
    Row: rows[0] ?? 0,
    Output: output,
    Title: kind === 'Circle' ? `Row ${rows[0] ?? 0} leads back here` : `Row ${rows[0] ?? 0} names no matrix`,
    Description: `${describe(name.slice(0, 100))} ${listedRows(rows)}.`,
  }));
}

/** Characters of a key: 128 bits in hexadecimal. */
const KEY_LENGTH = 32;

/** Returns a text that stays the same as long as the finding and the content of its rows do, wherever the rows are. */
export function findingKey(finding: Finding, { inputs, outputs, rowNumbers }: Table): string {
  const contentOf = (number: number | undefined): readonly string[] => {
    const row = number === undefined ? -1 : rowNumbers.indexOf(number);
    return row < 0
      ? []
      : [...inputs, ...outputs].map(({ name, cells }) => `${name}=${cells.texts[cells.codes[row] ?? 0] ?? ''}`);
  };
  const rows = [contentOf(finding.Row), contentOf(finding.OtherRow)].map((cells) => cells.join('\n')).sort();
  const described = finding.Finding === 'Gap' ? finding.Description : [finding.Input ?? '', finding.Output ?? ''];
  return createHash('sha256')
    .update(JSON.stringify([finding.Finding, rows, described]))
    .digest('hex')
    .slice(0, KEY_LENGTH);
}
