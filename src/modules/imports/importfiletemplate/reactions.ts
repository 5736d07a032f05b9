import { defineCallSource } from '../../../kernel/declare/call-source.ts';
import { importTypeCalls } from '../lib/import-calls.ts';
import { IMPORT_ENGINE, type ImportEngine } from '../../../contracts/import-engine.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { namesHint, PlatformError } from '../../../kernel/door/errors.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { defineCheck } from '../../../kernel/declare/reaction.ts';
import { checkSignature, parseSignature } from '../../../kernel/door/signature.ts';
import { compileSchema } from '../../../kernel/xml/schema.ts';
import { decisionTemplate } from '../../work/decisiontemplate/decisiontemplate.record.ts';
import { isA } from '../../../kernel/declare/registry.ts';
import { importFileTemplate } from './importfiletemplate.record.ts';
import { readColumns } from '../../../kernel/records/search/read.ts';
import { valueAfter } from '../../../kernel/declare/values.ts';

/** ParameterString options that every engine accepts. */
const commonOptions = [
  'ClassName',
  'Operation',
  'LogCategory',
  'SuccessLogCategory',
  'FailureLogCategory',
  'LogProperties',
  'DateOrder',
  'FileNames',
];

/** Option of an engine that accepts any name in its ParameterString, as parameters of its rows. */
const ANY = '*';

export const checks = [
  defineCheck({
    on: importFileTemplate,
    doc: 'The engine of an import type is registered and accepts the options of its ParameterString.',
    async run(ctx, { values, id }) {
      if (values.ImportEngine === undefined && values.ParameterString === undefined) return;
      const names = ['ImportEngine', 'ParameterString'] as const;
      const before = id === undefined ? undefined : await readColumns(ctx.db, importFileTemplate, id, names);
      const name = valueAfter(values, before, 'ImportEngine');
      if (typeof name !== 'string') return;
      assertOptions(engineNamed(ctx, name), valueAfter(values, before, 'ParameterString') ?? '');
    },
  }),
  defineCheck({
    on: importFileTemplate,
    doc:
      'AppliesTo and ClassName name existing records or modules, and the engine accepts the options and the ' +
      'ImportStatement.',
    async run(ctx, { values, id }) {
      const names = ['ImportEngine', 'ParameterString', 'ImportStatement', 'AppliesTo'] as const;
      if (!names.some((name) => values[name] !== undefined)) return;
      const before = id === undefined ? undefined : await readColumns(ctx.db, importFileTemplate, id, names);
      const [engine, options, statement, appliesTo] = names.map((name) => valueAfter(values, before, name));
      if (typeof engine !== 'string') return;
      const text = (value: unknown): string | undefined =>
        typeof value === 'string' && value.trim() !== '' ? value : undefined;
      const byName = new Map(
        [...new URLSearchParams(text(options) ?? '')].map(([name, value]) => [name.trim().toLowerCase(), value]),
      );
      for (const [field, module] of [
        ['AppliesTo', text(appliesTo)],
        ['ClassName', text(byName.get('classname'))],
      ] as const) {
        // A batch may name a module without records.
        if (module !== undefined && !ctx.registry.hasModule(module)) ctx.registry.requireRecord(module, field);
      }
      await engineNamed(ctx, engine).check?.(
        { options: byName, appliesTo: text(appliesTo), importStatement: text(statement) },
        ctx,
      );
    },
  }),
  defineCheck({
    on: importFileTemplate,
    doc:
      'Thresholds are a count or a percentage, ImportOperationsAllowed is a sum of flags, and Schema is a ' +
      'usable XML Schema.',
    run(_ctx, { values }) {
      for (const name of ['FailureThreshold', 'SuccessThreshold'] as const) {
        const text = values[name];
        if (
          typeof text === 'string' &&
          text.trim() !== '' &&
          !/^\s*(?:\d{1,9}|\d{1,2}(?:\.\d{1,4})?\s*%|100(?:\.0+)?\s*%)\s*$/.test(text)
        )
          throw bad(name, 'a count of rows such as 25, or a percentage such as 2.5%');
      }
      const allowed = values.ImportOperationsAllowed;
      if (typeof allowed === 'number' && (allowed < 0 || allowed > 7))
        throw bad('ImportOperationsAllowed', 'the sum of Insert 1, Update 2 and Invoke 4, from 0 to 7');
      const schema = values.Schema;
      if (typeof schema === 'string') assertSchema(schema);
    },
  }),
  defineCheck({
    on: importFileTemplate,
    doc: 'Warns if the workflow of an import type would start nowhere.',
    async run(ctx, { values, id }) {
      const names = ['DecisionTemplateID', 'ImportEngine', 'AppliesTo', 'ParameterString'] as const;
      if (!names.some((name) => values[name] !== undefined)) return;
      const before = id === undefined ? undefined : await readColumns(ctx.db, importFileTemplate, id, names);
      const [workflowId, engine, appliesTo, options] = [
        valueAfter(values, before, 'DecisionTemplateID'),
        valueAfter(values, before, 'ImportEngine') ?? 'DelimitedEngine',
        valueAfter(values, before, 'AppliesTo') ?? '',
        new URLSearchParams(valueAfter(values, before, 'ParameterString') ?? ''),
      ];
      if (typeof workflowId !== 'number') return;
      const workflow = await readColumns(ctx.db, decisionTemplate, workflowId, ['AppliesTo']);
      const workflowFor = workflow?.AppliesTo ?? null;
      if (workflowFor === 'ImportFile') return;
      const rows = options.get('ClassName') ?? appliesTo;
      const why = engineNamed(ctx, engine).startsWorkflows
        ? misfit(ctx, { workflowFor, rows })
        : `the engine ${engine} does not start workflows`;
      if (why !== undefined)
        ctx.alert({
          code: 'WORKFLOW_NOT_STARTED',
          text:
            `DecisionTemplateID: the workflow will not start: ${why}. A workflow for ImportFile records starts on ` +
            'each complete file, whatever the engine.',
        });
    },
  }),
  defineCheck({
    on: importFileTemplate,
    doc: 'The method signatures of an import type name existing operations and parameters.',
    async run(ctx, { values }) {
      for (const name of ['ResultMethod', 'EndImportMethod', 'ValidateStatement'] as const) {
        const text = values[name];
        if (typeof text === 'string' && text.trim() !== '') await checkSignature(ctx, text, { field: name });
      }
    },
  }),
];

