/** Batches: each row of a query becomes a call that runs once, and the batch ends with the last of them. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { batchEnded, batchRows, countContacts, insertContacts, makeBatch } from '../../support/imports/batches.ts';
import { testPlatform, type TestAnswer } from '../../support/platform.ts';

const t = await testPlatform({ after }, { worker: true });
const { admin } = t;

/** So many consecutive rows are one message, if nothing limits how many run at a time. */
const ROWS_OF_A_MESSAGE = 500;

const queueMessagesOf = async (importFileId: number): Promise<Record<string, number>> => {
  const rows = await t.platform.store.query<{ name: string; n: number }>(
    `select name, count(*)::integer as n from pgboss.job
     where data ->> 'label' = $1::text and data ->> 'route' = 'importfilequeue/process'
     group by name
     order by name`,
    [`Import file ${importFileId}`],
  );
  return Object.fromEntries(rows.map(({ name, n }) => [name, n]));
};

async function count(table: string): Promise<number> {
  const [row] = await t.platform.store.query<{ n: number }>(`select count(*)::integer as n from ${table}`);
  return row?.n ?? 0;
}

describe('importfile/batch', () => {
  it('IMP-07 IMP-20 IMP-16 every row of the query, on however many pages, becomes a call under one import file and runs once', async () => {
    await insertContacts(t, 'Paged', 60);
    const made = await makeBatch(admin, {
      ClassName: 'Contact',
      Operation: 'Search',
      LastName: 'Paged',
      Signature: 'Contact/Save?ID={ContactID}&MiddleName=done-{FirstName}',
    });
    assert.deepEqual([made.RowCount, made.Status], [60, 'Importing']);
    assert.deepEqual(await batchEnded(t, made.ImportFileID), {
      status: 'Complete',
      successcount: 60,
      errorcount: 0,
      message: null,
    });
    assert.equal(await countContacts(t, `lastname = 'Paged' and middlename = 'done-' || firstname`), 60);
    const rows = await batchRows(t, made.ImportFileID);
    assert.equal(rows.length, 60);
    assert.ok(
      rows.every(
        (row, n) =>
          row.succeeded &&
          !row.failed &&
          row.executecount === 1 &&
          row.status === 'Complete' &&
          row.queue === 'Batch' &&
          row.label === 'Unknown' &&
          row.line === n + 1 &&
          row.classname === 'Contact' &&
          row.operation === 'Save',
      ),
    );
    assert.equal(new Set(rows.map((row) => row.result)).size, 60);
    const [log] = await t.platform.store.query<{ n: number; kinds: string }>(
      `select count(*)::integer as n, string_agg(distinct status || ' ' || operation, ',') as kinds
       from importlog
       where importfileid = $1::bigint`,
      [made.ImportFileID],
    );
    assert.deepEqual({ ...log }, { n: 60, kinds: 'Success Update' });
  });

  it("IMP-07 a saved statement is read to its end, and a row's Queue column overrides BatchQueue; a queue of many rows needs few messages", async () => {
    await insertContacts(t, 'Queues', 610);
    await admin.post('/api/statement/save', {
      ClassName: 'Contact',
      Statement: 'QueuesOf',
      Query:
        `select ContactID, FirstName, ` +
        `case when ContactID % 3 = 0 then 'mail' when ContactID % 3 = 1 then '' end as "Queue", ` +
        `'the ' || FirstName as "ImportFileQueue" from Contact where LastName = {Name}`,
    });
    const made = await makeBatch(admin, {
      ClassName: 'Contact',
      Operation: 'QueuesOf',
      Name: 'Queues',
      Signature: 'Contact/Save?ID={ContactID}&MiddleName={firstname}',
      BatchQueue: 'report',
    });
    assert.equal(made.RowCount, 610);
    const file = await batchEnded(t, made.ImportFileID, 60_000);
    assert.deepEqual([file.status, file.successcount], ['Complete', 610]);
    const rows = await batchRows(t, made.ImportFileID);
    const requested = rows.map((row) => (Number(row.result) % 3 === 0 ? 'Mail' : 'Report'));
    assert.deepEqual(
      rows.map((row) => row.queue),
      requested,
    );
    assert.match(rows[0]?.label ?? '', /^the n\d+$/);
    const messages = await queueMessagesOf(made.ImportFileID);
    assert.deepEqual(Object.keys(messages), ['Mail', 'Report']);
    // Two each; on a busy machine the first one's time ends before its rows, and another continues.
    for (const n of Object.values(messages)) assert.ok(n >= 2 && n <= 6, `${n} messages`);
    assert.equal(await countContacts(t, `lastname = 'Queues' and middlename = firstname`), 610);
  });

  it('IMP-20 an XML tree is a source too: each element below its root is a row of its attributes and leaf elements', async () => {
    await insertContacts(t, 'Tree', 3);
    const first = await makeBatch(admin, {
      ClassName: 'Contact',
      Operation: 'Search',
      LastName: 'Tree',
      Signature: 'Contact/Save?ID={ContactID}&MiddleName=once',
    });
    await batchEnded(t, first.ImportFileID);
    const second = await makeBatch(admin, {
      ClassName: 'ImportFile',
      Operation: 'Results',
      ID: first.ImportFileID,
      Signature: 'Contact/Save?ID={ObjectID}&MiddleName={Operation}-{Status}',
    });
    assert.equal(second.RowCount, 3);
    assert.equal((await batchEnded(t, second.ImportFileID)).successcount, 3);
    assert.equal(await countContacts(t, `lastname = 'Tree' and middlename = 'Update-Success'`), 3);
  });

  it('IMP-20 a query without rows completes at once', async () => {
    const made = await makeBatch(admin, {
      ClassName: 'Contact',
      Operation: 'Search',
      LastName: 'Nobody of this name',
      Signature: 'Contact/Save?ID={ContactID}',
    });
    assert.deepEqual([made.RowCount, made.Status], [0, 'Complete']);
  });

  it('IMP-20 IMP-07 refuses a source that does not return rows, an unknown operation, column, queue or signature, and paging, and creates nothing', async () => {
    await insertContacts(t, 'Refused', 2);
    const before = [await count('importfile'), await count('importfilequeue'), await count('pgboss.job')];
    const search = {
      ClassName: 'Contact',
      Operation: 'Search',
      LastName: 'Refused',
      Signature: 'Contact/Save?ID={ContactID}',
    };
    const refused = async (parameters: Record<string, unknown>, status: number, words: RegExp): Promise<void> => {
      const answer: TestAnswer = await admin.post('/api/importfile/batch?Output=Json', { ...search, ...parameters });
      assert.equal(answer.status, status, answer.text);
      assert.match(answer.text, words);
    };
    await refused(
      { Operation: 'Select', ID: 1 },
      400,
      /ContactSelect returns no rows; expected a read operation that returns a list/,
    );
    await refused({ Operation: 'Save' }, 400, /ContactSave returns no rows/);
    await refused({ Operation: 'History', ID: 1 }, 400, /one page at a time/);
    await refused({ Operation: 'Serach' }, 404, /Operation: There is no operation/);
    await refused({ ClassName: 'Contcat' }, 400, /ClassName/);
    await refused({ DisplaySize: 10 }, 400, /DisplaySize: all rows are read/);
    await refused({ LastNmae: 'x' }, 400, /LastNmae/);
    await refused({ BatchQueue: 'Btach' }, 400, /no such queue/);
    await refused({ Signature: 'Contact/Save?ID={ContactNumber}' }, 400, /no column \{ContactNumber\}/);
    await refused({ Signature: 'Contact/{FirstName}?ID={ContactID}' }, 400, /braces fill in values only/);
    await refused({ Signature: 'Contact/Save?{FirstName}=1' }, 400, /BAD_SIGNATURE/);
    await refused({ Signature: 'Contact/Frobnicate?ID={ContactID}' }, 400, /no operation frobnicate/i);
    await refused({ Signature: 'Contact/Save?Nonsense={ContactID}' }, 400, /takes no parameter Nonsense/);
    await refused({ Signature: '' }, 400, /Signature/);
    assert.deepEqual([await count('importfile'), await count('importfilequeue'), await count('pgboss.job')], before);
  });

  it('IMP-07 a value cannot inject anything: text that looks like parameters, braces or another operation is stored as it is', async () => {
    const nasty = [
      'x&Operation=Delete&ID=1',
      '{ContactID}',
      '%26ID%3D1',
      '<Parameters><ID>1</ID></Parameters>',
      'a=b;c',
      '"quoted" \\ back',
      ' kept ',
      'line\nand\r\nline',
      '../../Delete',
      'ᚠ€😀',
    ];
    for (const value of nasty)
      await t.platform.store.query(
        `insert into contact (recordclass, contact, lastname, firstname, reachorganizationid)
         values ('Contact', 'x', 'Nasty', $1::text, '{}')`,
        [value],
      );
    const made = await makeBatch(admin, {
      ClassName: 'Contact',
      Operation: 'Search',
      LastName: 'Nasty',
      OrderBy: 'ContactID',
      Signature: 'Contact/Save?ID={ContactID}&MiddleName={FirstName}&Company=lead%20{FirstName}%26tail',
    });
    const file = await batchEnded(t, made.ImportFileID);
    assert.deepEqual(file, { status: 'Complete', successcount: nasty.length, errorcount: 0, message: null });
    const rows = await t.platform.store.query<{ firstname: string; middlename: string; company: string }>(
      `select firstname, middlename, company from contact where lastname = 'Nasty' order by contactid`,
    );
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      nasty.map((value) => ({ firstname: value, middlename: value, company: `lead ${value}&tail` })),
    );
  });

  it('IMP-07 KRN-02 the rows of a batch of one lane change one record in their order, even across messages of 500 rows', async () => {
    const [first = 0] = await insertContacts(t, 'Ordered', ROWS_OF_A_MESSAGE + 20);
    const made = await makeBatch(admin, {
      ClassName: 'Contact',
      Operation: 'Search',
      LastName: 'Ordered',
      OrderBy: 'ContactID',
      Signature: `Contact/Save?ID=${first}&Company={FirstName}`,
      BatchStepTheadCount: 1,
    });
    assert.equal((await batchEnded(t, made.ImportFileID)).successcount, ROWS_OF_A_MESSAGE + 20);
    assert.equal(await countContacts(t, `contactid = ${first} and company = 'n${ROWS_OF_A_MESSAGE + 20}'`), 1);
    const [late] = await t.platform.store.query<{ n: number }>(
      `select count(*)::integer as n from (
         select successdate < lag(successdate) over (order by sourceline) as earlier from importfilequeue
         where importfileid = $1::bigint) as row where earlier`,
      [made.ImportFileID],
    );
    assert.equal(late?.n, 0, 'rows that were done before the row in front of them');
  });

  it('IMP-07 calls on a record below a parent, calls on one record, and queued calls work too', async () => {
    const [id = 0] = await insertContacts(t, 'Routes', 1);
    for (const signature of [
      `Contact/${id}/Contact/Save?LastName={FirstName}-child`,
      `Contact/Save/${id}?MiddleName={FirstName}`,
      'Contact/queue/Save?LastName=Routed-{FirstName}',
    ]) {
      const made = await makeBatch(admin, { ClassName: 'Contact', Operation: 'Search', ID: id, Signature: signature });
      assert.equal((await batchEnded(t, made.ImportFileID)).successcount, 1, signature);
    }
    assert.equal(await countContacts(t, `lastname = 'n1-child' and objectid = ${id}`), 1);
    assert.equal(await countContacts(t, `contactid = ${id} and middlename = 'n1'`), 1);
  });
});
