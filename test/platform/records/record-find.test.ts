import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { maintainWordIndexes } from '../../../src/modules/records/record/lib/maintain-word-indexes.ts';
import { wordsSql } from '../../../src/modules/records/record/lib/search-words.ts';
import { runTask } from '../../../src/surfaces/scheduler/scheduler.ts';
import type { Transaction } from '../../../src/kernel/database/store.ts';
import { testPlatform, type Caller } from '../../support/platform.ts';

const p = await testPlatform({ after });

async function save(path: string, values: object): Promise<number> {
  const answer = await p.admin.post(`/api/${path}/save?Output=Json`, values);
  assert.equal(answer.status, 200, answer.text);
  return Number(Object.entries(answer.json()).find(([name]) => name.toLowerCase() === `${path}id`)?.[1]);
}

async function found(caller: Caller, query: string): Promise<string[]> {
  const answer = await caller.get(`/api/record/find?Output=Json&${query}`);
  assert.equal(answer.status, 200, answer.text);
  const { FoundCollection } = answer.json() as unknown as {
    FoundCollection: { FoundItem?: { Object: string; ObjectID: number; FoundBy: string }[] };
  };
  return (FoundCollection.FoundItem ?? []).map((row) => `${row.Object} ${row.ObjectID} ${row.FoundBy}`).sort();
}

async function messageId(subject: string): Promise<number> {
  const [row] = await p.platform.store.query<{ id: number }>(
    'select messageid as id from message where message = $1::text',
    [subject],
  );
  return row?.id ?? 0;
}

/** Returns how many rows of contacts the transaction has read by reading the whole table. */
async function scannedRows(transaction: Transaction): Promise<number> {
  const [row] = await transaction.query<{ rows: number }>(
    "select pg_stat_get_xact_tuples_returned('contact'::regclass)::integer as rows",
  );
  return row?.rows ?? 0;
}