export const callSources = [
  defineCallSource({
    on: importFileTemplate,
    doc: 'An import type calls an operation for each row, its methods, and starts a workflow.',
    calls: importTypeCalls,
  }),
];

/** Returns why a workflow does not fit the records of an import type; undefined if it does, or if either is unknown. */
function misfit(
  { registry }: Context,
  { workflowFor, rows }: { readonly workflowFor: string | null; readonly rows: string },
): string | undefined {
  const [required, record] = [registry.record(workflowFor ?? ''), registry.record(rows)];
  return !required || !record || isA(record, required)
    ? undefined
    : `it is for ${required.name} records, not for ${record.name} records`;
}

function engineNamed(ctx: Context, name: string): ImportEngine {
  try {
    return ctx.providers.get(IMPORT_ENGINE, name);
  } catch (error) {
    if (error instanceof PlatformError)
      throw bad('ImportEngine', `one of ${ctx.providers.names(IMPORT_ENGINE).join(', ')}`);
    throw error;
  }
}

function assertOptions(engine: ImportEngine, text: unknown): void {
  const known = [...commonOptions, ...Object.keys(engine.options)];
  if (typeof text !== 'string' || known.includes(ANY)) return;
  // Braces and escapes must be valid too: rows fill them in.
  parseSignature(`import/options?${text}`, { field: 'ParameterString' });
  for (const name of new URLSearchParams(text).keys()) {
    if (known.some((option) => option.toLowerCase() === name.trim().toLowerCase())) continue;
    throw new PlatformError('BAD_PARAMETER', {
      field: 'ParameterString',
      message: `ParameterString: the engine has no option ${name.slice(0, 60)}.` + namesHint(name, known),
    });
  }
}

function assertSchema(text: string): void {
  try {
    compileSchema({ name: 'Schema.xsd', files: { 'Schema.xsd': text } });
  } catch (error) {
    const problem = error instanceof Error ? error.message.slice(0, 300) : 'it cannot be read';
    throw new PlatformError('BAD_PARAMETER', {
      field: 'Schema',
      message: `Schema: not a usable XML Schema: ${problem}.`,
      cause: error,
    });
  }
}
