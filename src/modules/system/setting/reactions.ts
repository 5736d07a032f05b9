import { parseBusinessHours } from '../../../kernel/time/business-calendar.ts';
import { splitCommaList } from '../../../kernel/parameters/split-list.ts';
import { namesHint, PlatformError } from '../../../kernel/door/errors.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { bad, parseValue } from '../../../kernel/parameters/parse-value.ts';
import { defineCheck, defineReaction } from '../../../kernel/declare/reaction.ts';
import { expectedOf } from '../../../kernel/declare/setting.ts';
import { setting } from './setting.record.ts';

function unknownSetting({ registry }: Context, name: string): PlatformError {
  const names = registry.settings.map((each) => each.name);
  return new PlatformError('BAD_PARAMETER', {
    field: 'Setting',
    message: `Setting: no setting is named "${name.slice(0, 100)}".${namesHint(name, names)}`,
  });
}

export const checks = [
  defineCheck({
    on: setting,
    doc: 'Requires a declared name and a value of its type, within its limits.',
    async run(ctx, { values, id }) {
      let name = values.Setting;
      if (name === undefined && id !== undefined)
        name = (
          await ctx.db.query<{ setting: string }>('select setting from setting where settingid = $1::bigint', [id])
        )[0]?.setting;
      const definition = ctx.registry.settings.find(
        (s) => typeof name === 'string' && s.name.toLowerCase() === name.toLowerCase(),
      );
      if (!definition) throw unknownSetting(ctx, typeof name === 'string' ? name : '');
      if (values.Setting !== undefined) values.Setting = definition.name;
      const value = values.Value;
      if (typeof value !== 'string') return;
      const parsed = parseValue(definition.field, value, 'Value', { timeZone: 'UTC' });
      const expected = expectedOf(definition, parsed);
      if (expected !== undefined) throw bad('Value', `${expected}, for the setting ${definition.name}`);
      if (definition.name === 'TimeZone') assertTimeZone(value);
      if (definition.name === 'BusinessHours') parseBusinessHours(value, 'Value');
      if (definition.name === 'QueueNames') assertQueueNames(value);
    },
  }),
];

function assertTimeZone(value: string): void {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: value });
  } catch {
    throw bad('Value', 'a time zone such as America/New_York');
  }
}

/** Throws for names that the queue would refuse: one would fail every call queued from then on. */
function assertQueueNames(value: string): void {
  const names = splitCommaList(value);
  if (names.length === 0 || !names.every((name) => /^[\w.-]{1,100}$/.test(name)))
    throw bad('Value', 'names of letters, digits, `_`, `-` and `.`, comma-separated');
}

export const reactions = [
  defineReaction({
    on: setting,
    after: ['insert', 'update', 'delete'],
    doc: 'Writes changes of settings to the security log.',
    async run(ctx, row) {
      await ctx.security({
        event: 'SettingChanged',
        object: 'Setting',
        objectId: row.SettingID,
        detail: String(row.Setting),
      });
    },
  }),
];
