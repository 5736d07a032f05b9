import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { Context } from '../../../src/kernel/door/context.ts';
import { ReachCache } from '../../../src/kernel/door/reach-cache.ts';
import { SavepointUndo } from '../../../src/kernel/door/savepoint-undo.ts';
import type { Row } from '../../../src/kernel/door/answer.ts';
import { f } from '../../../src/kernel/declare/field.ts';
import { defineRecord, type RecordType } from '../../../src/kernel/declare/record.ts';
import type { RecordChange } from '../../../src/kernel/ports/record-events.ts';
import {
  ALL_STEPS,
  commitChange,
  PLATFORM_WRITE,
  type CommitSteps,
} from '../../../src/kernel/records/save/commit-change.ts';

const gadget: RecordType = defineRecord({
  name: 'Gadget',
  doc: 'A record type that is configuration, so that a change has every step.',
  reach: 'configuration',
  fields: { Size: f.integer({ doc: 'Its size.' }) },
});

/** Logs the records that a change has created. */
class LoggingReach extends ReachCache {
  private readonly log: string[];

  constructor(log: string[]) {
    super({ elevation: 0 }, new SavepointUndo());
    this.log = log;
  }

  override noteCreated({ name }: { readonly name: string }, id: number): void {
    this.log.push(`note ${name}:${id}`);
  }
}

/** Returns a context that logs the steps of a change, and its log. */
function loggingContext({ isPublished = true }: { readonly isPublished?: boolean } = {}) {
  const log: string[] = [];
  const ctx = {
    businessRules: {
      applies: async () => true,
      enforce: async (_ctx: Context, event: { readonly operation: string; readonly after?: Row }) =>
        log.push(`rules ${event.operation} ${String(event.after?.['Size'])}`),
    },
    recordEvents: {
      hasSubscribers: async () => isPublished,
      publish: async (_ctx: Context, _record: unknown, change: string, events: readonly { readonly row: Row }[]) =>
        log.push(`publish ${change} ${events.map(({ row }) => String(row['Size'])).join(' ')}`),
    },
    ruleSets: {
      applies: async () => true,
      applyTo: async (_ctx: Context, { change, id }: { readonly change: string; readonly id: number }) =>
        log.push(`decide ${change} ${id}`) > 0,
    },
    configurationChanged: () => log.push('configuration'),
    reach: new LoggingReach(log),
    writeCounts: { inserted: 0, updated: 0 },
    registry: {
      guards: () => [],
      callSources: () => [],
      reactions: () => [
        {
          after: ['insert', 'update', 'delete'],
          run: async (_ctx: Context, row: Row, change: string, sent: ReadonlySet<string>) =>
            void log.push(`react ${change} ${String(row['Size'])} ${[...sent].join()}`),
        },
      ],
    },
  };
  return { ctx: ctx as unknown as Context, log };
}

const rows: readonly Row[] = [
  { GadgetID: 1, Size: 10 },
  { GadgetID: 2, Size: 20 },
];

/** Commits a change of two gadgets, and returns the steps. */
async function stepsOf(change: RecordChange, steps?: CommitSteps): Promise<readonly string[]> {
  const { ctx, log } = loggingContext();
  await commitChange(ctx, {
    record: gadget,
    change,
    before: change === 'delete' ? rows : [],
    ruleRows: async () => rows.map((row) => ({ after: row })),
    write: async () => {
      log.push('write');
      return rows;
    },
    publishedColumns: () => (change === 'delete' ? [] : ['Size']),
    writeIdentities: async (ids) => void log.push(`identities ${ids.join(' ')}`),
    sent: () => new Set(['Size']),
    ...(steps ? { steps } : {}),
  });
  return log;
}

describe('the steps of a change', () => {
  it('of an insert are rules, write, configuration, events, note, external IDs, reactions and rule sets, in bulk one of each', async () => {
    assert.deepEqual(await stepsOf('insert'), [
      'rules Insert 10',
      'rules Insert 20',
      'write',
      'configuration',
      'publish insert 10 20',
      'note Gadget:1',
      'note Gadget:2',
      'identities 1 2',
      'react insert 10 Size',
      'decide insert 1',
      'react insert 20 Size',
      'decide insert 2',
    ]);
  });

  it('of a delete publish it before the write', async () => {
    assert.deepEqual((await stepsOf('delete')).slice(0, 6), [
      'rules Delete 10',
      'rules Delete 20',
      'publish delete 10 20',
      'write',
      'configuration',
      'identities 1 2',
    ]);
  });

  it('of an undelete have no rules of their own, and react as to an insert', async () => {
    assert.deepEqual(await stepsOf('undelete', { ...ALL_STEPS, note: 'omitted' }), [
      'write',
      'configuration',
      'publish undelete 10 20',
      'identities 1 2',
      'react insert 10 Size',
      'react insert 20 Size',
    ]);
  });

  it('of the platform itself are write, configuration, events and external IDs', async () => {
    assert.deepEqual(await stepsOf('update', PLATFORM_WRITE), [
      'write',
      'configuration',
      'publish update 10 20',
      'identities 1 2',
    ]);
  });

  it('enforce the rules on the stored rows where only the statement knows what it inserts', async () => {
    assert.deepEqual((await stepsOf('insert', { ...ALL_STEPS, rules: 'after write' })).slice(0, 3), [
      'write',
      'rules Insert 10',
      'rules Insert 20',
    ]);
  });
});

describe('an update', () => {
  it('that changes no column is not published', async () => {
    const { ctx, log } = loggingContext();
    const update = { record: gadget, change: 'update', publishedColumns: () => [], write: async () => rows } as const;
    await commitChange(ctx, { ...update, steps: PLATFORM_WRITE });
    assert.deepEqual(log, ['configuration']);
  });

  it('counts as written by the caller, once per row', async () => {
    const { ctx } = loggingContext({ isPublished: false });
    await commitChange(ctx, { record: gadget, change: 'update', write: async () => rows });
    assert.deepEqual(ctx.writeCounts, { inserted: 0, updated: 2 });
  });
});

describe('the one way to change a record', () => {
  const files = globSync('src/{kernel,modules}/**/*.ts');
  const callersOf = (call: string): readonly string[] =>
    files.filter((path) => readFileSync(path, 'utf8').includes(call)).sort();

  it('is the only code that publishes events and runs reactions', () => {
    for (const call of ['recordEvents.publish(', 'reaction.run('])
      assert.deepEqual(callersOf(call), ['src/kernel/records/save/commit-change.ts'], call);
  });

  it('shares the enforcement of business rules only with calls that change no record', () => {
    assert.deepEqual(callersOf('businessRules.enforce('), [
      'src/kernel/ports/business-rules.ts',
      'src/kernel/records/save/commit-change.ts',
    ]);
  });

  it('applies automatic rule sets in one place', () => {
    assert.deepEqual(callersOf('ruleSets.applyTo('), ['src/kernel/records/save/commit-change.ts']);
  });

  it('runs the checks of a record type in one place', () => {
    assert.deepEqual(callersOf('check.run('), ['src/kernel/records/save/run-checks.ts']);
  });
});
