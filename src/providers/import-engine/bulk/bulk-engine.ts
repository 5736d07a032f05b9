import type { ImportEngine, ImportIssue, ImportSource, ImportTemplate } from '../../../contracts/import-engine.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { toIssue } from '../../../lib/readers/row-document.ts';
import { bulkImport, type BulkDependencies } from './bulk-import.ts';
import { checkImportStatement } from './import-statement.ts';
import { documentForm, FORMAT_DOC, declaredForm, openTables } from './open-source.ts';
import { bulkOptionDocs, parseBulkOptions } from './bulk-options.ts';
import { stagingPlan } from './staging-plan.ts';
import { mergeTarget, targetTable } from './merge-target.ts';

/** Dependencies and description of a bulk engine. */
export interface BulkEngineParts extends BulkDependencies {
  readonly doc: string;
}

/**
 * Returns an engine that loads files into staging tables. Documents are detected, previewed and corrected by the engine
 * of their form.
 */
export function bulkEngine({ doc, ...parts }: BulkEngineParts): ImportEngine {
  const { connections, engines, merges } = parts;
  const engineOf = async (source: ImportSource, template: ImportTemplate): Promise<ImportEngine> =>
    engines[await documentForm(source, template)];
  return {
    doc,
    // Staging is shared, and an import type may empty a table or run a statement over all of it.
    universalOnly: true,
    // Rows that are merged into records are saved one by one.
    ...(merges ? { startsWorkflows: true } : {}),
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
      const own = await documentIssue(async () => {
        const options = parseBulkOptions(template);
        if (options.connection !== undefined) connections.get(options.connection);
        for (const table of await openTables(engines, source, template))
          stagingPlan({ source: table.columns, template, options, numbers: merges, raw: false });
      });
      return own === undefined ? [] : [own];
    },
    import: (run) => bulkImport(run, parts),
    corrections(source, template, failed) {
      const { fileName, mime } = engines[declaredForm(template) ?? formByExtension(source.fileName)].corrections(
        source,
        template,
        failed,
      );
      return {
        fileName,
        mime,
        bytes: deferred(async () => (await engineOf(source, template)).corrections(source, template, failed).bytes),
      };
    },
    async check(template, ctx) {
      declaredForm(template);
      const options = parseBulkOptions(template);
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

/** Returns a document error as an issue; undefined if there is none. */
async function documentIssue(look: () => Promise<void>): Promise<ImportIssue | undefined> {
  try {
    await look();
    return undefined;
  } catch (error) {
    if (error instanceof PlatformError && error.status < 500) return toIssue(error);
    throw error;
  }
}

/**
 * Returns the form suggested by a file's extension, for the name of its corrections, which is needed before the file is
 * read.
 */
function formByExtension(fileName: string): 'table' | 'xml' | 'json' {
  if (/\.xml$/i.test(fileName)) return 'xml';
  return /\.(?:json|ndjson|jsonl)$/i.test(fileName) ? 'json' : 'table';
}

async function* deferred(open: () => Promise<AsyncIterable<Uint8Array>>): AsyncGenerator<Uint8Array, void, undefined> {
  yield* await open();
}
