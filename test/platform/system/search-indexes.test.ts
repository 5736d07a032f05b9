import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, describe, it } from 'node:test';
import postgres from 'postgres';
import { maintainSearchIndexes } from '../../../src/modules/system/system/lib/maintain-search-indexes.ts';
import { runTask } from '../../../src/surfaces/scheduler/scheduler.ts';
import { client, expectRefused, type Row } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { testSession } from '../../support/pages/session.ts';
import { testPlatform } from '../../support/platform.ts';
import { secondPlatform } from '../../support/second-platform.ts';

const p = await testPlatform({ after });
const admin = client(p);
const { store } = p.platform;

/** Asks for an index and returns its id. */
async function add(RecordType: string, Columns: string, IndexKind = 'Value'): Promise<number> {
  return Number((await admin.expectOk('system/createindex', { RecordType, Columns, IndexKind }))['SearchIndexID']);
}

const maintain = (platform = p.platform): Promise<string> => runTask(platform, maintainSearchIndexes);

async function indexOf(id: number): Promise<Row | undefined> {
  return (await admin.expectRows('system/indexes')).find((row) => row['SearchIndexID'] === id);
}

async function isInDatabase(id: number): Promise<boolean> {
  const rows = await store.query('select 1 from pg_class where relname = $1::text', [`searchindex_${id}`]);
  return rows.length > 0;
}

async function remove(id: number): Promise<void> {
  await admin.expectOk('system/deleteindex', { SearchIndexID: id });
  assert.equal(await maintain(), 'done');
  assert.equal(await isInDatabase(id), false);
  assert.equal(await indexOf(id), undefined);
}

/** Whether PostgreSQL reads an index for a query, if it may not read the whole table. */
async function usesIndex(id: number, query: string): Promise<boolean> {
  const plan = await store.transaction({ personId: null, firm: null, callId: 'test' }, async (transaction) => {
    await transaction.query('set local enable_seqscan = off');
    await transaction.query('set local enable_sort = off');
    return transaction.query(`explain ${query}`);
  });
  return JSON.stringify(plan).includes(`searchindex_${id} `) || JSON.stringify(plan).includes(`searchindex_${id}"`);
}

/** Runs a part in which statements outside transactions fail, as on a full disk. */
async function withFailingBuilds(run: () => Promise<void>): Promise<void> {
  const { outsideTransaction } = store;
  store.outsideTransaction = (text, milliseconds) =>
    text.startsWith('create index')
      ? Promise.reject(new Error('no space left on device'))
      : outsideTransaction.call(store, text, milliseconds);
  try {
    await run();
  } finally {
    store.outsideTransaction = outsideTransaction;
  }
}

