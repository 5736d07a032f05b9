import type { Context } from '../context.ts';
import { timeZone } from '../core-settings.ts';
import type { Parameters } from '../parameters.ts';
import { planSave } from './plan.ts';
import { assertSent } from './sent.ts';
import { saveRecord, type Saved, type SaveMode } from './write.ts';

/** Saves a record of the operation's type from flat parameters; see the prefix grammar in `plan.ts`. */
export async function savePlanned(ctx: Context, parameters: Parameters, mode: SaveMode): Promise<Saved> {
  const plan = planSave(ctx.registry, ctx.record, parameters, { timeZone: ctx.settings.get(timeZone) });
  await assertSent(ctx, plan);
  return saveRecord(ctx, plan, mode);
}
