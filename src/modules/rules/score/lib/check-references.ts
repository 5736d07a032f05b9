import type { Context } from '../../../../kernel/door/context.ts';
import { inlineHint, PlatformError } from '../../../../kernel/door/errors.ts';
import { marks } from '../../../../kernel/door/scratch.ts';
import { parseSignature } from '../../../../kernel/door/signature.ts';
import { requireEngine } from './run-engine.ts';
import { findDefinition, type ScoreDefinition } from './score-definition.ts';
import { METHOD_PARAMETERS, methodUse } from './score-input.ts';

const checkedTemplates = marks<number>('checked scorecards');

/**
 * Checks what a scorecard refers to when the transaction ends: its items, or its matrix, may be saved by the same call.
 */
export function scheduleReferenceCheck(ctx: Context, id: number): void {
  ctx.once(checkedTemplates, id, () => ctx.beforeCommit(() => checkReferences(ctx, id)));
}

async function checkReferences(ctx: Context, id: number): Promise<void> {
  const definition = await findDefinition(ctx, id);
  if (!definition) return;
  await checkEngine(ctx, definition);
  await checkMethod(ctx, definition);
}

/** Throws where the matrix or workbook does not exist. Configuration from another installation gets a warning. */
async function checkEngine(ctx: Context, { id, engine, parameters, renderId }: ScoreDefinition): Promise<void> {
  if (engine === null) return;
  const warn = (text: string): void => ctx.alert({ code: 'SCORE_ENGINE_INCOMPLETE', id, text });
  try {
    const missing = await requireEngine(ctx, engine).checkReferences?.({ parameters, renderId }, ctx);
    if (missing !== undefined) warn(missing);
  } catch (error) {
    if (!(error instanceof PlatformError) || !isImport(ctx)) throw error;
    warn(error.message);
  }
}

/** Whether the call imports configuration: what a document refers to may come with the next one. */
const isImport = ({ operation }: Context): boolean => operation.name === 'Import';

/** Throws for an XPath in the Method that cannot be parsed; warns of names that only a parameter can supply. */
async function checkMethod(ctx: Context, definition: ScoreDefinition): Promise<void> {
  const { id, method, appliesTo, items } = definition;
  if (method === '' || method.toLowerCase() === METHOD_PARAMETERS) return;
  const expressions = parseSignature(method, methodUse).parameters.flatMap(({ parts }) =>
    parts.flatMap((part) => ('expression' in part ? [part.expression] : [])),
  );
  const paths = expressions.filter((expression) => !/^\w+$/.test(expression));
  if (paths.length > 0) await ctx.sandbox.checkXPath(paths);
  const scored = appliesTo === null ? undefined : ctx.registry.record(appliesTo);
  // A scorecard for any record type: each may have the field.
  if (!scored) return;
  const family = ctx.registry.family(scored);
  const known = new Set([ctx.registry.recordType('Score'), ...family].flatMap(({ columns }) => [...columns.keys()]));
  for (const { safeName } of items) known.add(safeName.toLowerCase());
  const names = [...scored.shown.map(({ name }) => name), ...items.map(({ safeName }) => safeName)];
  for (const name of new Set(expressions.filter((expression) => !paths.includes(expression)))) {
    if (known.has(name.toLowerCase())) continue;
    ctx.alert({
      code: 'METHOD_FIELD_UNKNOWN',
      id,
      text:
        `Method: {${name}} is neither an item nor a field of Score or ${scored.name}` +
        `${inlineHint(name, names)}. ` +
        'It is empty unless each calculation sends a parameter of this name.',
    });
  }
}