describe('indexes that administrators add', () => {
  it('an index of values is created by housekeeping, serves filters, ranges and both directions, and shows its use', async () => {
    const id = await add('Loan', 'Agency,-UPBAmount');
    assert.deepEqual(
      [(await indexOf(id))?.['State'], (await indexOf(id))?.['Columns'], await isInDatabase(id)],
      ['Waiting', 'Agency,-UPBAmount', false],
    );
    assert.equal(await maintain(), 'done');
    const index = await indexOf(id);
    assert.equal(index?.['State'], 'Ready');
    assert.ok(Number(index['SizeBytes']) > 0);
    assert.ok(Number(index['CreatedPersonID']) > 0);
    const query = "select 1 from loan where agency = 'FNMA' order by upbamount desc nulls last, loanid limit 5";
    assert.ok(await usesIndex(id, query));
    await remove(id);
  });

  it('an index on a descending column without empty values serves the order of a search', async () => {
    const id = await add('contact', '-CreatedDate');
    await maintain();
    assert.ok(await usesIndex(id, 'select 1 from contact order by createddate desc, contactid limit 5'));
    await remove(id);
  });

  it('an index of texts serves patterns anywhere in the text, without case and accents', async () => {
    const id = await add('Contact', 'Company', 'Contains');
    await maintain();
    const { Contact } = await admin.save('contact', { Company: 'Ägyptische Bänke' });
    assert.equal(Contact, 'Ägyptische Bänke');
    const condition = `casewright_fold(contact.company) collate "C" like casewright_fold('%BANKE%')`;
    assert.ok(await usesIndex(id, `select 1 from contact where ${condition}`));
    assert.equal((await admin.expectRows('contact/search', { Company: '*banke*' })).length, 1);
    await remove(id);
  });

  it('columns of a base type are indexed in its table', async () => {
    const id = await add('Foreclosure', 'ClosedReason');
    assert.equal((await indexOf(id))?.['RecordType'], 'Process');
    const shown = await admin.expectRows('system/indexes', { RecordType: 'Bankruptcy' });
    assert.ok(shown.some((row) => row['SearchIndexID'] === id));
    await remove(id);
  });

  it('an index never refuses the longest texts that its columns take', async () => {
    // Characters of four bytes that do not compress.
    const longest = (at: number): string =>
      Array.from({ length: 255 }, (_, n) => String.fromCodePoint(0x20000 + (((at + n) * 654_321) % 0xd0000))).join('');
    await admin.expectRefused(
      'system/createindex',
      { RecordType: 'Contact', Columns: 'Company,Address,SCRAMessage' },
      'BAD_PARAMETER',
      'Columns',
    );
    const id = await add('Contact', 'Company,Address,City,Latitude');
    await maintain();
    await admin.save('contact', { Company: longest(1), Address: longest(300), City: longest(600).slice(0, 200) });
    await remove(id);
  });

  it('refuses columns that no index can serve, naming the parameter', async () => {
    const refused = [
      [{ RecordType: 'Lone', Columns: 'Status' }, 'RecordType'],
      [{ RecordType: 'Loan', Columns: 'Colour' }, 'Columns'],
      [{ RecordType: 'Loan', Columns: 'Status,Status' }, 'Columns'],
      [{ RecordType: 'Loan', Columns: 'LoanID' }, 'Columns'],
      [{ RecordType: 'Loan', Columns: 'Status,Agency,LoanType,PropertyID,UPBAmount' }, 'Columns'],
      [{ RecordType: 'Foreclosure', Columns: 'Status,SaleAmount' }, 'Columns'],
      [{ RecordType: 'Contact', Columns: 'USSSN' }, 'Columns'],
      [{ RecordType: 'Message', Columns: 'BodyText' }, 'Columns'],
      [{ RecordType: 'Loan', Columns: 'UPBAmount', IndexKind: 'Contains' }, 'Columns'],
      [{ RecordType: 'Loan', Columns: 'Loan,Agency', IndexKind: 'Contains' }, 'Columns'],
      [{ RecordType: 'Loan', Columns: 'status) where pg_sleep(1) is null; --' }, 'Columns'],
      [{ RecordType: 'Loan', Columns: 'Status', IndexKind: 'Hash' }, 'IndexKind'],
    ] as const;
    for (const [parameters, field] of refused)
      await admin.expectRefused('system/createindex', parameters, 'BAD_PARAMETER', field);
    await admin.save('customfield', { AppliesTo: 'Loan', CustomField: 'Pool', Kind: 'Integer' });
    await expectRefused(
      admin.send('system/createindex', { RecordType: 'Loan', Columns: 'Pool' }),
      'BAD_PARAMETER',
      'Columns',
      /IsIndexed/,
    );
  });

  it('an index that exists is not added again, by two callers at once either', async () => {
    const twice = await Promise.all(
      [1, 2].map(() => admin.send('system/createindex', { RecordType: 'Loan', Columns: 'LoanType' })),
    );
    assert.deepEqual(new Set(twice.map(({ status }) => status)), new Set([200, 409]));
    const built = { RecordType: 'Process', Columns: 'Status,DateOpened' };
    await expectRefused(
      admin.send('system/createindex', built),
      'DUPLICATE_KEY',
      'Columns',
      /process_status_dateopened_idx/,
    );
    await admin.expectRefused('system/createindex', { RecordType: 'Loan', Columns: 'Loan' }, 'DUPLICATE_KEY');
    const [row] = twice.filter(({ status }) => status === 200).map((answer) => answer.json());
    await remove(Number(row?.['SearchIndexID']));
  });

  it('a record type has at most ten added indexes', async () => {
    const columns = [
      'Status',
      'County',
      'City',
      'State',
      'PostalCode',
      'PropertyType',
      'UpdatedDate',
      '-Status',
      '-City',
    ];
    const ids = [];
    for (const Columns of [...columns, '-State']) ids.push(await add('Property', Columns));
    await admin.expectRefused(
      'system/createindex',
      { RecordType: 'Property', Columns: '-County' },
      'STATE_REFUSES',
      'RecordType',
    );
    await store.query('delete from searchindex where searchindexid = any($1::bigint[])', [`{${ids.join(',')}}`]);
  });

  it('only administrators can see and change indexes', async () => {
    const staff = client(p, (await p.user('indexing staff', 'Staff')).caller);
    await admin.save('role', { Role: 'Indexer', Permissions: 'System*' });
    const firm = client(p, (await p.firm('Indexing Firm', 'Indexer')).caller);
    for (const [route, parameters] of [
      ['indexes', {}],
      ['slowsearches', {}],
      ['createindex', { RecordType: 'Loan', Columns: 'LoanType' }],
      ['deleteindex', { SearchIndexID: 1 }],
    ] as const)
      for (const user of [staff, firm]) await user.expectRefused(`system/${route}`, parameters, 'NO_PERMISSION');
  });

  it('changes are in the security log', async () => {
    const id = await add('Loan', 'LienPriorityType');
    await remove(id);
    const entries = await admin.expectRows('securitylog/search', { Object: 'Loan', OrderBy: '-SecurityLogID' });
    assert.deepEqual(
      entries.slice(0, 2).map((row) => row['SecurityLog']),
      ['SearchIndexDeleted', 'SearchIndexCreated'],
    );
  });
});