describe('finding records of any type', async () => {
  const loan = await save('loan', { Loan: '880100200', ServicerLoanID: 'S-9001' });
  const foreclosure = await save('foreclosure', {
    Foreclosure: 'Früh-26-7',
    LoanID: loan,
    SubscriberID: 'firm-case-77',
  });
  const contact = await save('contact', { LastName: 'Fruhling', FirstName: 'Ada' });
  const organization = await save('organization', { Organization: 'Fruh & Partners' });

  it('WEB-01 finds records of all types by the beginning of their label, ignoring case and accents, each with its concrete type', async () => {
    assert.deepEqual(
      await found(p.admin, 'Text=fruh'),
      [`Contact ${contact} Label`, `Foreclosure ${foreclosure} Label`, `Organization ${organization} Label`].sort(),
    );
    assert.deepEqual(await found(p.admin, 'Text=880100'), [`Loan ${loan} Label`]);
    assert.deepEqual(await found(p.admin, 'Text=fruh&Objects=Organization'), [`Organization ${organization} Label`]);
    assert.deepEqual(await found(p.admin, 'Text=fruh&Objects=Process'), [`Foreclosure ${foreclosure} Label`]);
    assert.deepEqual(await found(p.admin, 'Text=ada+fruhl'), [`Contact ${contact} Label`]);
    assert.deepEqual(await found(p.admin, 'Text=*Ada'), [`Contact ${contact} Label`]);
  });

  it('WEB-01 finds people, loans, properties and cases by any words of names and addresses, and by the last digits of a number', async () => {
    const of = await save('loan', { Loan: '7700451298', ServicerLoanID: 'SVC-55-8812' });
    const home = await save('property', { Address: '3479 Driftwood Lane', City: 'Quail Hollow', State: 'PA' });
    const borrower = await save('contact', {
      Object: 'Loan',
      ObjectID: of,
      LastName: 'Quillfeather',
      FirstName: 'Bråm',
      Address: '12 Seagull Court',
    });
    const foreclosure3 = await save('foreclosure', { Foreclosure: 'NGL-24-00003', LoanID: of });
    for (const [text, hit] of [
      ['Bram', `Contact ${borrower}`],
      ['bram quill', `Contact ${borrower}`],
      ['seagull', `Contact ${borrower}`],
      ['12 Seagull', `Contact ${borrower}`],
      ['Driftwood Lane', `Property ${home}`],
      ['3479 driftw', `Property ${home}`],
      ['hollow', `Property ${home}`],
      ['1298', `Loan ${of}`],
      ['51298', `Loan ${of}`],
      ['8812', `Loan ${of}`],
      ['00003', `Foreclosure ${foreclosure3}`],
      ['ngl 00003', `Foreclosure ${foreclosure3}`],
    ] as const)
      assert.deepEqual(
        (await found(p.admin, `Text=${encodeURIComponent(text)}`)).filter((each) => !each.endsWith(' ID')),
        [`${hit} ${/bram quill|3479/.test(text) ? 'Label' : 'Words'}`],
        text,
      );
    for (const text of ['Driftwood Court', '0451', 'am'])
      assert.deepEqual(
        (await found(p.admin, `Text=${encodeURIComponent(text)}`)).filter((each) => each.includes('Words')),
        [],
        text,
      );
  });

  it('WEB-01 finds pieces within words, after those that begin with them, and any pattern of a label', async () => {
    const ids: Record<string, number> = {};
    for (const [name, LastName] of [
      ['within', 'Overbråstonish'],
      ['begins', 'Brastonia'],
      ['code', 'Zq58X99712-Brast'],
    ] as const)
      ids[name] = await save('contact', { LastName });
    const rows = async (text: string, caller = p.admin): Promise<string[]> =>
      (await found(caller, `Text=${encodeURIComponent(text)}&DisplaySize=2`)).map((row) =>
        row.replace(/ (?!.* ).*/, ''),
      );
    const of = (...names: readonly string[]): string[] => names.map((name) => `Contact ${ids[name]}`).sort();
    assert.deepEqual(await rows('brast'), of('begins', 'code'), 'of three records, the two that begin with it');
    assert.deepEqual(await rows('bråstonis'), of('within'));
    assert.deepEqual(await rows('stonia'), of('begins'));
    assert.deepEqual(await rows('x99712'), of('code'));
    assert.deepEqual(await rows('99712'), of('code'));
    assert.deepEqual(await rows('971'), [], 'pieces within numbers are not searched');
    for (const [pattern, hits] of [
      ['*rastoni', of('within', 'begins')],
      ['*8X99', of('code')],
      ['*BRÅST*ish', of('within')],
      ['*xyzzy*', []],
    ] as const)
      assert.deepEqual(await rows(pattern), hits, pattern);
  });

  it('KRN-18 WEB-01 a firm finds words, pieces and labels of its own records alone, with the indexes', async () => {
    const mine = await p.firm('Wordless Firm');
    const other = await p.firm('Wordful Firm');
    const own = await save('contact', {
      Object: 'Organization',
      ObjectID: mine.organizationId,
      LastName: 'Hawthornewick',
      Address: '8 Tamarind Row',
    });
    const theirs = await save('contact', {
      Object: 'Organization',
      ObjectID: other.organizationId,
      LastName: 'Hawthornewick',
      Address: '8 Tamarind Row',
    });
    for (const text of ['hawthorne', 'thornewick', 'tamarind', 'amarind row', '*ornewi', 'Hawthornewick*']) {
      for (const [firm, id] of [
        [mine, own],
        [other, theirs],
      ] as const)
        assert.deepEqual(
          (await found(firm.caller, `Text=${encodeURIComponent(text)}`)).map((row) => row.split(' ', 2).join(' ')),
          [`Contact ${id}`],
          text,
        );
    }
    // A user without a firm and without universal access sees nothing, whatever the functions may read.
    assert.equal(
      (await p.admin.post('/api/role/save', { Role: 'Lone', Permissions: 'RecordFind ContactSearch' })).status,
      200,
    );
    assert.deepEqual(await found((await p.user('lone', 'Lone')).caller, 'Text=hawthorne'), []);
    const asFirm = { personId: null, firm: mine.organizationId, callId: 'test' };
    await p.platform.store.query(
      `insert into contact (contact, recordclass, createdpersonid, reachorganizationid)
       select 'Many ' || n, 'Contact', 1, '{1}' from generate_series(1, 20000) n`,
    );
    await p.platform.store.query('analyze contact');
    for (const call of [
      "casewright_find_words('contact', 'thornewick', 5)",
      "casewright_find_labels('contact', 'hawthorne%', 'hawthorne%', 5)",
      "casewright_find_labels('contact', '%thornewick%', '%thornewick%', 5)",
    ]) {
      const read = await p.platform.store.transaction(asFirm, async (transaction) => {
        const before = await scannedRows(transaction);
        assert.equal((await transaction.query(`select 1 from ${call}`)).length, 1, call);
        return (await scannedRows(transaction)) - before;
      });
      assert.equal(read, 0, `${call} reads no whole table`);
    }
  });

  it('WEB-01 reads the index of the words; without it finds nothing by words, until housekeeping has built it', async () => {
    const { store, registry } = p.platform;
    for (const record of registry.records().filter(({ words }) => words !== undefined)) {
      const plan = await store.transaction({ personId: null, firm: null, callId: 'test' }, async (transaction) => {
        await transaction.query('set local enable_seqscan = off');
        return transaction.query(
          `explain select 1 from ${record.table} where ${wordsSql(record)} @@ casewright_words_query('driftwood lane')`,
        );
      });
      assert.match(JSON.stringify(plan), new RegExp(`${record.table}_words_idx`));
    }
    const organization7 = await save('organization', { Organization: 'The Seventh Zephyr' });
    await store.query('drop index contact_words_idx');
    assert.deepEqual(await found(p.admin, 'Text=zephyr'), []);
    assert.equal(await runTask(p.platform, maintainWordIndexes), 'done');
    assert.deepEqual(await found(p.admin, 'Text=zephyr'), [`Organization ${organization7} Words`]);
  });

  it('WEB-01 finds an ID and an external ID, which is compared byte for byte', async () => {
    assert.deepEqual(await found(p.admin, 'Text=s-9001'), [`Loan ${loan} ServicerLoanID`]);
    assert.deepEqual(await found(p.admin, 'Text=firm-case-77'), [`Foreclosure ${foreclosure} SubscriberID`]);
    assert.deepEqual(await found(p.admin, 'Text=FIRM-CASE-77'), []);
    assert.ok((await found(p.admin, `Text=${loan}&Objects=Loan`)).includes(`Loan ${loan} ID`));
  });

  it('treats characters with a meaning in patterns or SQL as plain text', async () => {
    await save('contact', { LastName: '50%_off\\', FirstName: "O'Hara" });
    assert.equal((await found(p.admin, `Text=${encodeURIComponent('50%_')}`)).length, 1);
    for (const text of ['%%', '__', "' or 1=1 --", '\\\\', '50x', "$1::text'"])
      assert.deepEqual(await found(p.admin, `Text=${encodeURIComponent(text)}`), [], text);
  });

  it('KRN-17 KRN-18 a partner finds what it can access, and a user who can read one type finds only that type', async () => {
    const firm = await p.firm('Fruh Law');
    assert.deepEqual(await found(firm.caller, 'Text=fruh'), [`Organization ${firm.organizationId} Label`]);
    assert.deepEqual(await found(firm.caller, 'Text=firm-case-77'), []);
    assert.equal(
      (
        await p.admin.post('/api/role/save', {
          Role: 'Finder',
          Permissions: 'RecordFind LoanSearch',
          UniversalAccess: 'true',
        })
      ).status,
      200,
    );
    const { caller } = await p.user('finder', 'Finder');
    assert.deepEqual(await found(caller, 'Text=880100'), [`Loan ${loan} Label`]);
    assert.deepEqual(await found(caller, 'Text=fruh'), []);
    const none = await p.user('nobody to speak of', '');
    assert.equal((await none.caller.get('/api/record/find?Text=fruh')).status, 403);
  });

  it('KRN-19 reports invalid text, types and row counts', async () => {
    for (const [query, field] of [
      ['Text=a', 'Text'],
      ['Text=**', 'Text'],
      ['', 'Text'],
      ['Text=abc&Objects=Lone', 'Objects'],
      ['Text=abc&DisplaySize=0', 'DisplaySize'],
      ['Text=abc&DisplaySize=51', 'DisplaySize'],
      ['Text=a%00b', 'Text'],
    ] as const) {
      const answer = await p.admin.get(`/api/record/find?Output=Json&${query}`);
      assert.equal(answer.status, 400, query);
      assert.equal((answer.json()['Error'] as unknown as { Field: string }).Field, field, query);
    }
  });

  it('WEB-01 finds documents by the beginning of their names, and by words of these and of their files', async () => {
    const id = await save('attachment', {
      Attachment: 'Order of vacatur',
      FileName: 'lindqvist-drumlin.txt',
      Content: Buffer.from('An order').toString('base64'),
      Object: 'Loan',
      ObjectID: loan,
    });
    assert.deepEqual(await found(p.admin, 'Text=order+of'), [`Attachment ${id} Label`]);
    assert.deepEqual(await found(p.admin, 'Text=vacatur'), [`Attachment ${id} Words`]);
    assert.deepEqual(await found(p.admin, 'Text=drumlin'), [`Attachment ${id} Words`]);
    const stranger = await p.firm('Documentless Firm');
    assert.deepEqual(await found(stranger.caller, 'Text=vacatur'), []);
  });

  it('WEB-01 searches the labels of the newest 2,000 records of a type that has no index of words', async () => {
    await p.platform.store.query(
      "insert into message (message, createdpersonid) select 'Zebrawood ' || n, 1 from generate_series(1, 2001) n",
    );
    assert.deepEqual(await found(p.admin, 'Text=Zebrawood+1&Objects=Message&DisplaySize=1'), [
      `Message ${await messageId('Zebrawood 1999')} Label`,
    ]);
    assert.equal((await found(p.admin, 'Text=Zebrawood+2&Objects=Message&DisplaySize=50')).length, 50);
    assert.deepEqual(await found(p.admin, 'Text=Zebrawood+2001&Objects=Message'), [
      `Message ${await messageId('Zebrawood 2001')} Label`,
    ]);
    const oldest = await messageId('Zebrawood 1');
    assert.deepEqual(await found(p.admin, `Text=${oldest}&Objects=Message`), [`Message ${oldest} ID`]);
    await p.platform.store.query("update message set message = 'Ipe' where messageid = $1::bigint", [oldest]);
    assert.deepEqual(await found(p.admin, 'Text=Ipe&Objects=Message'), []);
  });

  it('uses an index when there are many records', async () => {
    await p.platform.store.query(
      "insert into loan (loan, createdpersonid) select 'L' || n, 1 from generate_series(1, 20000) n",
    );
    await p.platform.store.query('analyze loan');
    const plan = await p.platform.store.query<Record<string, string>>(
      `explain select 1 from loan
       where casewright_fold(loan.loan) collate "C" like casewright_fold('L1999%')
         or casewright_fold(loan.loan) collate "C" like casewright_fold('L1998%')`,
    );
    assert.match(plan.map((row) => Object.values(row)[0]).join('\n'), /loan_label_idx/);
  });
});

