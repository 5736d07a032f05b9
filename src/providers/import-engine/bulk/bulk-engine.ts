import type { ImportEngine, ImportIssue, ImportSource, ImportTemplate } from '../../../contracts/import-engine.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { issueOf } from '../../../lib/readers/row-document.ts';
import { bulkImport, type BulkParts } from './bulk-import.ts';
import { checkImportStatement } from './import-statement.ts';
import { documentForm, FORMAT_DOC, formSaid, openTables } from './open-source.ts';
import { bulkOptionDocs, bulkOptions } from './options.ts';
import { planOf } from './plan.ts';
import { mergeTarget, targetTable } from './target.ts';

/** What makes a bulk engine. */
export interface BulkEngineParts extends BulkParts {
  readonly doc: string;
}

/** An engine that loads files into staging tables. Documents are recognised, shown and corrected as the engine of their form does. */
export function bulkEngine({ doc, ...parts }: BulkEngineParts): ImportEngine {
  const { connections, engines, merges } = parts;
  const engineOf = async (source: ImportSource, template: ImportTemplate): Promise<ImportEngine> =>
    engines[await documentForm(source, template)];
  return {
    doc,
    // Staging is shared, and a template may empty a table or run a statement over all of it.
    universalOnly: true,
    options: {
      ...engines.json.options,
      ...engines.xml.options,
      ...engines.fixed.options,
      ...engines.table.options,
      Format: FORMAT_DOC,
      ...bulkOptionDocs,
    },
    detect: async (source, template) => (await engineOf(source, template)).detect(source, template),
    preview: async (source, template, rowsMax) => (await engineOf(source, template)).preview(source, template, rowsMax),
    async validate(source, template, issuesMax) {
      const found = await (await engineOf(source, template)).validate(source, template, issuesMax);
      if (found.length > 0) return found;
      const own = await issueIn(async () => {
        const options = bulkOptions(template);
        if (options.connection !== undefined) connections.get(options.connection);
        for (const table of await openTables(engines, source, template))
          planOf({ source: table.columns, template, options, numbers: merges, raw: false });
      });
      return own === undefined ? [] : [own];
    },
    import: (run) => bulkImport(run, parts),
    corrections(source, template, failed) {
      const { fileName, mime } = engines[formSaid(template) ?? formNamed(source.fileName)].corrections(
        source,
        template,
        failed,
      );
      return {
        fileName,
        mime,
        bytes: late(async () => (await engineOf(source, template)).corrections(source, template, failed).bytes),
      };
    },
    async check(template, ctx) {
      formSaid(template);
      const options = bulkOptions(template);
      if (options.connection !== undefined) connections.get(options.connection);
      const target = merges ? mergeTarget(ctx.registry, template, options) : undefined;
      const table = target?.kind === 'records' ? undefined : targetTable(options);
      if (template.importStatement !== undefined)
        await checkImportStatement(
          ctx,
          template.importStatement,
          table !== undefined,
          options.connection !== undefined,
        );
    },
  };
}

/** What is wrong with a document, as an issue; undefined where nothing is. */
async function issueIn(look: () => Promise<void>): Promise<ImportIssue | undefined> {
  try {
    await look();
    return undefined;
  } catch (error) {
    if (error instanceof PlatformError && error.status < 500) return issueOf(error);
    throw error;
  }
}

/** The form that a file's name promises: for the name of its corrections, before a byte of it is read. */
function formNamed(fileName: string): 'table' | 'xml' | 'json' {
  return /\.xml$/i.test(fileName) ? 'xml' : /\.(?:json|ndjson|jsonl)$/i.test(fileName) ? 'json' : 'table';
}

async function* late(open: () => Promise<AsyncIterable<Uint8Array>>): AsyncGenerator<Uint8Array, void, undefined> {
  yield* await open();
}