describe('housekeeping of indexes', () => {
  it('two processes at once create an index once', async () => {
    const second = await secondPlatform({ after }, p);
    const id = await add('Loan', 'OriginalBalance');
    const results = await Promise.all([maintain(), maintain(second.platform)]);
    assert.ok(results.includes('done'));
    assert.ok(!results.includes('failed'));
    assert.equal((await indexOf(id))?.['State'], 'Ready');
    await remove(id);
  });

  it('an index that an interrupted build has left is dropped and created again, up to three times', async () => {
    const id = await add('Loan', 'OriginalBalance');
    await maintain();
    const interrupt = (attempts: number): Promise<unknown> =>
      Promise.all([
        store.query(
          "update searchindex set state = 'Building', attempts = $2::integer where searchindexid = $1::bigint",
          [id, attempts],
        ),
        store.query(`update pg_index set indisvalid = false where indexrelid = to_regclass('searchindex_${id}')`),
      ]);
    await interrupt(1);
    assert.equal(await maintain(), 'done');
    assert.equal((await indexOf(id))?.['State'], 'Ready');
    await interrupt(3);
    assert.equal(await maintain(), 'done');
    assert.equal(await isInDatabase(id), false);
    assert.equal((await indexOf(id))?.['State'], 'Failed');
    await remove(id);
  });

  it('a build that continues after its process has ended is left to finish', async () => {
    const id = await add('Loan', 'OriginalBalance');
    await store.query("update searchindex set state = 'Building', attempts = 1 where searchindexid = $1::bigint", [id]);
    const { host, port, user, database } = p.database;
    const connect = (): postgres.Sql =>
      postgres({ host, port, user, database, max: 1, onnotice: () => undefined, fetch_types: false });
    const [writer, builder] = [connect(), connect()];
    try {
      await writer.unsafe('begin; lock table loan in row exclusive mode').simple();
      const text = `create index concurrently searchindex_${id} on loan (originalbalance, loanid)`;
      const building = builder.unsafe(text).simple().execute();
      await eventually('the build waits for the writer', async () => {
        const rows = await store.query('select 1 from pg_stat_progress_create_index where index_relid > 0');
        return rows.length > 0;
      });
      assert.equal(await maintain(), 'done');
      assert.equal((await indexOf(id))?.['State'], 'Building');
      await writer.unsafe('rollback').simple();
      await building;
    } finally {
      await Promise.all([writer.end({ timeout: 1 }), builder.end({ timeout: 1 })]);
    }
    assert.equal(await maintain(), 'done');
    assert.equal((await indexOf(id))?.['State'], 'Ready');
    await remove(id);
  });

  it('a build that fails is tried three times, then says why; deleted and added again it is built', async () => {
    const id = await add('Loan', 'OriginalBalance');
    await withFailingBuilds(async () => {
      for (const state of ['Waiting', 'Waiting', 'Failed']) {
        assert.equal(await maintain(), 'done');
        assert.equal((await indexOf(id))?.['State'], state);
      }
    });
    assert.match(String((await indexOf(id))?.['Message']), /no space left/);
    await maintain();
    assert.equal((await indexOf(id))?.['State'], 'Failed');
    await remove(id);
    const again = await add('Loan', 'OriginalBalance');
    await maintain();
    assert.equal((await indexOf(again))?.['State'], 'Ready');
    await remove(again);
  });

  it('an index that is missing, as after a restore, is created again; indexes of others are left alone', async () => {
    const id = await add('Loan', 'OriginalBalance');
    await maintain();
    await store.query(`drop index searchindex_${id}`);
    await store.query('create index own_loan_idx on loan (status, agency)');
    await maintain();
    assert.equal((await indexOf(id))?.['State'], 'Ready');
    assert.equal(await isInDatabase(id), true);
    await remove(id);
    const all = await admin.expectRows('system/indexes', { RecordType: 'Loan' });
    assert.deepEqual(
      all.filter((row) => ['own_loan_idx', 'loan_loan_idx'].includes(String(row['IndexName']))).length,
      2,
    );
    await admin.expectRefused('system/deleteindex', { SearchIndexID: id }, 'NOT_FOUND', 'SearchIndexID');
    await store.query('drop index own_loan_idx');
  });

  it('downgrading to the previous version drops the added indexes', async () => {
    const id = await add('Loan', 'OriginalBalance');
    await maintain();
    const down = await readFile(new URL('../../../db/down/0042_search_indexes.sql', import.meta.url), 'utf8');
    const { host, port, user, database } = p.database;
    const sql = postgres({ host, port, user, database, max: 1, onnotice: () => undefined });
    const verify = `do $$ begin
      if exists (select 1 from pg_class where relname ~ '^searchindex') then raise 'an index is left'; end if;
    end $$;`;
    await sql.unsafe(`begin; ${down} ${verify} rollback;`).simple();
    await sql.end();
    await remove(id);
  });

  it('an index whose column no longer exists says so', async () => {
    const id = await add('Loan', 'OriginalBalance');
    await store.query("update searchindex set columns = 'Gone' where searchindexid = $1::bigint", [id]);
    await maintain();
    const index = await indexOf(id);
    assert.equal(index?.['State'], 'Failed');
    assert.match(String(index['Message']), /none named Gone/);
    await remove(id);
  });
});

