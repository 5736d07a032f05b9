import type { Context } from '../context.ts';
import { timeZone } from '../core-settings.ts';
import type { Parameters } from '../parameters.ts';
import { planSave } from './plan.ts';
import { saveRecord, type Saved, type SaveMode } from './write.ts';

/** Saves a record of the operation's type from flat parameters; see the prefix grammar in `plan.ts`. */
export function savePlanned(ctx: Context, parameters: Parameters, mode: SaveMode): Promise<Saved> {
  return saveRecord(ctx, planSave(ctx.registry, ctx.record, parameters, { timeZone: ctx.settings.get(timeZone) }), mode);
}
