import type { ImportTemplate } from '../../../../contracts/import-engine.ts';
import { fileNamePatterns, fitsFileName } from '../../../../kernel/documents/file-names.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';

/**
 * Checks a submission's name against the import type's `FileNames`, if it has any.
 * @throws BAD_PARAMETER listing them
 */
export function assertFileName(template: Pick<ImportTemplate, 'options'>, fileName: string): void {
  const patterns = fileNamePatterns(template.options.get('filenames') ?? '');
  if (patterns.length > 0 && !fitsFileName(patterns, fileName))
    throw bad(
      'PreTransform_FileName',
      `a name such as ${patterns.join(' or ')}, where * stands for any characters and case matters`,
    );
}
