import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { DedicatedConnection } from '../../../src/kernel/database/connection-pool.ts';
import { expectOk, type Row } from '../../support/client.ts';
import { testPlatform, type Caller } from '../../support/platform.ts';
import { watchPlainConnections } from '../../support/database-waits.ts';
import { fixture } from '../../support/kernel/fixture.ts';

const p = await testPlatform({ after }, { fixture });
const post = (route: string, body: object, caller: Caller = p.admin): Promise<Row> =>
  expectOk(caller.post(`/api/${route}?Output=Json`, body));

/** Returns the beginnings of the statements that transactions send while `run` runs. */
async function statementsOf(run: () => Promise<unknown>): Promise<readonly string[]> {
  const statements: string[] = [];
  const { query } = DedicatedConnection.prototype;
  const plain = watchPlainConnections();
  DedicatedConnection.prototype.query = function (text, params, prepare, script) {
    if (!plain.has(this)) statements.push(text.slice(0, 80));
    return query.call(this, text, params, prepare, script) as never;
  };
  try {
    await run();
  } finally {
    DedicatedConnection.prototype.query = query;
    plain.stop();
  }
  return statements;
}

/** How often a call is made until everything that it caches is cached. */
const CALLS = 3;

/** Asserts how many statements a call sends at most between the beginning and the end of its transaction. */
async function assertStatements(max: number, run: (n: number) => Promise<unknown>): Promise<void> {
  let fewest: readonly string[] | undefined;
  for (let n = 0; n < CALLS; n++) {
    const statements = (await statementsOf(() => run(n))).slice(1, -1);
    if (!fewest || statements.length < fewest.length) fewest = statements;
  }
  assert.ok(fewest && fewest.length <= max, `${fewest?.length} statements, at most ${max}:\n${fewest?.join('\n')}`);
}

let number = 0;
const newName = (): string => `Name ${++number}`;
const newContact = (parent: object = {}): Promise<Row> => post('contact/save', { LastName: newName(), ...parent });

/** Returns the IDs of new contacts, one for each call. */
async function newContacts(parent?: object): Promise<readonly unknown[]> {
  const ids: unknown[] = [];
  for (let n = 0; n < CALLS; n++) ids.push((await newContact(parent))['ContactID']);
  return ids;
}

describe('a change of a record sends no more statements than it needs', () => {
  it('KRN-09 an insert', async () => {
    await assertStatements(1, () => newContact());
  });

  it('KRN-09 an update, with its label if a part of it was sent', async () => {
    const { ContactID: id } = await newContact();
    await assertStatements(3, () => post('contact/save', { ID: id, Title: newName() }));
    await assertStatements(4, () => post('contact/save', { ID: id, LastName: newName() }));
  });

  it('KRN-12 an insert and an update by external ID', async () => {
    await assertStatements(5, () => post('contact/save', { SubscriberID: newName(), LastName: newName() }));
    await post('contact/save', { SubscriberID: 'counted', LastName: 'C' });
    await assertStatements(5, () => post('contact/save', { SubscriberID: 'counted', Title: newName() }));
  });

  it('KRN-09 a save with children, one of them by its kind', async () => {
    const children = { Email: 'a@x.example', Chores_0_Chore: 'a', Chores_1_Chore: 'b' };
    await assertStatements(5, () => post('contact/save', { LastName: newName(), ...children }));
  });

  it('KRN-09 a save with a linked record', async () => {
    await assertStatements(2, () => post('chore/save', { Chore: 'a', HelperContact_LastName: newName() }));
  });

  it('KRN-19 a delete', async () => {
    const ids = await newContacts();
    // Two of them find out whether its ledgers are in the books, and whether payments still need the contact.
    await assertStatements(7, (n) => post('contact/delete', { ID: ids[n] }));
  });

  it('KRN-20 an undelete', async () => {
    const ids = await newContacts();
    for (const id of ids) await post('contact/delete', { ID: id });
    // One of them finds out which firms see its children.
    await assertStatements(10, (n) => post('contact/undelete', { ID: ids[n] }));
  });

  it("KRN-19 a firm's delete, which leaves and enters its role three times", async () => {
    await post('role/save', { Role: 'Counter', Permissions: 'ContactSave ContactDelete' });
    const { caller, organizationId } = await p.firm('Counted', 'Counter');
    const ids = await newContacts({ Object: 'Organization', ObjectID: organizationId });
    // As above; ledgers and payments are read outside its role, which it leaves and enters once more for each.
    await assertStatements(13, (n) => post('contact/delete', { ID: ids[n] }, caller));
  });
});
