import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import type { PipelineTemplate } from '../import-template.ts';
import type { ChangedCells } from './changed-cells.ts';

/**
 * Adds a translation to the import type's map of the corrected column, so that later files need no correction. Needs
 * the caller's permission ImportFileMapSave.
 * @throws STATE_REFUSES if the import type does not map the column; BAD_PARAMETER if the values cannot be translated
 */
export async function rememberTranslation(
  own: Context,
  template: PipelineTemplate,
  { changes, from = '' }: { readonly changes: ChangedCells; readonly from: string | undefined },
): Promise<void> {
  const [[column, value] = ['', '']] = Object.entries(changes);
  if (/[=\r\n]/.test(from) || /[\r\n]/.test(value) || from.trim() === '')
    throw new PlatformError('BAD_PARAMETER', {
      field: 'From',
      message: 'From: a value that is translated cannot be empty or have line ends or equals signs.',
    });
  const { rows } = await own.call('importfilemap/search', {
    ImportFileTemplateID: template.id,
    ImportFileMap: `"${column}"`,
    DisplaySize: 1,
    RecordCount: false,
  });
  const [map] = rows;
  if (!map)
    throw new PlatformError('STATE_REFUSES', {
      field: 'Remember',
      message: `Remember: the import type ${template.name} has no map of the column ${column}; add one first.`,
    });
  const others = (map.Translation ?? '')
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '' && !line.toLowerCase().startsWith(`${from.trim().toLowerCase()}=`));
  await own.callNamed('importfilemap/save', {
    ID: map.ImportFileMapID,
    Translation: [...others, `${from.trim()}=${value}`].join('\n'),
  });
}
