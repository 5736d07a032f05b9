/**
 * Tries an import of configuration and undoes it. The calls that a record configures are read from stored records, so
 * whether the caller may configure them is only known once they are stored.
 */
import type { Context } from '../../door/context.ts';
import { PlatformError } from '../../door/errors.ts';
import type { TransferNode } from './transfer-match.ts';

/** Runs the save of a record. Returns undefined where it was refused, so that the others can be tried. */
export type Attempt = <T>(node: TransferNode, run: () => Promise<T>) => Promise<T | undefined>;

/** Most refusals that a preview lists. */
const REFUSALS_MAX = 20;

/** Returns the records of a document whose types configure calls, with those of the document that they refer to. */
export function nodesWithCalls({ registry }: Context, changed: readonly TransferNode[]): ReadonlySet<TransferNode> {
  const found = new Set(changed.filter(({ item }) => registry.callSources(item.record).length > 0));
  // A set that grows while it is read.
  for (const node of found) for (const to of node.references.values()) if (typeof to === 'object' && to) found.add(to);
  return found;
}

/**
 * Imports records by `apply` and undoes all of it. Throws NO_PERMISSION with all refusals, and whatever else the import
 * would throw. A record that requires a refused one is not tried.
 */
export async function tryImport(ctx: Context, apply: (attempt: Attempt) => Promise<void>): Promise<void> {
  const refusals: PlatformError[] = [];
  const refused = new Set<TransferNode>();
  const attempt: Attempt = async (node, run) => {
    const isRequiredRefused = [...node.references].some(
      ([{ column }, to]) => column.field.required && typeof to === 'object' && to !== null && refused.has(to),
    );
    if (!isRequiredRefused)
      try {
        return await ctx.savepoint(run);
      } catch (error) {
        if (!(error instanceof PlatformError && error.code === 'NO_PERMISSION')) throw error;
        refusals.push(error);
      }
    refused.add(node);
    return undefined;
  };
  await undone(ctx, () => apply(attempt));
  const [first] = refusals;
  if (first) throw refusals.length === 1 ? first : refusedTogether(refusals, first);
}

/** Thrown to undo a trial that has succeeded. */
class TrialEnd extends Error {}

async function undone(ctx: Context, run: () => Promise<void>): Promise<void> {
  try {
    await ctx.savepoint(async () => {
      await run();
      throw new TrialEnd();
    });
  } catch (error) {
    if (!(error instanceof TrialEnd)) throw error;
  }
}

function refusedTogether(refusals: readonly PlatformError[], first: PlatformError): PlatformError {
  const listed = refusals.slice(0, REFUSALS_MAX).map(({ message }) => message);
  const more = refusals.length > REFUSALS_MAX ? [`${refusals.length - REFUSALS_MAX} more records are refused.`] : [];
  return new PlatformError('NO_PERMISSION', {
    ...(first.field === undefined ? {} : { field: first.field }),
    message: [...listed, ...more].join('\n'),
    cause: first,
  });
}
