import type { ImportMap, ImportTemplate } from '../../../../contracts/import-engine.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { findTemplate, templateById } from '../../../../kernel/records/save/template.ts';
import { isA } from '../../../../kernel/declare/registry.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import type { Db } from '../../../../kernel/database/store.ts';
import { parseTranslation } from './map-row.ts';
import { parseThreshold, type Threshold } from '../../lib/run/threshold.ts';
import { importFailuresMax } from '../settings.ts';
import { notFoundText } from '../../../../kernel/records/search/read.ts';

/** An import type, with what the pipeline itself reads of it. */
export interface PipelineTemplate extends ImportTemplate {
  /** Not available to firms: `ExtranetEnabled` is No. */
  readonly internal: boolean;
  readonly async: boolean;
  readonly queue: string | undefined;
  readonly failureThreshold: Threshold | undefined;
  readonly successThreshold: Threshold | undefined;
  readonly validates: boolean;
  readonly validateStatement: string | undefined;
  readonly resultMethod: string | undefined;
  readonly endImportMethod: string | undefined;
  readonly onCompleteStatus: string;
  /** The workflow that starts on new records, or on the import file if it is for these. */
  readonly workflow: ImportWorkflow | undefined;
}

/** The workflow of an import type. */
export interface ImportWorkflow {
  readonly id: number;
  readonly name: string;
  /** The record type that it is for; undefined: any. */
  readonly appliesTo: string | undefined;
}

interface StoredTemplate {
  readonly id: number;
  readonly name: string;
  readonly appliesto: string | null;
  readonly importengine: string | null;
  readonly extranetenabled: string | null;
  readonly async: boolean | null;
  readonly queue: string | null;
  readonly failurethreshold: string | null;
  readonly successthreshold: string | null;
  readonly validatestatement: string | null;
  readonly importstatement: string | null;
  readonly resultmethod: string | null;
  readonly oncompletestatus: string | null;
  readonly parameterstring: string | null;
  readonly importoperationsallowed: number | null;
  readonly validateschema: boolean | null;
  readonly schema: string | null;
  readonly endimportmethod: string | null;
  readonly decisiontemplateid: number | null;
  readonly workflow: string | null;
  readonly workflowappliesto: string | null;
}

interface StoredMap {
  readonly source: string | null;
  readonly type: string | null;
  readonly destination: string | null;
  readonly translation: string | null;
  readonly istext: boolean | null;
  readonly required: boolean | null;
  readonly datatype: ImportMap['dataType'] | null;
}

/**
 * Returns the import type with a name (ignoring case and spaces) or id.
 * @throws BAD_PARAMETER listing the nearest names
 */
export async function findImportTemplate(
  ctx: Context,
  named: { readonly name?: string | undefined; readonly id?: number | undefined },
): Promise<PipelineTemplate> {
  const record = ctx.registry.recordType('ImportFileTemplate');
  const { id } =
    named.id === undefined
      ? await findTemplate(ctx, record, {
          name: await storedName(ctx, named.name ?? ''),
          parentClass: undefined,
          field: 'Template',
        })
      : await templateById(ctx, record, named.id, 'TemplateID');
  const template = await importTemplate(ctx, id);
  if (!template.internal || ctx.user.universal) return template;
  // Import types that are not for firms do not exist for them.
  throw named.id === undefined
    ? new PlatformError('BAD_PARAMETER', {
        field: 'Template',
        message: `Template: no ImportFileTemplate is named "${(named.name ?? '').slice(0, 100)}".`,
      })
    : new PlatformError('BAD_PARAMETER', {
        field: 'TemplateID',
        message: `TemplateID: ${notFoundText(record, named.id)}`,
      });
}

/** Returns the stored spelling of a name, which may differ in case and spaces: routes have neither. */
async function storedName(ctx: Context, name: string): Promise<string> {
  const names = await ctx.configuration.get('import template names', async () => {
    const rows = await ctx.configuration.db.query<{ name: string }>(
      'select importfiletemplate as name from importfiletemplate order by importfiletemplateid',
    );
    return new Map(rows.map((r) => [nameKey(r.name), r.name]));
  });
  return names.get(nameKey(name)) ?? name;
}

