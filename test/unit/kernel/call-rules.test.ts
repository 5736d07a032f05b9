import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Context } from '../../../src/kernel/door/context.ts';
import type { NamedRows } from '../../../src/kernel/door/named-records.ts';
import { declarations } from '../../../src/app/catalog.gen.ts';
import { Registry } from '../../../src/kernel/declare/registry.ts';
import { enforceCallRules, type RuleEvent } from '../../../src/kernel/ports/business-rules.ts';

const registry = new Registry(declarations);

/** Returns the events that rules are evaluated for, and the statements sent. */
async function enforced(
  route: string,
  id: number,
  named: ReadonlyMap<string, NamedRows>,
): Promise<{ readonly events: RuleEvent[]; readonly statements: string[] }> {
  const operation = registry.operation(route);
  assert.ok(operation);
  const events: RuleEvent[] = [];
  const statements: string[] = [];
  const ctx = {
    registry,
    named,
    db: {
      query: (text: string) => {
        statements.push(text);
        return Promise.resolve([{ recordclass: 'Contact', ContactID: id }]);
      },
    },
    businessRules: {
      applies: () => Promise.resolve(true),
      enforce: (_: Context, event: RuleEvent) => Promise.resolve(void events.push(event)),
    },
  };
  await enforceCallRules(ctx as unknown as Context, operation, { ID: id });
  return { events, statements };
}

describe('business rules of a call', () => {
  it('see the row that the door has read, without another statement', async () => {
    const record = registry.recordType('Loan');
    const row = { LoanID: 7, Loan: 'A1' };
    const { events, statements } = await enforced('loan/select', 7, new Map([['ID', { record, rows: [row] }]]));
    assert.deepEqual(statements, []);
    assert.deepEqual(events, [{ operation: 'Select', of: record, after: row }]);
  });

  it('see a record of its concrete type, which is read where the door has read it as its base', async () => {
    const record = registry.recordType('Contact');
    const named = new Map([['ID', { record, rows: [{ ContactID: 7 }] }]]);
    const { events, statements } = await enforced('contact/select', 7, named);
    assert.equal(statements.length, 2);
    assert.deepEqual(
      events.map(({ of }) => of),
      [record],
    );
  });

  it('see a record that only the operation reaches as it is stored', async () => {
    const { statements } = await enforced('loan/summary', 7, new Map());
    assert.equal(statements.length, 1);
  });
});
