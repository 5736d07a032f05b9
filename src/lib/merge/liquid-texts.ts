import type { TreeNode } from '../../kernel/door/answer.ts';
import type { Context } from '../../kernel/door/context.ts';
import { suppressSubstitutionErrors, timeZone } from '../../kernel/declare/core-settings.ts';
import { namesHint, PlatformError } from '../../kernel/door/errors.ts';
import { runLiquid } from '../liquid/liquid-thread.ts';
import type { LiquidProblem } from '../liquid/liquid-task.ts';
import type { MergeData } from './merge-data.ts';

/** A text of a template by its name. */
type NamedText<Name extends string> = readonly [name: Name, text: string];

/**
 * Returns Liquid texts rendered with the data: the fields of the record, over them those of Method's answer, and over
 * them the values of the call. Collections are lists. Values in BodyHTML are escaped.
 *
 * @throws BAD_TEMPLATE naming the text, the line and what is wrong
 */
export async function renderLiquid<Name extends string>(
  ctx: Context,
  texts: readonly NamedText<Name>[],
  data: MergeData,
): Promise<ReadonlyMap<Name, string>> {
  if (texts.length === 0) return new Map();
  const values = await liquidData(data);
  const reply = await runLiquid({
    texts: texts.map(([name, text]) => ({ name, text, html: name === 'BodyHTML' })),
    data: values,
    strictVariables: !ctx.settings.get(suppressSubstitutionErrors),
    timeZone: ctx.settings.get(timeZone),
  });
  if ('problem' in reply) throw badLiquid(reply.problem, Object.keys(values));
  return new Map(texts.map(([name], at) => [name, reply.outputs[at] ?? '']));
}

/**
 * Checks Liquid texts without data, and returns the names that each refers to.
 * @throws BAD_TEMPLATE
 */
export async function checkLiquid<Name extends string>(
  ctx: Pick<Context, 'settings'>,
  texts: readonly NamedText<Name>[],
): Promise<ReadonlyMap<Name, readonly string[]>> {
  if (texts.length === 0) return new Map();
  const reply = await runLiquid({
    texts: texts.map(([name, text]) => ({ name, text, html: name === 'BodyHTML' })),
    data: undefined,
    strictVariables: true,
    timeZone: ctx.settings.get(timeZone),
  });
  if ('problem' in reply) throw badLiquid(reply.problem, []);
  return new Map(texts.map(([name], at) => [name, reply.variables[at] ?? []]));
}

function badLiquid({ name, message, line, variable }: LiquidProblem, known: readonly string[]): PlatformError {
  const where = line === undefined ? '' : ` line ${line}:`;
  const [root = ''] = variable?.split('.') ?? [];
  const hint = variable === undefined || known.includes(root) ? '' : namesHint(root, known);
  return new PlatformError('BAD_TEMPLATE', {
    field: name,
    message: `${name}:${where} ${message}.${hint}`,
    ...(variable === undefined ? {} : { details: { expression: variable } }),
  });
}

async function liquidData(data: MergeData): Promise<Readonly<Record<string, unknown>>> {
  const trees = (await data.trees()).map((tree) => Object.entries(membersOf(tree.children ?? [])));
  return Object.fromEntries([...trees.flat(), ...Object.entries(data.takeValues())]);
}

/** Returns a node as Liquid sees it: a value, a list of items, or an object of its children. */
function treeValue({ children, xml, value, list }: TreeNode): unknown {
  if (!children) return xml ?? value ?? null;
  return list === true ? children.map(treeValue) : membersOf(children);
}

function membersOf(children: readonly TreeNode[]): Readonly<Record<string, unknown>> {
  const byName = [...Map.groupBy(children, ({ name }) => name)];
  return Object.fromEntries(
    byName.map(([name, same]) => {
      const [only] = same;
      return [name, same.length === 1 && only ? treeValue(only) : same.map(treeValue)];
    }),
  );
}
