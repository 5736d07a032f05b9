import type { ImportSource, ImportTemplate } from '../../../../contracts/import-engine.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { f } from '../../../../kernel/declare/field.ts';
import { engineFor, IMPORT_ENGINE } from './open-file.ts';
import { importTemplate } from './template.ts';

/** What is told of a template that recognises a document. */
export const recognisedFields = {
  ImportFileTemplateID: f.id({ doc: 'The template.' }),
  ImportFileTemplate: f.text({ doc: 'Its name.', max: 100 }),
  ImportEngine: f.text({ doc: 'Its engine.', max: 100 }),
};

/** A template that recognises a document. */
export interface Recognised {
  readonly ImportFileTemplateID: number;
  readonly ImportFileTemplate: string;
  readonly ImportEngine: string;
  /** How many columns or elements it expects by name: the more, the less by chance it fits. */
  readonly Expected: number;
}

/** Every active template whose engine recognises a document, by name. */
export async function templatesThatRecognise(ctx: Context, source: ImportSource): Promise<readonly Recognised[]> {
  const ids = await ctx.db.query<{ id: number }>(
    "select importfiletemplateid as id from importfiletemplate where coalesce(status, 'Active') = 'Active' order by importfiletemplate, importfiletemplateid",
  );
  const known = new Set(ctx.providers.names(IMPORT_ENGINE).map((name) => name.toLowerCase()));
  const found: Recognised[] = [];
  for (const { id } of ids) {
    const template = await importTemplate(ctx, id);
    // A template whose engine this installation does not have recognises nothing.
    if (!known.has(template.engine.toLowerCase())) continue;
    const engine = engineFor(ctx, template);
    if (engine && (await engine.detect(source, template)))
      found.push({
        ImportFileTemplateID: id,
        ImportFileTemplate: template.name,
        ImportEngine: template.engine,
        Expected: expectedBy(template),
      });
  }
  return found;
}

function expectedBy({ maps }: ImportTemplate): number {
  return maps.filter(({ type }) => type === 'Column' || type === 'Key').length;
}
