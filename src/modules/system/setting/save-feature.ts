import type { RecordType } from '../../../kernel/declare/record.ts';
import { defineSaveFeature } from '../../../kernel/declare/save-feature.ts';
import { lockName } from '../../../kernel/database/advisory-lock.ts';
import type { SavePlan } from '../../../kernel/records/save/plan.ts';
import { setting } from './setting.record.ts';

export const saveFeature = defineSaveFeature({
  doc: 'A save of a setting without its ID changes the stored setting of that name.',
  appliesTo: isSetting,
  identify: async (ctx, plan, sentId) => {
    if (sentId !== undefined || !isSettingPlan(plan)) return undefined;
    const name = plan.values.Setting;
    if (typeof name !== 'string') return undefined;
    // Of two calls that set the same setting first, the second changes what the first has saved.
    await lockName(ctx, `setting ${name.toLowerCase()}`);
    const rows = await ctx.db.query<{ id: number }>(
      'select settingid as id from setting where lower(setting) = lower($1::text)',
      [name],
    );
    return { ids: rows.map(({ id }) => id), isCleared: false, field: 'Setting' };
  },
});

function isSetting(record: RecordType): boolean {
  return record.name === setting.name;
}

function isSettingPlan(plan: SavePlan): plan is SavePlan<typeof setting> {
  return isSetting(plan.record);
}
