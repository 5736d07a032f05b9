import { IMPORT_ENGINE, type ImportSource, type ImportTemplate } from '../../../../contracts/import-engine.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { f } from '../../../../kernel/declare/field.ts';
import { permittedEngine } from './open-import-file.ts';
import { importTemplate } from './import-template.ts';

/** Fields of an import type that recognizes a document. */
export const detectedFields = {
  ImportFileTemplateID: f.id({ doc: 'The template.' }),
  ImportFileTemplate: f.text({ doc: 'Its name.', max: 100 }),
  ImportEngine: f.text({ doc: 'Its engine.', max: 100 }),
};

/** An import type that recognizes a document. */
export interface DetectedTemplate {
  readonly ImportFileTemplateID: number;
  readonly ImportFileTemplate: string;
  readonly ImportEngine: string;
  /** Number of columns or elements expected by name; the higher, the less likely a chance match. */
  readonly Expected: number;
}

/** Returns every active import type whose engine recognizes a document, by name. */
export async function detectTemplates(ctx: Context, source: ImportSource): Promise<readonly DetectedTemplate[]> {
  const ids = await ctx.db.query<{ id: number }>(
    `select importfiletemplateid as id from importfiletemplate where coalesce(status, 'Active') = 'Active'
      order by importfiletemplate, importfiletemplateid`,
  );
  const known = new Set(ctx.providers.names(IMPORT_ENGINE).map((name) => name.toLowerCase()));
  const found: DetectedTemplate[] = [];
  for (const { id } of ids) {
    const template = await importTemplate(ctx, id);
    // Skip import types whose engine this installation does not have.
    if (!known.has(template.engine.toLowerCase())) continue;
    const engine = permittedEngine(ctx, template);
    if (engine && (await engine.detect(source, template)))
      found.push({
        ImportFileTemplateID: id,
        ImportFileTemplate: template.name,
        ImportEngine: template.engine,
        Expected: expectedColumnCount(template),
      });
  }
  return found;
}

function expectedColumnCount({ maps }: ImportTemplate): number {
  return maps.filter(({ type }) => type === 'Column' || type === 'Key').length;
}
