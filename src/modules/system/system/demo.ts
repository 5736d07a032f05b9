import { item } from '../../../kernel/door/answer.ts';
import { f } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { readDemoWorld } from '../public/demo-world.ts';

const fields = {
  Cases: f.integer({ doc: 'Number of cases of the demo besides those of the sample referrals; 0: there is no demo.' }),
  Played: f.integer({ label: 'Loaded', doc: 'Number of these that are loaded.' }),
  StartedDate: f.timestamp({ label: 'Started', doc: 'When loading them started.' }),
  FinishedDate: f.timestamp({ label: 'Finished', doc: 'When all were loaded. Empty: not yet.' }),
  Failure: f.text({ doc: 'Why loading them stopped. The next start of the server continues.' }),
};

export const operation = defineOperation({
  module: 'system',
  name: 'Demo',
  method: 'GET',
  summary: 'Returns how far the demo has been loaded, which a first start without `--no-demo` does in the background.',
  effect: 'read',
  idempotent: true,
  access: 'signed-in',
  params: {},
  returns: fields,
  answerName: 'Demo',
  errors: [],
  source: 'checklist WEB-01',
});

export const run = handle(operation, async (ctx) => {
  // It belongs to no firm: users of firms cannot read the table themselves.
  const world = await ctx.actingAs('System', (system) => readDemoWorld(system.db));
  return item('Demo', fields, {
    Cases: world?.cases ?? 0,
    Played: world?.played ?? 0,
    StartedDate: world?.startedDate ?? null,
    FinishedDate: world?.finishedDate ?? null,
    Failure: ctx.user.universal ? (world?.failure ?? null) : null,
  });
});