const nameKey = (name: string): string => name.replace(/\s+/g, '').toLowerCase();

/** Returns an import type by id, cached until the configuration changes. */
export async function importTemplate(ctx: Context, id: number): Promise<PipelineTemplate> {
  const known = await ctx.configuration.get(`import template ${id}`, () => loadTemplate(ctx.configuration.db, id));
  // It may have been created in this transaction.
  const template = known ?? (await loadTemplate(ctx.db, id));
  if (!template) throw new Error(`import template ${id} not found`);
  return template.failureThreshold ? template : { ...template, failureThreshold: defaultThreshold(ctx) };
}

/** Without a limit, a small file of bad rows would fill the database with log rows. */
function defaultThreshold({ settings }: Context): Threshold | undefined {
  const amount = settings.get(importFailuresMax);
  return amount > 0 ? { amount, isPercent: false, setting: importFailuresMax.name } : undefined;
}

async function loadTemplate(db: Db, id: number): Promise<PipelineTemplate | undefined> {
  const [row] = await db.query<StoredTemplate>(
    `select t.importfiletemplateid as id, t.importfiletemplate as name, t.*, d.decisiontemplate as workflow,
       d.appliesto as workflowappliesto
     from importfiletemplate t left join decisiontemplate d on d.decisiontemplateid = t.decisiontemplateid
     where t.importfiletemplateid = $1::bigint`,
    [id],
  );
  if (!row) return undefined;
  const maps = await db.query<StoredMap>(
    `select importfilemap as source, importfilemaptype as type, destination, translation, istext, required, datatype
      from importfilemap where importfiletemplateid = $1::bigint order by sequence nulls last, importfilemapid`,
    [id],
  );
  return {
    id,
    name: row.name,
    engine: row.importengine ?? 'DelimitedEngine',
    appliesTo: row.appliesto ?? undefined,
    options: parseOptions(row.parameterstring ?? ''),
    maps: maps.map(toImportMap),
    operationsAllowed: row.importoperationsallowed ?? 3,
    importStatement: row.importstatement ?? undefined,
    schema: row.validateschema === false ? undefined : (row.schema ?? undefined),
    internal: (row.extranetenabled ?? 'No') === 'No',
    async: row.async === true,
    queue: row.queue ?? undefined,
    failureThreshold: parseThreshold(row.failurethreshold, 'FailureThreshold'),
    successThreshold: parseThreshold(row.successthreshold, 'SuccessThreshold'),
    validates: row.validateschema !== false,
    validateStatement: row.validatestatement ?? undefined,
    resultMethod: row.resultmethod ?? undefined,
    endImportMethod: row.endimportmethod ?? undefined,
    onCompleteStatus: row.oncompletestatus ?? 'Complete',
    workflow: toWorkflow(row),
  };
}

function toWorkflow({
  decisiontemplateid: id,
  workflow,
  workflowappliesto,
}: StoredTemplate): ImportWorkflow | undefined {
  return id === null ? undefined : { id, name: workflow ?? String(id), appliesTo: workflowappliesto ?? undefined };
}

function toImportMap(row: StoredMap): ImportMap {
  const type = row.type === 'Key' || row.type === 'Constant' || row.type === 'Ignore' ? row.type : 'Column';
  return {
    source: type === 'Constant' ? '' : (row.source ?? ''),
    destination: row.destination ?? row.source ?? '',
    type,
    translation: type === 'Constant' ? new Map([['', row.translation ?? '']]) : parseTranslation(row.translation),
    isText: row.istext === true,
    required: row.required === true,
    dataType: row.datatype ?? undefined,
  };
}

/** Parses a ParameterString, a query string, by lower-cased name; the last of two equal names wins. */
function parseOptions(text: string): Map<string, string> {
  return new Map([...new URLSearchParams(text.trim())].map(([name, value]) => [name.trim().toLowerCase(), value]));
}

/** Whether a workflow can start on records of a type. */
export function isWorkflowFor(
  { registry }: Pick<Context, 'registry'>,
  { appliesTo }: ImportWorkflow,
  record: RecordType,
): boolean {
  if (appliesTo === undefined) return true;
  const required = registry.record(appliesTo);
  return required !== undefined && isA(record, required);
}
