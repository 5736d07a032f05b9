import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { matchingLayouts, storedLayouts } from './lib/choose-layout.ts';

const rows = {
  PageLayoutID: required(f.id({ doc: 'The layout.' })),
  PageLayout: f.text({ doc: 'Its name.' }),
  IsChosen: required(f.boolean({ doc: 'Whether it is the one that the page uses: the most specific.' })),
  Reason: required(f.text({ doc: 'What it is for. A role counts most, then the case type, then the record type.' })),
  Layout: f.text({ doc: 'The content; of the chosen one only.', max: 100_000, exact: true }),
};

export const operation = defineOperation({
  module: 'pagelayout',
  name: 'Choose',
  method: 'GET',
  summary:
    'Returns the layouts that fit a type of case and the caller, the most specific first; the page uses that one. ' +
    'Names of fields only, no values.',
  effect: 'read',
  idempotent: true,
  access: 'signed-in',
  params: {
    AppliesTo: required(f.text({ doc: 'The record type of the case, such as Foreclosure.', max: 60, exact: true })),
    ProcessType: f.text({ doc: 'The type of the case, such as Judicial.', max: 100 }),
  },
  returns: 'list',
  answerName: 'PageLayout',
  rows,
  errors: ['BAD_PARAMETER'],
  source: 'WEB-01',
});

export const run = handle(operation, async (ctx, { AppliesTo: name, ProcessType: processType }) => {
  const record = ctx.registry.requireRecord(name, 'AppliesTo');
  const found = matchingLayouts(await storedLayouts(ctx), {
    record,
    processType: processType ?? null,
    roles: ctx.user.roles,
  });
  return list(
    'PageLayout',
    rows,
    found.map(({ layout, reason }, at) => ({
      PageLayoutID: layout.id,
      PageLayout: layout.name,
      IsChosen: at === 0,
      Reason: reason,
      Layout: at === 0 ? layout.layout : null,
    })),
  );
});
