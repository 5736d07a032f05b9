import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { changesOf } from './lib/setting-changes.ts';

const changeFields = {
  At: required(f.timestamp({ doc: 'When.' })),
  PersonID: f.id({ doc: 'Who.', to: 'Person' }),
  From: f.text({ doc: 'The value before; empty if it was the default, or is hidden.' }),
  To: f.text({ doc: 'The value after; empty if it is the default, or is hidden.' }),
  FromDefault: required(f.boolean({ doc: 'Whether the default applied before.' })),
  ToDefault: required(f.boolean({ doc: 'Whether the default applied after.' })),
  Hidden: required(f.boolean({ doc: 'Whether the values are hidden: they are secret.' })),
};

/** Most changes that are listed. */
const CHANGES_MAX = 200;

export const operation = defineOperation({
  module: 'setting',
  name: 'Changes',
  method: 'GET',
  summary:
    'Lists who changed a setting, when, from which value and to which, the latest first. Resets to the default, and ' +
    'what was set again after one, are included. Secret values are hidden.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  permission: 'SettingHistory',
  params: { Setting: required(f.text({ doc: 'The name of the setting.', max: 100 })) },
  returns: 'list',
  answerName: 'SettingChange',
  rows: changeFields,
  errors: ['BAD_PARAMETER', 'NO_PERMISSION'],
  source: 'checklist WEB-06',
});

export const run = handle(operation, async (ctx, { Setting }) => {
  if (!ctx.user.universal)
    throw new PlatformError('NO_PERMISSION', {
      message: 'Only users with universal access can see the history of settings.',
    });
  const definition = ctx.registry.settings.find(({ name }) => name.toLowerCase() === Setting.toLowerCase());
  if (!definition) throw bad('Setting', 'the name of a setting');
  const isSecret = definition.field.classification === 'secret';
  const changes = await changesOf(ctx.db, definition.name);
  return list(
    'SettingChange',
    changeFields,
    changes.slice(0, CHANGES_MAX).map(({ From: from, To: to, ...change }) => ({
      ...change,
      From: isSecret ? null : from,
      To: isSecret ? null : to,
      FromDefault: from === null,
      ToDefault: to === null,
      Hidden: isSecret,
    })),
  );
});