describe('the health of the installation', () => {
  before(async () => {
    // Whatever else is on the disk of this machine.
    for (const name of ['DiskWarningPercent', 'DiskFailedPercent'])
      assert.equal((await p.admin.post('/api/setting/save', { Setting: name, Value: '100' })).status, 200);
  });

  it('WEB-06 is shown to administrators, with the state of database, queues, files and failures', async () => {
    const answer = await p.admin.get('/api/system/health?Output=Json');
    assert.equal(answer.status, 200, answer.text);
    const rows = (
      answer.json() as unknown as {
        HealthCollection: { HealthItem: { Health: string; State: string; Detail: string }[] };
      }
    ).HealthCollection.HealthItem;
    assert.deepEqual(
      rows.map((row) => `${row.Health}: ${row.State}`),
      [
        'Database disk: ok',
        'Database: ok',
        'Stored files: ok',
        'Malware scan: ok',
        'Disk space: ok',
        'Queues: ok',
        'Installation: ok',
        'Payments: ok',
        'Public address: ok',
        'Mail: ok',
        'Mailboxes: ok',
        'Dead letters: ok',
        'API keys: ok',
        'Certificates: ok',
        'Failures of the last day: ok',
        'Proxies: ok',
        'Printing: ok',
        'Text of documents: ok',
        'Conversion: ok',
        'This process: ok',
      ],
    );
    assert.match(rows[1]?.Detail ?? '', /^PostgreSQL \d+/);
    const firm = await p.firm('Curious Firm', 'Partner');
    assert.equal((await firm.caller.get('/api/system/health')).status, 403);
    const staff = await p.user('curious', 'Staff');
    assert.equal((await staff.caller.get('/api/system/health')).status, 403);
  });

  it('WEB-06 warns of a stopped queue and of an unexpected failure', async () => {
    assert.equal((await p.admin.post('/api/queue/stop', { QueueName: 'Mail' })).status, 200);
    await p.platform.journal.error({
      correlationId: 'x',
      operation: 'probe',
      message: 'planted',
      stack: '',
      cause: '',
      personId: null,
    });
    const rows = (
      (await p.admin.get('/api/system/health?Output=Json')).json() as unknown as {
        HealthCollection: { HealthItem: { Health: string; State: string; Detail: string }[] };
      }
    ).HealthCollection.HealthItem;
    assert.match(rows.find((row) => row.Health === 'Queues')?.Detail ?? '', /Not running: Mail/);
    assert.deepEqual(
      rows.filter((row) => row.State === 'warning').map((row) => row.Health),
      ['Queues', 'Failures of the last day'],
    );
    await p.admin.post('/api/queue/start', { QueueName: 'Mail' });
  });
});