describe('slow searches', () => {
  it('those that read a whole table are counted by their columns, without values, and an index is offered for them', async () => {
    await admin.save('setting', { Setting: 'SlowSearchMilliseconds', Value: '1' });
    await store.query(
      `insert into property (property, city, county)
       select 'Slow ' || n, 'City ' || n % 700, 'County ' || n % 90 from generate_series(1, 20000) n`,
    );
    await store.query('analyze property');
    await admin.expectOk('property/search', { City: '*ity 123*', OrderBy: 'County', RecordCount: 'false' });
    await p.platform.slowSearches.settled();
    await admin.expectOk('property/search', { City: '*ity 124*', OrderBy: 'County' });
    await admin.expectOk('property/search', { County: 'County 7', OrderBy: '-City' });
    await p.platform.slowSearches.settled();
    const rows = await admin.expectRows('system/slowsearches');
    assert.deepEqual(
      new Map(rows.map((row) => [row['Filters'], [row['OrderBy'], row['IndexKind'], row['IndexColumns']]])),
      new Map([
        ['*City', ['County', 'Contains', 'City']],
        ['County', ['-City', 'Value', 'County,-City']],
      ]),
    );
    assert.ok(rows.every((row) => Number(row['WorstMilliseconds']) >= 1 && row['Searches'] === 1));
    assert.ok(!JSON.stringify(rows).includes('123'));
  });

  it('many kinds of them do not keep others out: the least frequent is forgotten', async () => {
    await store.query(
      `insert into slowsearch (recordtype, filters, orderby, searches, lastdate, lastmilliseconds, worstmilliseconds)
       select 'Loan', 'Kind ' || n, '', n, now(), 300, 300 from generate_series(1, 498) n`,
    );
    await admin.expectOk('property/search', { City: 'City 5', OrderBy: '-County' });
    await p.platform.slowSearches.settled();
    const filters = (await admin.expectRows('system/slowsearches')).map((row) => row['Filters']);
    assert.equal(filters.length, 500);
    assert.ok(filters.includes('City') && !filters.includes('*City'));
    await store.query("delete from slowsearch where filters like 'Kind %' or filters = 'City'");
  });

  it('those that an index serves, and fast ones, are not counted', async () => {
    await admin.expectOk('property/search', { PropertyID: '77' });
    await admin.save('setting', {
      ID: (await admin.expectRows('setting/search', { Setting: 'SlowSearchMilliseconds' }))[0]?.['SettingID'],
      Value: '0',
    });
    await admin.expectOk('property/search', { PostalCode: '1' });
    await p.platform.slowSearches.settled();
    const rows = await admin.expectRows('system/slowsearches');
    assert.ok(!rows.some((row) => ['PropertyID', 'PostalCode'].includes(String(row['Filters']))));
  });

  it('WEB-06 the page of indexes shows them, and its buttons add and remove the index', async () => {
    await p.user('indexer', 'Administrator');
    const session = await testSession(p, 'indexer');
    const { text } = await session.get('/administration/indexes');
    assert.match(text, /County, -City|-City/);
    const fields = { RecordType: 'Property', Columns: 'County,-City', IndexKind: 'Value' };
    const added = await session.post('/administration/indexes', fields);
    assert.equal(added.location, '/administration/indexes?done=create');
    const again = await session.post('/administration/indexes', fields);
    assert.equal(again.status, 409);
    assert.match(again.text, /already has this index/);
    const [row] = (await admin.expectRows('system/indexes', { RecordType: 'Property' })).filter(
      (index) => index['Columns'] === 'County,-City',
    );
    await maintain();
    const page = await session.get('/administration/indexes?RecordType=Property');
    assert.match(page.text, new RegExp(String(row?.['IndexName'])));
    const removed = await session.post('/administration/indexes', {
      Action: 'delete',
      SearchIndexID: String(row?.['SearchIndexID']),
    });
    assert.equal(removed.location, '/administration/indexes?done=delete');
    await maintain();
    assert.equal(await isInDatabase(Number(row?.['SearchIndexID'])), false);
  });
});
